// Maps of files and records: what is shown, what the result states, and who writes.
#include "hkpd/map_run.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "hkpd/map.hpp"
#include "support/blob_builder.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace map_run_test {

using hkpd::Diagnostics;
using hkpd::MapMismatch;
using hkpd::MapResult;
using hkpd::MapRun;

/// Writes the form and the size of each input, and sums up the bytes of its entries.
class SumWriter final : public hkpd::MapWriter {
  public:
    void begin_input(const hkpd::MapInput& input, std::string& out) override {
        out += std::string(map_form_name(input.form)) + ' ' + std::to_string(input.size);
    }
    void entry(const hkpd::MapEntry& entry, std::string&) override { sum_ += entry.bytes.size(); }
    void end_input(const hkpd::MapTotals& totals, std::string& out) override {
        out += ' ' + std::to_string(sum_) + ' ' + std::to_string(totals.sum()) + '\n';
        sum_ = 0;
    }

  private:
    std::uint64_t sum_ = 0;
};

struct Mapped {
    MapResult result;
    std::string text;
    std::uint64_t faults = 0;
};

Mapped map_with(MapRun run) {
    Mapped mapped;
    Diagnostics diagnostics;
    mapped.result =
        write_map(run, [&mapped](std::string& text) { mapped.text += std::exchange(text, {}); }, diagnostics);
    mapped.faults = diagnostics.count();
    return mapped;
}

blob::Blob threads() { return blob::build({.objects = {{.title = 2, .counters = {{.title = 250}}, .values = {7U}}}}); }

TEST(MapRun, AWriterOfTheCallerGetsEachInput) {
    TempFolder folder;
    const std::string size = std::to_string(threads().size()), one = "v1 " + size + ' ' + size + ' ' + size + '\n';
    MapRun run{.writer = std::make_unique<SumWriter>()};
    for (const char* name : {"a.bin", "b.bin"}) run.inputs.push_back(folder.write(name, threads()));
    const Mapped mapped = map_with(std::move(run));
    EXPECT_EQ(mapped.text, one + one);
    EXPECT_EQ(mapped.result.inputs, 2U);
    EXPECT_FALSE(mapped.result.mismatch);
    EXPECT_EQ(mapped.faults, 0U);
}

TEST(MapRun, WithoutAWriterAPlaceIsDescribed) {
    TempFolder folder;
    const Mapped mapped = map_with({.inputs = {folder.write("a.bin", threads())}, .at = 0});
    EXPECT_TRUE(mapped.text.starts_with("0x0: block 0 > PERF_DATA_BLOCK > Signature\n")) << mapped.text;
    EXPECT_EQ(mapped.result.inputs, 1U);
    EXPECT_FALSE(mapped.result.is_damaged);
}

TEST(MapRun, StatesWhyARunDoesNotFit) {
    using Kind = MapMismatch::Kind;
    TempFolder folder;
    const std::string block = folder.write("a.bin", threads()), titles = folder.write("titles.txt", "2\nSystem\n");
    const std::string capture = std::string(testdata_folder) + "/captures/simulated.mcap";
    const auto kind_of = [](MapRun run) {
        if (!run.at) run.writer = std::make_unique<SumWriter>();
        const Mapped mapped = map_with(std::move(run));
        return mapped.result.mismatch ? std::optional(mapped.result.mismatch->kind) : std::nullopt;
    };
    EXPECT_EQ(kind_of({.inputs = {titles}}), Kind::titles);
    EXPECT_EQ(kind_of({.inputs = {block}, .record = 0}), Kind::not_a_capture);
    EXPECT_EQ(kind_of({.inputs = {block}, .at = threads().size()}), Kind::beyond_end);
    EXPECT_EQ(kind_of({.inputs = {block}, .object = hkpd::Pattern("Process")}), Kind::no_object);
    EXPECT_EQ(kind_of({.inputs = {block}, .object = hkpd::Pattern("System")}), std::nullopt);
    EXPECT_EQ(kind_of({.inputs = {capture}, .at = 0}), Kind::offset_in_capture);
    EXPECT_EQ(kind_of({.inputs = {capture}, .record = 1'000'000}), Kind::no_record);
    EXPECT_EQ(kind_of({.inputs = {capture}, .record = 0}), Kind::record_without_blocks) << "its titles";
}

TEST(MapRun, OffersASimilarObject) {
    TempFolder folder;
    const Mapped mapped = map_with({.inputs = {folder.write("a.bin", threads())},
                                    .object = hkpd::Pattern("Sistem"),
                                    .writer = std::make_unique<SumWriter>()});
    ASSERT_TRUE(mapped.result.mismatch);
    EXPECT_EQ(mapped.result.mismatch->nearest, "System");
    EXPECT_EQ(mapped.text, "");
}

}  // namespace map_run_test
}  // namespace hkpd_test
