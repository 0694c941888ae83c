#include "logs.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "machine.hpp"
#include "support/blob_fields.hpp"
#include "support/log_bytes.hpp"

namespace bench {
namespace {

using namespace log_file;

constexpr std::array<std::string_view, log_forms.size()> names{"blocks", "raw", "instances"};
constexpr std::int64_t start = 131'246'415'908'740'000, second = 10'000'000;
constexpr std::uint32_t rate = 0x1041'0400, count = 0x0001'0100;
constexpr std::size_t raw_counters = 1'000, buffer_size = 65'536;

struct List {
    std::u16string object;
    std::size_t counters, instances;
};
const List lists[] = {{u"Process", 28, 250}, {u"Thread", 13, 1'000}};

std::u16string numbered(std::u16string text, std::size_t number) {
    const std::string digits = std::to_string(number);
    return text.append(digits.begin(), digits.end());
}

/// Returns the value of a counter in that row: one in four has increased.
std::int64_t value(std::size_t counter, std::int64_t row) {
    return static_cast<std::int64_t>(counter * 1'000) + (counter % 4 == 0 ? row * 37 : 0);
}

/// Returns a separate block for each object of a block.
std::vector<RowRecord> object_records(const Blob& block) {
    using namespace blob;
    ByteBuffer all;
    all.append(block);
    const std::size_t header = all.get32(data_block::HeaderLength);
    std::vector<RowRecord> records;
    for (std::size_t at = header; at < all.size(); at += all.get32(at + object_type::TotalByteLength)) {
        const auto bytes = all.bytes();
        const std::size_t length = all.get32(at + object_type::TotalByteLength);
        Data one;
        one.append(bytes.first(header));
        one.append(bytes.subspan(at, length));
        one.put32(data_block::TotalByteLength, static_cast<std::uint32_t>(header + length));
        one.put32(data_block::NumObjectTypes, 1);
        records.push_back(log_file::block(one.bytes()));
    }
    return records;
}

std::vector<RowRecord> raw_records(std::int64_t row) {
    const std::int64_t now = start + row * second;
    std::vector<RowRecord> records;
    for (std::size_t c = 0; c < raw_counters; ++c)
        records.push_back(raw({.first = value(c, row), .second = now, .time = now}));
    return records;
}

std::vector<RowRecord> list_records(std::int64_t row) {
    const std::int64_t now = start + row * second;
    std::vector<RowRecord> records;
    for (const List& list : lists)
        for (std::size_t c = 0; c < list.counters; ++c) {
            RawInstances all{.time = now};
            for (std::size_t i = 0; i < list.instances; ++i)
                all.instances.push_back({numbered(u"process/", i / 4), value(c + i, row), now});
            records.push_back(instances(all));
        }
    return records;
}

std::vector<Entry> entries_of(LogForm form, std::size_t records) {
    std::vector<Entry> entries;
    for (std::size_t c = 0; c < records && form != LogForm::instances; ++c)
        entries.push_back(form == LogForm::blocks ? block_entry(numbered(u"object ", c))
                                                  : Entry{.type = c % 2 == 0 ? rate : count,
                                                          .object = numbered(u"object ", c / 10),
                                                          .counter = numbered(u"counter ", c % 10)});
    if (form == LogForm::instances)
        for (const List& list : lists)
            for (std::size_t c = 0; c < list.counters; ++c)
                entries.push_back({.form = Form::instances,
                                   .type = c % 2 == 0 ? rate : count,
                                   .object = list.object,
                                   .instance = u"*",
                                   .counter = numbered(u"counter ", c)});
    return entries;
}

}  // namespace

std::string_view form_name(LogForm form) noexcept { return names[static_cast<std::size_t>(form)]; }

std::optional<LogForm> log_form(std::string_view name) noexcept {
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt
                                : std::optional(static_cast<LogForm>(std::distance(names.begin(), found)));
}

std::size_t row_values(LogForm form) {
    if (form == LogForm::blocks) return small_values;
    if (form == LogForm::raw) return raw_counters;
    std::size_t values = 0;
    for (const List& list : lists) values += list.counters * list.instances;
    return values;
}

std::string log_bytes(LogForm form, std::size_t rows) {
    Log log{.buffer_size = buffer_size};
    Blob block = form == LogForm::blocks ? machine(small_values) : Blob{};
    for (std::size_t r = 0; r < rows; ++r) {
        const auto number = static_cast<std::int64_t>(r);
        const auto records = form == LogForm::blocks ? object_records(block)
                             : form == LogForm::raw  ? raw_records(number)
                                                     : list_records(number);
        if (r == 0) log.events.push_back({catalogue_class, catalogue(entries_of(form, records.size())), start});
        log.events.push_back({row_class, row(records), start + number * second});
        if (form == LogForm::blocks) advance(block);
    }
    return build(log).text();
}

}  // namespace bench
