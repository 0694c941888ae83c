#include <fmt/core.h>

#include <algorithm>
#include <boost/interprocess/streams/bufferstream.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/encoding.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v2.hpp"
#include "map/byte_map.hpp"
#include "v2/block_stream.hpp"
#include "v2/decode.hpp"

namespace hkpd::map {
namespace {

using structures::data_header, structures::counter_header, structures::multi_counters, structures::multi_instances,
    structures::instance_header, structures::counter_data, structures::counter_identifier,
    structures::counterset_reg_info, structures::counter_reg_info, structures::string_buffer_header,
    structures::string_counter_header;

constexpr std::string_view unreadable_value = "not mapped: a value that cannot be read";

class V2Map {
  public:
    V2Map(Sweep& sweep, const MapOptions& options, const FaultSink& faults)
        : sweep_(sweep), options_(options), faults_(faults) {}

    void draw(MapForm form) {
        if (form == MapForm::identifiers)
            draw_identifiers();
        else if (form == MapForm::registration)
            draw_registration();
        else if (form == MapForm::strings)
            draw_strings();
        else if (form == MapForm::counter)
            draw_one(counter_reg_info);
        else if (form == MapForm::guid)
            draw_one(structures::provider_guid);
        else if (form == MapForm::text)
            draw_text();
        else
            draw_data();
        sweep_.context = {};
        sweep_.fill_to(sweep_.input().end(), MapKind::leftover, "", "in no block");
    }

  private:
    void draw_data() {
        const Bytes input = sweep_.input();
        boost::interprocess::ibufferstream stream(reinterpret_cast<const char*>(input.data()), input.size());
        V2BlockStream blocks(stream, options_.limits);
        while (const auto found = blocks.next(faults_)) {
            const Bytes block = input.slice(found->offset(), found->size());
            sweep_.fill_to(block.offset(), MapKind::leftover, "", "in no block");
            draw_block(block);
        }
    }

    void draw_block(Bytes bytes) {
        sweep_.enter_block();
        if (const auto opened = block_.open(bytes, faults_); !opened) {
            faults_.add(Severity::error, opened.error());
            return;
        }
        sweep_.add_block();
        values_left_ = options_.limits.values_for(block_.bytes().size());
        sweep_.members(data_header, bytes);
        for (const v2::ResultEntry& entry : block_.results()) {
            sweep_.close(entry.bytes.offset(), data_header.name, "not mapped: no result begins here");
            draw_result(entry);
            sweep_.enter_object();
            sweep_.enter_instance();
        }
        sweep_.close(block_.bytes().end(), data_header.name, "not mapped: after the last result");
    }

    void draw_result(const v2::ResultEntry& entry) {
        name_result(entry.ordinal);
        sweep_.enter_object(entry.ordinal, result_name_);
        sweep_.members(counter_header, entry.bytes);
        if (const auto opened = result_.open(entry, first_unknown_result + entry.ordinal, faults_); !opened) {
            faults_.add(Severity::error, opened.error(), first_unknown_result + entry.ordinal);
            return sweep_.close(entry.bytes.end(), counter_header.name, "not mapped: the result cannot be read");
        }
        if (result_.type() == v2::ResultType::multiple_counters || result_.type() == v2::ResultType::counterset)
            draw_ids(entry.bytes.from(counter_header.size()));
        if (result_.type() != v2::ResultType::error) draw_instances(entry);
        sweep_.close(entry.bytes.end(), counter_header.name, "not mapped: after the content of the result");
    }

    /// Sets `result_name_` to the name of the result's counterset or, if the name is unknown, to the GUID of the
    /// counterset. If the query does not show to which counterset the result belongs, sets `result_name_` to an empty
    /// text.
    void name_result(std::uint32_t ordinal) {
        result_name_.clear();
        set_ = nullptr;
        identifier_ = options_.query == nullptr ? nullptr : options_.query->find(ordinal);
        if (identifier_ == nullptr) return;
        if (options_.countersets != nullptr)
            set_ = options_.countersets->find(options_.machine, identifier_->CounterSetGuid);
        if (set_ != nullptr && set_->name)
            result_name_ = clipped_name(*set_->name);
        else
            append_guid(result_name_, identifier_->CounterSetGuid);
    }

    /// Begins the counter at `position` in the result. The next entries have the counter's name or, if the name is
    /// unknown, the counter's id. Returns the name; empty if the name is unknown.
    std::string_view name_counter(std::uint32_t position) {
        counter_name_.clear();
        const bool listed = position < result_.ids().size();
        const std::uint32_t id = listed                   ? result_.ids()[position]
                                 : identifier_ != nullptr ? identifier_->CounterId
                                                          : v2::no_id;
        const CountersetCounter* const counter = set_ == nullptr ? nullptr : set_->find(id);
        const std::string_view name = counter == nullptr ? "" : clipped_name(counter->name.value_or(""));
        if (!name.empty())
            counter_name_ = name;
        else if (id != v2::no_id)
            counter_name_ = fmt::format("id {}", id);
        sweep_.enter_counter(position, counter_name_);
        return name;
    }

    /// Maps PERF_MULTI_COUNTERS and the counter ids after it.
    void draw_ids(Bytes after_header) {
        sweep_.members(multi_counters, after_header);
        const Bytes ids = after_header.from(multi_counters.size());
        for (std::uint32_t i = 0; i < result_.ids().size(); ++i) {
            const std::string_view name = name_counter(i);
            sweep_.claim(ids.slice(i * std::uint64_t{4}, 4), MapKind::definition, multi_counters.name, "CounterId",
                         sweep_.words.number(result_.ids()[i], name));
        }
        sweep_.enter_counter();
        const std::uint64_t list = result_.has_instances() ? multi_instances.size() : 0;
        sweep_.fill_to(result_.body().offset() - list, MapKind::padding, multi_counters.name, "after the ids");
    }

    void draw_instances(const v2::ResultEntry& entry) {
        const std::uint64_t body = result_.body().offset();
        if (result_.has_instances())
            sweep_.members(multi_instances, sweep_.part(body - multi_instances.size(), multi_instances.size()));
        v2::InstanceReader reader(result_, values_left_, values_, faults_);
        v2::Instance instance;
        std::uint32_t seen = 0;
        for (; reader.next(instance); ++seen) draw_instance(instance);
        sweep_.enter_instance();
        if (seen >= result_.expected_instances()) return;
        sweep_.close(entry.bytes.end(), counter_header.name,
                     values_left_ < result_.values_per_instance() ? "not mapped: beyond the limit on values"
                                                                  : "not mapped: the instances break off here");
    }

    void draw_instance(const v2::Instance& instance) {
        if (result_.has_instances()) {
            instance_name_.clear();
            if (instance.name) append_utf16(instance_name_, instance.name->bytes.span(), ByteOrder::little);
            sweep_.enter_instance(instance.ordinal, clipped_name(instance_name_));
            const Bytes header = sweep_.part(instance.offset, instance_header.size());
            sweep_.members(instance_header, header);
            const std::uint64_t end = instance.offset + v2::u32_at(header, 0);
            if (instance.name) draw_name(*instance.name, end, instance_header.name, "Name");
            sweep_.fill_to(end, MapKind::padding, instance_header.name, "after the name");
        }
        sweep_.between(MapKind::gap, counter_data.name, unreadable_value);
        for (std::uint32_t i = 0; i < instance.values.size(); ++i) {
            if (instance.values[i].damaged) continue;
            name_counter(i);
            draw_value(instance.values[i]);
            sweep_.enter_counter();
        }
    }

    /// Maps a valid value and the PERF_COUNTER_DATA before it.
    void draw_value(const v2::Value& value) {
        const std::uint64_t begin = value.bytes.offset() - counter_data.size();
        const Bytes header = sweep_.part(begin, counter_data.size());
        sweep_.members(counter_data, header);
        const auto number = v2::number_of(value);
        sweep_.claim(value.bytes, MapKind::value, counter_data.name, "",
                     number ? sweep_.words.number(*number, {}) : sweep_.words.bytes(value.bytes.size()));
        sweep_.fill_to(std::min(begin + v2::u32_at(header, 4), result_.body().end()), MapKind::padding,
                       counter_data.name, "after the value");
        sweep_.between(MapKind::gap, counter_data.name, unreadable_value);
    }

    /// Maps the characters of a name, and the terminating NUL if it lies before `end`.
    void draw_name(const EncodedText& text, std::uint64_t end, std::string_view structure, std::string_view field) {
        constexpr std::uint64_t nul = 2;
        const std::uint64_t size = text.bytes.size() + (text.bytes.end() + nul <= end ? nul : 0);
        sweep_.claim(sweep_.part(text.bytes.offset(), size), MapKind::name, structure, field, sweep_.words.text(text));
    }

    void draw_identifiers() {
        v2::Identifiers identifiers;
        identifiers.open(sweep_.input(), faults_);
        sweep_.add_block();
        for (std::uint32_t i = 0; i < identifiers.all().size(); ++i) {
            const v2::Identifier& identifier = identifiers.all()[i];
            sweep_.context.object = i;
            sweep_.between(MapKind::gap, counter_identifier.name, "not mapped: no identifier begins here");
            sweep_.members(counter_identifier, identifier.bytes);
            if (identifier.name && identifier.bytes.size() > counter_identifier.size())
                draw_name(*identifier.name, identifier.bytes.end(), counter_identifier.name, "Name");
            sweep_.fill_to(identifier.bytes.end(), MapKind::padding, counter_identifier.name, "of the identifier");
        }
    }

    void draw_registration() {
        const Bytes input = sweep_.input();
        v2::RegistrationInfo info;
        if (const auto opened = info.open(input, faults_); !opened) return faults_.add(Severity::error, opened.error());
        sweep_.add_block();
        sweep_.members(counterset_reg_info, input);
        std::uint64_t at = counterset_reg_info.size();
        for (std::uint32_t i = 0; i < info.counters().size(); ++i, at += counter_reg_info.size()) {
            counter_name_ = fmt::format("id {}", info.counters()[i].CounterId);
            sweep_.enter_counter(i, counter_name_);
            sweep_.members(counter_reg_info, input.from(at));
        }
    }

    void draw_strings() {
        const Bytes input = sweep_.input();
        v2::StringBuffer buffer;
        if (const auto opened = buffer.open(input, faults_); !opened)
            return faults_.add(Severity::error, opened.error());
        sweep_.add_block();
        sweep_.members(string_buffer_header, input);
        struct Place {
            EncodedText text;
            std::uint32_t entry;
        };
        std::vector<Place> by_place;
        for (std::uint32_t i = 0; i < buffer.entries().size(); ++i) {
            const Bytes header =
                input.from(string_buffer_header.size() + std::uint64_t{i} * string_counter_header.size());
            sweep_.context.counter = i;
            // dwOffset counts from the beginning of the buffer, not from the beginning of the structure that contains
            // it.
            sweep_.members(string_counter_header, header, input.offset());
            if (const auto& text = buffer.entries()[i].text) by_place.emplace_back(*text, i);
        }
        std::ranges::stable_sort(by_place, {}, [](const Place& place) { return place.text.bytes.offset(); });
        const std::uint64_t end = input.offset() + std::min<std::uint64_t>(v2::u32_at(input, 0), input.size());
        sweep_.between(MapKind::gap, string_buffer_header.name, "not mapped: no string begins here");
        for (const auto& [text, i] : by_place) {
            counter_name_ = fmt::format("id {}", buffer.entries()[i].dwCounterId);
            sweep_.enter_counter(i, counter_name_);
            draw_name(text, input.end(), string_counter_header.name, "string");
        }
        sweep_.context = {};
        sweep_.close(end, string_buffer_header.name, "not mapped: after the last string");
    }

    void draw_one(const Structure& structure) {
        const Bytes input = sweep_.input();
        if (input.size() < structure.size())
            return faults_.add(
                {Errc::truncated_header, input.offset(), structure.name, "", structure.size(), input.size()});
        sweep_.add_block();
        sweep_.members(structure, input);
    }

    void draw_text() {
        sweep_.add_block();
        draw_name(v2::read_string(sweep_.input(), faults_), sweep_.input().end(), "WCHAR", "string");
    }

    Sweep& sweep_;
    const MapOptions& options_;
    FaultSink faults_;
    v2::DataBlock block_;
    v2::Result result_;
    std::vector<v2::Value> values_;
    std::uint64_t values_left_ = 0;
    std::string result_name_, instance_name_, counter_name_;
    // The identifier and the counterset of the current result; null if unknown.
    const v2::Identifier* identifier_ = nullptr;
    const Counterset* set_ = nullptr;
};

}  // namespace

void draw_v2(Sweep& sweep, MapForm form, const MapOptions& options, const FaultSink& faults) {
    V2Map(sweep, options, faults).draw(form);
}

}  // namespace hkpd::map
