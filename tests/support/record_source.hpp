// Hand-made records of both interfaces, as a source.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/sample.hpp"
#include "hkpd/source.hpp"
#include "support/blob_builder.hpp"
#include "support/capture_reading.hpp"
#include "support/temp_folder.hpp"
#include "support/v2_builder.hpp"

namespace hkpd_test {

/// Returns records one by one, each in a buffer of exactly its size that is freed at the next call.
class RecordSource final : public hkpd::Source {
  public:
    explicit RecordSource(std::vector<Kept> records) : records_(std::move(records)) {}

    std::optional<hkpd::Record> next(hkpd::Diagnostics& diagnostics) override {
        if (next_ == 0) input_ = diagnostics.add_input("records");
        current_.reset();
        if (next_ == records_.size()) return std::nullopt;
        const Kept& kept = records_[next_++];
        current_ = std::make_unique<char[]>(kept.bytes.size());
        std::ranges::copy(kept.bytes, current_.get());
        hkpd::Record record = kept.record();
        record.place.input = input_;
        record.bytes = hkpd::Bytes(std::as_bytes(std::span(current_.get(), kept.bytes.size())));
        return record;
    }

  private:
    std::vector<Kept> records_;
    std::size_t next_ = 0;
    std::uint32_t input_ = hkpd::no_index;
    std::unique_ptr<char[]> current_;
};

inline std::string to_text(const blob::ByteBuffer& buffer) {
    const auto bytes = buffer.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The counterset of these records: two counters, several instances.
inline const hkpd::Guid waves = v2_blob::guid(0x11223344, 0x5566, 0x7788, {1, 2, 3, 4, 5, 6, 7, 8});

/// Returns a block of a second of the year 2020 with this value.
inline v2_blob::Block v2_moment(std::uint16_t second, std::int64_t value) {
    v2_blob::Block block{.results = {{.ids = {1, 2}, .instances = {{u"a", 0, {value, 10 * value}}}}}};
    block.system_time.second = second;
    block.perf_time = second * 10'000'000;
    return block;
}
inline Kept v2_block(std::uint16_t second, std::int64_t value, std::string machine = {}) {
    return {hkpd::Record::Kind::v2_block, to_text(v2_blob::build(v2_moment(second, value))), std::move(machine)};
}
inline Kept v2_query(std::string machine = {}, const hkpd::Guid& guid = waves) {
    return {hkpd::Record::Kind::v2_identifiers, to_text(v2_blob::build_identifiers({{.guid = guid, .name = u"*"}})),
            std::move(machine)};
}
inline Kept v2_registration(std::uint32_t request, std::string bytes, std::string machine = {},
                            std::string language = {}) {
    Kept kept{hkpd::Record::Kind::v2_registration, std::move(bytes), std::move(machine)};
    kept.language = std::move(language);
    kept.counterset = waves;
    kept.request = request;
    return kept;
}
inline std::string waves_struct() {
    return to_text(v2_blob::build_registration(
        {.guid = waves, .counters = {{.id = 1, .type = 0x10100}, {.id = 2, .type = 0x10410500}}}));
}
inline std::string waves_strings(std::u16string prefix) {
    return to_text(v2_blob::build_strings({{1, prefix + u"one"}, {2, prefix + u"two"}}));
}

/// Returns a V1 block of a second; blocks of one second with different titles are one sample.
inline Kept v1_block(std::uint16_t second, std::int64_t value, std::uint32_t title = 2) {
    blob::Block block{.objects = {{.title = title,
                                   .kind = blob::Kind::multi,
                                   .counters = {{.title = 10}},
                                   .instances = {{.name = u"a", .values = {value}}}}},
                      .perf_time = second * 10'000'000};
    block.system_time.second = second;
    return {hkpd::Record::Kind::v1_block, to_text(blob::build(block))};
}

/// Returns source and first value of each sample: `v1:5 v2:6`.
inline std::string sources(const hkpd::Sample& sample) {
    std::string text(source_name(sample.source));
    for (const hkpd::Object& object : sample.objects())
        if (!object.columns.empty() && !object.columns[0].values.empty())
            text += ":" + std::to_string(object.columns[0].values[0]);
    return text;
}

}  // namespace hkpd_test
