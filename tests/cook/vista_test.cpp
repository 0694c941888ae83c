// Cooking of samples of a real machine: eleven samples of Vista, a minute apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/cook.hpp"
#include "identity/matcher.hpp"
#include "support/cook_text.hpp"
#include "support/sample_reading.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace cook_vista_test {

using hkpd::Reason;

constexpr std::uint32_t process = 230, processor = 238, id_process = 784, processor_time = 6;

class WindowsCook : public WindowsData {
  protected:
    void SetUp() override {
        WindowsData::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        const auto source = hkpd::open_files({path("data/v1/vista-2007")}, {});
        read_all(*source, nullptr, {}, samples_);
        ASSERT_EQ(samples_.all.size(), 11U);
    }

    Samples samples_;
    hkpd::Cooker cooker_{{}};
};

std::size_t column_of(const hkpd::Object& object, std::uint32_t title) {
    const auto found = std::ranges::find(object.columns, title, &hkpd::Column::title_index);
    EXPECT_NE(found, object.columns.end()) << title;
    return static_cast<std::size_t>(found - object.columns.begin());
}

std::size_t row_of(const hkpd::Object& object, std::string_view name) {
    const auto found = std::ranges::find_if(object.instances,
                                            [name](const hkpd::Instance& instance) { return instance.name == name; });
    EXPECT_NE(found, object.instances.end()) << name;
    return static_cast<std::size_t>(found - object.instances.begin());
}

TEST_F(WindowsCook, ProcessorTimeIsAPercentage) {
    for (std::size_t i = 0; i < samples_.all.size(); ++i) {
        const hkpd::Sample& now = samples_.all[i];
        const std::optional<std::size_t> place = now.find(processor);
        ASSERT_TRUE(place);
        const hkpd::Object& object = now.objects()[*place];
        const std::size_t column = column_of(object, processor_time), row = row_of(object, "_Total");
        cooker_.begin(i == 0 ? nullptr : &samples_.all[i - 1], now);
        const hkpd::CookedValue cooked = cooker_.column(*place, column)[row];
        if (i == 0) {
            EXPECT_EQ(cooked_text(cooked), "- first_sample");
            continue;
        }
        EXPECT_EQ(cooked.reason, Reason::none) << i;
        EXPECT_GE(cooked.value, 0) << i;
        EXPECT_LE(cooked.value, 100) << i;
        // The time that passed without the idle thread, worked by hand
        const hkpd::Sample& before = samples_.all[i - 1];
        const std::uint64_t idle =
            object.columns[column].values[row] - before.objects()[*before.find(processor)].columns[column].values[row];
        EXPECT_NEAR(
            cooked.value,
            100 - 100 * static_cast<double>(idle) / static_cast<double>(now.perf_time_100ns - before.perf_time_100ns),
            1e-9)
            << i;
    }
}

/// Returns whether a sample has a process with a name and an id.
bool has_process(const hkpd::Object& object, std::string_view name, std::uint64_t id) {
    const std::size_t column = column_of(object, id_process);
    for (std::size_t row = 0; row < object.instances.size(); ++row)
        if (object.instances[row].name == name && object.columns[column].values[row] == id) return true;
    return false;
}

/// Returns the reason of a row in the columns that need two samples.
void check_row(hkpd::Cooker& cooker, std::size_t place, const hkpd::Object& now, std::size_t row, bool is_new) {
    for (std::size_t c = 0; c < now.columns.size(); ++c) {
        if (!hkpd::needs_two_samples(now.columns[c].type)) continue;
        const hkpd::CookedValue cooked = cooker.column(place, c)[row];
        if (is_new) {
            EXPECT_EQ(cooked_text(cooked), "- instance_new") << row;
        } else {
            EXPECT_TRUE(cooked.has_value() || cooked.reason == Reason::counter_went_back)
                << now.instances[row].name.value_or("?") << ": " << cooked_text(cooked);
        }
    }
}

TEST_F(WindowsCook, ProcessesAreComparedWithThemselves) {
    std::size_t same = 0, moved = 0, fresh = 0;
    for (std::size_t i = 1; i < samples_.all.size(); ++i) {
        const hkpd::Sample &before = samples_.all[i - 1], &now = samples_.all[i];
        const std::size_t place = now.find(process).value(), place_before = before.find(process).value();
        const hkpd::Object &was = before.objects()[place_before], &is = now.objects()[place];
        cooker_.begin(&before, now);
        ASSERT_EQ(cooker_.matches().object(place), place_before);
        const std::size_t ids = column_of(is, id_process), ids_before = column_of(was, id_process);
        for (std::size_t row = 0; row < is.instances.size(); ++row) {
            const std::uint32_t partner = cooker_.matches().rows(place)[row];
            const std::uint64_t id = is.columns[ids].values[row];
            const std::string_view name = *is.instances[row].name;
            const bool is_new = partner == hkpd::no_index;
            if (is_new) {
                EXPECT_FALSE(has_process(was, name, id)) << name << id;
            } else {
                ASSERT_LT(partner, was.instances.size());
                EXPECT_EQ(was.columns[ids_before].values[partner], id) << i << name;
                EXPECT_EQ(was.instances[partner].name, name) << i;
            }
            check_row(cooker_, place, is, row, is_new);
            ++(is_new ? fresh : partner == row ? same : moved);
        }
    }
    EXPECT_EQ(same, 484U);
    EXPECT_EQ(moved, 14U);
    EXPECT_EQ(fresh, 7U);
}

}  // namespace cook_vista_test
}  // namespace hkpd_test
