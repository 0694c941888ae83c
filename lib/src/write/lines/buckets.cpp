// One line for each series and interval of time: JSON Lines and CSV with the same fields.
#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/number_hash.hpp"
#include "cook/matches.hpp"
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
    BucketWriter(bool json, const WriteOptions& options)
        : json_(json), options_(options), identities_(options.series, options.names) {}

    void begin(std::string& out) override {
        if (!json_)
            out +=
                "time,seconds,machine,source,object,object_index,counterset,parent,instance,instance_name,counter,"
                "counter_index,type,count,min,mean,max\n";
    }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        identities_.add(sample, matches_of(cooker));
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
        for (const Selected& part : selected) {
            if (part.rows.empty()) continue;
            counters_.begin(sample.objects()[part.object]);
            for (const std::uint32_t position : part.columns) add(sample, part, position, *cooker, stream);
        }
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        for (auto& [name, stream] : streams_) write(stream, out);
        if (left_out_ || identities_.overflowed()) diagnostics.add({Errc::series_limit, 0, "", "", 0, options_.series});
    }

  private:
    struct Series {
        std::uint32_t counter, identity;
        BucketValues values{};
    };
    /// The samples of one machine and source.
    struct Stream {
        std::int64_t begin = 0;               // of the current interval
        Zone zone{};                          // of the current interval
        std::vector<std::uint32_t> series{};  // places of the series that have a value in it
    };

    void add(const Sample& sample, const Selected& part, std::uint32_t position, Cooker& cooker, Stream& stream) {
        const Object& object = sample.objects()[part.object];
        const Column& column = object.columns[position];
        if (!is_displayable(column) || column.storage != Storage::number) return;
        const std::uint32_t counter = counters_.number(sample, object, position);
        const CookedColumn cooked = cooker.column(part.object, position);
        for (const std::uint32_t row : part.rows) {
            const std::uint32_t identity = identities_.number(part.object, row);
            if (identity == no_index || !cooked[row].has_value()) continue;
            const auto place = place_of(counter, identity);
            if (!place) continue;
            BucketValues& values = series_[*place].values;
            if (values.count == 0) stream.series.push_back(*place);
            values.add(cooked.values[row]);
        }
    }

    std::optional<std::uint32_t> place_of(std::uint32_t counter, std::uint32_t identity) {
        constexpr unsigned half = 32;
        const std::uint64_t key = std::uint64_t{counter} << half | identity;
        if (const auto found = places_.find(key); found != places_.end()) return found->second;
        left_out_ = left_out_ || series_.size() >= options_.series;
        if (series_.size() >= options_.series) return std::nullopt;
        const auto place = static_cast<std::uint32_t>(series_.size());
        series_.push_back({counter, identity});
        places_.emplace(key, place);
        return place;
    }

    void write(Stream& stream, std::string& out) {
        time_.clear();
        append_time(time_, system_time_at(stream.begin), json_ ? Zone() : stream.zone);
        for (const std::uint32_t place : stream.series) {
            Series& series = series_[place];
            if (json_)
                write_json(series, out);
            else
                write_csv(series, out);
            series.values = {};
            drain_much(options_, out);
        }
        stream.series.clear();
    }

    std::int64_t seconds() const noexcept {
        constexpr std::int64_t second = 1'000'000'000;
        return options_.bucket_length / second;
    }

    void write_json(const Series& series, std::string& out) const {
        const RunCounter& counter = counters_[series.counter];
        JsonStream json(out);
        json.object([&] {
            json.member("time", time_);
            json.member("seconds", seconds());
            append_instance_members(json, counter, identities_[series.identity]);
            append_counter_members(json, counter);
            json.member("count", series.values.count);
            json.member("min", series.values.min);
            json.member("mean", series.values.mean);
            json.member("max", series.values.max);
        });
        out += '\n';
    }

    void write_csv(const Series& series, std::string& out) const {
        const RunCounter& counter = counters_[series.counter];
        out += time_;
        append_digits(out, seconds(), ',');
        out += ',';
        append_instance_cells(out, counter, identities_[series.identity]);
        append_counter_cells(out, counter);
        append_digits(out, series.values.count);
        for (const double value : {series.values.min, series.values.mean, series.values.max}) {
            out += ',';
            append_number(out, value);
        }
        out += '\n';
    }

    bool json_;
    WriteOptions options_;
    Identities identities_;
    RunCounters counters_;
    std::vector<Series> series_;
    std::unordered_map<std::uint64_t, std::uint32_t, NumberHash> places_;  // counter and identity → place in `series_`
    std::map<std::pair<std::string, SampleSource>, Stream> streams_;
    std::string time_;
    bool left_out_ = false;
};

}  // namespace

std::unique_ptr<Writer> make_bucket_writer(Format format, const WriteOptions& options) {
    return std::make_unique<BucketWriter>(format == Format::jsonl, options);
}

}  // namespace hkpd
