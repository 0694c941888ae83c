// The rules of faults: every code about data has one.
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "base/fault_table.hpp"
#include "hkpd/check.hpp"

namespace hkpd {
namespace rules_test {

/// Holds the codes about reading, a machine's state or an output, not about the data read.
constexpr Errc without_rule[] = {
    Errc::counterset_unknown,
    Errc::counterset_assumed,
    Errc::counterset_limit,
    Errc::collected_too_often,
    Errc::other_source,
    Errc::title_tables,
    Errc::service_disabled,
    Errc::capture_unknown_record,
    Errc::capture_foreign_channel,
    Errc::chunk_compression,
    Errc::chunk_limit,
    Errc::machine_changed,
    Errc::query_failed,
    Errc::ticks_missed,
    Errc::columns_fixed,
    Errc::series_limit,
    Errc::name_limit,
    Errc::output_limit,
    Errc::point_order,
    Errc::value_limit,
    Errc::byte_limit,
    Errc::not_recognised,
    Errc::foreign_file,
    Errc::v2_alone,
    Errc::path_limit,
    Errc::path_english,
    Errc::language_missing,
    Errc::names_local,
    Errc::name_unknown,
    Errc::expansion_limit,
    Errc::packed_method,
    Errc::packed_twice,
    Errc::unpacked_limit,
    Errc::columns_shared,
    Errc::text_raw,
    Errc::text_comment,
    Errc::text_other,
    Errc::files_skipped,
    Errc::read_before,
    Errc::manifest_line,
    Errc::names_not_located,
    Errc::no_data,
    Errc::cannot_read,
    Errc::cannot_write,
};

TEST(Rules, EveryCodeAboutDataHasARule) {
    const std::set<Errc> none(std::begin(without_rule), std::end(without_rule));
    for (const FaultRow& row : fault_rows()) EXPECT_EQ(row.rule.empty(), none.contains(row.code)) << row.name;
}

TEST(Rules, TheRuleOfLastIndicesNamesTheOtherValues) {
    const std::string_view rule = rule_of(Errc::title_last_index);
    for (const std::string_view value : {"Last Counter", "Last Help", "Base Index"})
        EXPECT_NE(rule.find(value), std::string_view::npos) << value;
}

TEST(Rules, EventsOfPerflib) {
    const auto event = [](Errc code, std::string_view structure = {}, std::uint64_t need = 1) {
        return perflib_event({code, 0, structure, {}, need, 0});
    };
    EXPECT_EQ(event(Errc::object_length), 1003U);
    EXPECT_EQ(event(Errc::provider_length), 1003U);
    EXPECT_EQ(event(Errc::instance_length), 1004U);
    EXPECT_EQ(event(Errc::counter_block_length), 1004U);
    EXPECT_EQ(event(Errc::leftover_bytes, "PERF_OBJECT_TYPE"), 1004U);
    EXPECT_EQ(event(Errc::leftover_bytes, "PERF_DATA_BLOCK"), 1003U);
    EXPECT_EQ(event(Errc::counter_size), std::nullopt);
    EXPECT_EQ(event(Errc::title_index), std::nullopt);
}

}  // namespace rules_test
}  // namespace hkpd
