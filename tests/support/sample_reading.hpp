// Reads samples from built blobs, and writes their content as text that tests can compare.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/source.hpp"
#include "source/sample_reader.hpp"
#include "support/blob_builder.hpp"

namespace hkpd_test {

/// Blobs in memory as one input. Each is in a buffer of exactly its size that is freed at the next call, so that a
/// sanitizer notices a read past the end and a view kept too long.
class MemorySource final : public hkpd::Source {
  public:
    explicit MemorySource(std::vector<blob::Blob> blobs) : blobs_(std::move(blobs)) {}

    std::optional<hkpd::Record> next(hkpd::Diagnostics& diagnostics) override {
        if (next_ == 0) input_ = diagnostics.add_input("memory");
        current_.reset();
        if (next_ == blobs_.size()) return std::nullopt;
        const std::span<const std::byte> bytes = blobs_[next_++].bytes();
        current_ = std::make_unique<std::byte[]>(bytes.size());
        std::ranges::copy(bytes, current_.get());
        const std::uint64_t offset = std::exchange(offset_, offset_ + bytes.size());
        return hkpd::Record{
            hkpd::Record::Kind::v1_block, hkpd::Bytes({current_.get(), bytes.size()}, offset), {.input = input_}};
    }

  private:
    std::vector<blob::Blob> blobs_;
    std::size_t next_ = 0;
    std::uint64_t offset_ = 0;
    std::uint32_t input_ = hkpd::no_index;
    std::unique_ptr<std::byte[]> current_;
};

/// All samples of an input.
struct Samples {
    std::deque<hkpd::Sample> all;  // samples are never moved: they refer to their own memory
    hkpd::Diagnostics diagnostics;

    const hkpd::Object& object(std::size_t sample, std::size_t object) const {
        return all.at(sample).objects()[object];
    }
};

inline void read_all(hkpd::Source& source, const hkpd::Titles* titles, const hkpd::Limits& limits, Samples& samples) {
    hkpd::SampleReader reader(source, titles, limits);
    while (reader.next(samples.all.emplace_back(), samples.diagnostics)) {
    }
    samples.all.pop_back();
}

inline std::unique_ptr<Samples> read_blobs(std::vector<blob::Blob> blobs, const hkpd::Titles* titles = nullptr,
                                           const hkpd::Limits& limits = {}) {
    auto samples = std::make_unique<Samples>();
    MemorySource source(std::move(blobs));
    read_all(source, titles, limits, *samples);
    return samples;
}

inline std::unique_ptr<Samples> read_block(const blob::Block& block, const hkpd::Titles* titles = nullptr,
                                           const hkpd::Limits& limits = {}) {
    return read_blobs({blob::build(block)}, titles, limits);
}

/// Returns severity and code of each diagnostic: `warning parent_cycle|`, ...
inline std::string faults(const hkpd::Diagnostics& diagnostics) {
    std::string text;
    for (const hkpd::Diagnostic& found : diagnostics.kept())
        text.append(severity_name(found.severity)).append(" ").append(code_name(found.error.code)).append("|");
    return text;
}

/// Returns a value as a number, `"text"`, `<hexadecimal>`, or `-` if it is damaged.
inline std::string value_text(const hkpd::Object& object, const hkpd::Column& column, std::size_t row) {
    if (!column.is_valid(row)) return "-";
    if (column.storage == hkpd::Storage::number) return std::to_string(column.values[row]);
    const std::string_view bytes = object.bytes(column, row);
    if (column.storage == hkpd::Storage::text) return '"' + std::string(bytes) + '"';
    std::string hex;
    for (const char c : bytes) {
        constexpr std::string_view digits = "0123456789abcdef";
        hex += digits[static_cast<unsigned char>(c) / 16];
        hex += digits[static_cast<unsigned char>(c) % 16];
    }
    return '<' + hex + '>';
}

/// Returns the values of a column: `1 2 3`.
inline std::string column_text(const hkpd::Object& object, std::size_t column) {
    std::string text;
    for (std::size_t row = 0; row < object.instances.size(); ++row)
        text.append(row == 0 ? "" : " ").append(value_text(object, object.columns.at(column), row));
    return text;
}

/// Returns the names of the instances: `a,b,?`.
inline std::string instance_names(const hkpd::Object& object) {
    std::string text;
    for (const hkpd::Instance& instance : object.instances)
        text.append(text.empty() ? "" : ",").append(instance.name.value_or("?"));
    return text;
}

/// Returns the title indices of a sample's objects: `2,238`.
inline std::string object_indices(const hkpd::Sample& sample) {
    std::string text;
    for (const hkpd::Object& object : sample.objects())
        text.append(text.empty() ? "" : ",").append(std::to_string(object.title_index));
    return text;
}

/// Returns everything that a sample shows.
inline std::string describe(const hkpd::Sample& sample) {
    std::string text = sample.machine.value_or("?");
    const auto add = [&text](auto... numbers) { (text.append(" ").append(std::to_string(numbers)), ...); };
    const auto name = [&text](const std::optional<hkpd::Titles::Answer>& answer) {
        text.append(" ").append(answer ? answer->text : "?");
    };
    add(sample.perf.time, sample.perf.frequency, sample.perf_time_100ns, sample.default_object,
        static_cast<int>(sample.source));
    if (sample.zone) text.append(" ").append(sample.zone->name).append(" ").append(std::to_string(sample.zone->bias));
    if (const auto time = unix_time(sample)) add(*time);
    for (const hkpd::Object& object : sample.objects()) {
        text += "\nobject";
        add(object.title_index, object.help_index, object.detail_level, object.code_page, static_cast<int>(object.kind),
            object.clock.time, object.clock.frequency);
        if (object.counterset) text.append(" ").append(hkpd::guid_text(*object.counterset));
        name(object.name);
        name(object.help);
        for (const hkpd::Instance& instance : object.instances) {
            text.append("\n  ").append(instance.name.value_or("?"));
            add(instance.unique_id.value_or(-1), instance.parent_object, instance.parent_instance);
        }
        for (std::size_t c = 0; c < object.columns.size(); ++c) {
            const hkpd::Column& column = object.columns[c];
            text += "\n ";
            add(column.title_index, column.help_index, column.type, column.size, column.offset, column.scale,
                column.detail_level, column.base, static_cast<int>(column.storage), column.logged(), column.attributes,
                column.time, column.frequency, column.multi);
            name(column.name);
            name(column.help);
            text.append(": ").append(column_text(object, c));
            for (const auto& numbers : {column.second, column.multi_count, column.taken})
                for (const std::uint64_t number : column.logged() ? numbers : std::span<const std::uint64_t>())
                    add(number);
            if (column.logged()) add(*column.time_base);
            for (const hkpd::ValueStatus status : column.status) add(static_cast<std::uint32_t>(status));
        }
    }
    for (const std::uint32_t table : sample.tables()) text.append("\ntable ").append(std::to_string(table));
    return text;
}

}  // namespace hkpd_test
