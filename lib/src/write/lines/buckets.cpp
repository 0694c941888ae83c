// One line for each series and interval of time: JSON Lines and CSV with the same fields.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "sample/display_name.hpp"
#include "write/bucket_values.hpp"
#include "write/cells.hpp"
#include "write/json/json_stream.hpp"
#include "write/series_lines.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

class BucketWriter final : public Writer {
  public:
    BucketWriter(bool json, const WriteOptions& options) : json_(json), options_(options), table_(options.series) {}

    void begin(std::string& out) override {
        if (!json_)
            out +=
                "time,seconds,machine,source,object,object_index,counterset,parent,instance,pid,instance_id,life,"
                "counter,counter_index,type,count,min,mean,max\n";
    }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        const auto time = unix_time(sample);
        if (!time) return;
        // Machines whose clocks differ are in different intervals at the same moment.
        Stream& stream = streams_[{sample.machine.value_or(""), sample.source}];
        const Buckets buckets = buckets_of(options_, sample);
        if (const std::int64_t begin = buckets.begin(*time); begin != stream.begin) {
            write(stream, out);
            stream.begin = begin;
            stream.zone = buckets.zone;
        }
        for (const Selected& part : selected)
            table_.each_counter(
                sample, part, has_cooked_numbers,
                [&](std::uint32_t position, std::uint32_t /*counter*/, std::span<const std::size_t> places) {
                    add(places, part, cooker->column(part.object, position), stream);
                });
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        for (auto& [name, stream] : streams_) write(stream, out);
        if (table_.overflowed()) diagnostics.add({Errc::series_limit, 0, "", "", 0, options_.series});
    }

  private:
    /// The samples of one machine and source.
    struct Stream {
        std::int64_t begin = 0;             // of the current interval
        Zone zone{};                        // of the current interval
        std::vector<std::size_t> series{};  // places of the series that have a value in it
    };

    void add(std::span<const std::size_t> places, const Selected& part, const CookedColumn& cooked, Stream& stream) {
        values_.resize(table_.size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            const CookedValue value = cooked[part.rows[i]];
            if (places[i] == SeriesTable::none || !value.has_value()) continue;
            BucketValues& values = values_[places[i]];
            if (values.count == 0) stream.series.push_back(places[i]);
            values.add(value.value);
        }
    }

    void write(Stream& stream, std::string& out) {
        time_.clear();
        append_time(time_, system_time_at(stream.begin), json_ ? utc_if_stated(stream.zone) : stream.zone);
        for (const std::size_t place : stream.series) {
            if (json_)
                write_json(place, out);
            else
                write_csv(place, out);
            values_[place] = {};
            drain_much(options_, out);
        }
        stream.series.clear();
    }

    std::int64_t seconds() const noexcept {
        constexpr std::int64_t second = 1'000'000'000;
        return options_.bucket_length / second;
    }

    void write_json(std::size_t place, std::string& out) const {
        const RunCounter& counter = table_.counter_of(place);
        const BucketValues& values = values_[place];
        JsonStream json(out);
        json.object([&] {
            json.member("time", time_);
            json.member("seconds", seconds());
            append_instance_members(json, counter, table_.identity(table_.key(place).second));
            append_counter_members(json, counter);
            json.member("count", values.count);
            json.member("min", values.min);
            json.member("mean", values.mean);
            json.member("max", values.max);
        });
        out += '\n';
    }

    void write_csv(std::size_t place, std::string& out) const {
        const RunCounter& counter = table_.counter_of(place);
        const BucketValues& values = values_[place];
        out += time_;
        append_digits(out, seconds(), ',');
        out += ',';
        append_instance_cells(out, counter, table_.identity(table_.key(place).second));
        append_counter_cells(out, counter);
        append_digits(out, values.count);
        for (const double value : {values.min, values.mean, values.max}) {
            out += ',';
            append_number(out, value);
        }
        out += '\n';
    }

    bool json_;
    WriteOptions options_;
    SeriesTable table_;
    std::vector<BucketValues> values_;  // of the current interval, by place
    std::map<std::pair<std::string, SampleSource>, Stream> streams_;
    std::string time_;
};

}  // namespace

std::unique_ptr<Writer> make_bucket_writer(Format format, const WriteOptions& options) {
    return std::make_unique<BucketWriter>(format == Format::jsonl, options);
}

}  // namespace hkpd
