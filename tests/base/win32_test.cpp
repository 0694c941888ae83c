// Names of Win32 statuses and the advice given for them.
#include "base/win32.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace win32_test {

namespace win32 = hkpd::win32;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::uint32_t known[] = {win32::file_not_found,
                                   win32::access_denied,
                                   win32::invalid_handle,
                                   win32::not_enough_memory,
                                   win32::not_ready,
                                   win32::bad_net_path,
                                   win32::invalid_parameter,
                                   win32::call_not_implemented,
                                   win32::proc_not_found,
                                   win32::lock_failed,
                                   win32::busy,
                                   win32::more_data,
                                   win32::cancelled,
                                   win32::not_found,
                                   win32::wmi_guid_not_found,
                                   win32::wmi_instance_not_found,
                                   win32::wmi_itemid_not_found};

std::string text_of(std::uint32_t status) {
    std::string text;
    win32::append_status(text, status);
    return text;
}

TEST(Win32Status, NumbersAreThoseOfTheHeaders) {
    // winerror.h: ERROR_ACCESS_DENIED, ERROR_MORE_DATA, ERROR_BUSY, ERROR_LOCK_FAILED, ERROR_NOT_READY,
    // ERROR_WMI_GUID_NOT_FOUND.
    EXPECT_EQ(win32::access_denied, 5U);
    EXPECT_EQ(win32::more_data, 234U);
    EXPECT_EQ(win32::busy, 170U);
    EXPECT_EQ(win32::lock_failed, 167U);
    EXPECT_EQ(win32::not_ready, 21U);
    EXPECT_EQ(win32::wmi_guid_not_found, 4200U);
}

TEST(Win32Status, OnlyThreeAreTransient) {
    const std::set<std::uint32_t> passing{win32::busy, win32::lock_failed, win32::not_ready};
    for (const std::uint32_t status : known) EXPECT_EQ(win32::is_passing(status), passing.contains(status)) << status;
    EXPECT_FALSE(win32::is_passing(win32::success));
    EXPECT_FALSE(win32::is_passing(0xFFFF'FFFF));
}

TEST(Win32Status, EachHasANameAndItsNumber) {
    std::set<std::string> texts;
    for (const std::uint32_t status : known) {
        const std::string text = text_of(status), number = "(" + std::to_string(status) + ")";
        EXPECT_THAT(text, HasSubstr(number));
        EXPECT_THAT(text, Not(StartsWith("("))) << "a name comes first";
        EXPECT_TRUE(texts.insert(text.substr(0, text.find(" ("))).second) << text;
        EXPECT_THAT(text, Not(HasSubstr("\n")));
        EXPECT_NE(text.back(), '.');
    }
}

TEST(Win32Status, AppendsToTheText) {
    std::string text = "Global: ";
    win32::append_status(text, win32::access_denied);
    EXPECT_EQ(text, "Global: " + text_of(win32::access_denied));
}

TEST(Win32Status, GivesAdvice) {
    EXPECT_THAT(text_of(win32::access_denied), StartsWith("access denied (5): "));
    EXPECT_THAT(text_of(win32::access_denied), HasSubstr("as administrator"));
    // HKEY_PERFORMANCE_DATA without titles: learn.microsoft.com, "Rebuild performance counter library values".
    EXPECT_THAT(text_of(win32::file_not_found), HasSubstr("lodctr /R"));
    EXPECT_THAT(text_of(win32::access_denied), Not(HasSubstr("lodctr")));
    EXPECT_THAT(text_of(win32::more_data), Not(HasSubstr("lodctr")));
}

TEST(Win32Status, UnknownStatusesAreShownAsNumbers) {
    for (const std::uint32_t status : {12'345U, 0x8000'07D0U, 0xFFFF'FFFFU})
        EXPECT_THAT(text_of(status), HasSubstr(std::to_string(status)));
    EXPECT_NE(text_of(12'345), text_of(12'346));
}

}  // namespace win32_test
