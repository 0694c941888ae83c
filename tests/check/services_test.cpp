// Providers of objects: registry exports of services, made here and from a real list of providers.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "hkpd/check.hpp"
#include "hkpd/diagnostics.hpp"
#include "support/processor_time.hpp"
#include "support/registry_text.hpp"
#include "support/shared_dir.hpp"

namespace hkpd {
namespace services_test {

using hkpd_test::ExactBytes;
using hkpd_test::hex;
using hkpd_test::wide;
using namespace std::string_view_literals;

constexpr std::string_view signature = "Windows Registry Editor Version 5.00\r\n\r\n";

/// Returns the key `[HKEY_LOCAL_MACHINE\SYSTEM\SET\Services\NAME\Performance]` with its values.
std::string key(std::string_view name, std::string_view values, std::string_view set = "CurrentControlSet") {
    return std::string("[HKEY_LOCAL_MACHINE\\SYSTEM\\").append(set).append("\\Services\\").append(name) +
           "\\Performance]\r\n" + std::string(values) + "\r\n";
}

std::string number(std::string_view name, std::uint32_t value) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "\"" + std::string(name) + "\"=dword:";
    for (int shift = 28; shift >= 0; shift -= 4) text += digits[value >> shift & 15];
    return text + "\r\n";
}

std::string range(std::uint32_t first, std::uint32_t last) {
    return number("First Counter", first) + number("Last Counter", last) + number("First Help", first + 1) +
           number("Last Help", last + 1);
}

struct Read {
    Services services;
    Diagnostics diagnostics;

    std::string owner(std::uint32_t index) const {
        const PerformanceService* const service = services.of(index);
        return service == nullptr ? "" : service->name;
    }
    /// Returns severity, code, field and offset of each fault: `warning service_value First Counter 12|`, ...
    std::string faults() const {
        std::string text;
        for (const Diagnostic& found : diagnostics.kept()) {
            EXPECT_EQ(found.error.structure, "service key");
            text.append(severity_name(found.severity)).append(" ").append(code_name(found.error.code)).append(" ");
            text.append(found.error.field).append(" ").append(std::to_string(found.error.offset)).append("|");
        }
        return text;
    }
};

Read read(std::string_view bytes, std::uint64_t base = 0) {
    Read result;
    const ExactBytes exact(bytes);
    auto services = read_services(exact.at(base), result.diagnostics);
    EXPECT_TRUE(services);
    if (services) result.services = std::move(*services);
    return result;
}

TEST(Services, AllValues) {
    const std::string text = std::string(signature) +
                             "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\A]\r\n" +
                             "\"Library\"=\"not this one\"\r\n" +
                             key("Spool x", "\"Library\"=hex(2):" + hex(wide("%SystemRoot%\\a.dll\0"sv)) +
                                                "\r\n\"OPEN\"=\"Open\\\\It\"\r\n\"Collect\"=\"Take\"\r\n"
                                                "\"Close\"=\"Shut\"\r\n\"Object List\"=\" 2 4  86 \"\r\n" +
                                                range(8904, 8916));
    const Read found = read(text, 50);
    EXPECT_EQ(found.faults(), "");
    ASSERT_EQ(found.services.all().size(), 1U);
    const PerformanceService& service = found.services.all()[0];
    EXPECT_EQ(service.name, "Spool x");
    EXPECT_EQ(service.library, "%SystemRoot%\\a.dll");
    EXPECT_EQ(service.open, "Open\\It");
    EXPECT_EQ(service.collect, "Take");
    EXPECT_EQ(service.close, "Shut");
    EXPECT_EQ(service.first_counter, 8904U);
    EXPECT_EQ(service.last_counter, 8916U);
    EXPECT_EQ(service.first_help, 8905U);
    EXPECT_EQ(service.last_help, 8917U);
    EXPECT_EQ(service.object_list, (std::vector<std::uint32_t>{2, 4, 86}));
    EXPECT_FALSE(service.disabled);
    EXPECT_EQ(service.offset, 50 + text.rfind('['));
    EXPECT_EQ(read("\xFF\xFE" + wide(text)).services.all()[0].offset, 2 + 2 * text.rfind('['));
    EXPECT_EQ(read("\xFF\xFE" + wide(text)).services.all()[0].close, "Shut");
}

TEST(Services, ObjectListsGoBeforeRanges) {
    const Read found = read(std::string(signature) + key("wide", range(100, 200)) +
                            key("listed", "\"Object List\"=\"150 4294967295\"\r\n") +
                            key("late", range(4294967290U, 4294967294U)) + key("none", ""));
    EXPECT_EQ(found.faults(), "");
    EXPECT_EQ(found.services.all().size(), 4U);
    EXPECT_EQ(found.owner(99), "");
    EXPECT_EQ(found.owner(100), "wide");
    EXPECT_EQ(found.owner(149), "wide");
    EXPECT_EQ(found.owner(150), "listed");
    EXPECT_EQ(found.owner(200), "wide");
    EXPECT_EQ(found.owner(201), "");
    EXPECT_EQ(found.owner(4294967290U), "late");
    EXPECT_EQ(found.owner(4294967295U), "listed");
    EXPECT_EQ(Services().of(2), nullptr);
}

TEST(Services, ValuesOfTheWrongKind) {
    const std::string text = std::string(signature) + key("a",
                                                          "\"Library\"=dword:00000001\r\n\"First Counter\"=\"100\"\r\n"
                                                          "\"Last Counter\"=dword:zz\r\n\"Object List\"=\"2 x 4\"\r\n"
                                                          "\"Disable Performance Counters\"=\"1\"\r\n");
    const Read found = read(text);
    const auto reported = [&](std::string_view field) {
        const std::string assigned = "\"" + std::string(field) + "\"=";
        return "warning service_value " + std::string(field) + " " +
               std::to_string(text.find(assigned) + assigned.size()) + "|";
    };
    EXPECT_EQ(found.faults(), reported("Library") + reported("First Counter") + reported("Last Counter") +
                                  reported("Object List") + reported("Disable Performance Counters"));
    EXPECT_EQ(found.services.all()[0].library, "");
    EXPECT_EQ(found.owner(2), "a");
    EXPECT_EQ(found.owner(4), "a");
    EXPECT_FALSE(found.services.all()[0].disabled);
}

TEST(Services, InvalidRanges) {
    const std::string keys[] = {key("turned", range(200, 100)), key("half", number("First Counter", 300)),
                                key("help", number("First Help", 7) + number("Last Help", 5))};
    std::string text(signature);
    std::string expected;
    const auto add = [&](std::size_t which, std::string_view fields) {
        for (std::size_t at = 0; at < fields.size(); at = fields.find(',', at) + 1) {
            const std::string_view field = fields.substr(at, fields.find(',', at) - at);
            expected += "warning service_value " + std::string(field) + " " + std::to_string(text.size()) + "|";
        }
        text += keys[which];
    };
    add(0, "First Counter,First Help,");
    add(1, "First Counter,");
    add(2, "First Help,");
    const Read found = read(text);
    EXPECT_EQ(found.faults(), expected);
    EXPECT_EQ(found.owner(150), "");
    EXPECT_EQ(found.owner(300), "");
}

TEST(Services, OverlappingRanges) {
    const std::string first = key("a", range(100, 200)), second = key("b", range(150, 250));
    const std::string third = key("c", range(120, 130)), fourth = key("d", range(252, 260));
    const std::size_t start = signature.size();
    const Read found = read(std::string(signature) + first + second + third + fourth);
    EXPECT_EQ(found.faults(),
              "warning service_overlap First Counter " + std::to_string(start + first.size() + second.size()) +
                  "|warning service_overlap First Counter " + std::to_string(start + first.size()) + "|");
    EXPECT_EQ(found.diagnostics.kept()[1].error.expected, 201U);
    EXPECT_EQ(found.diagnostics.kept()[1].error.found, 150U);
    EXPECT_EQ(found.owner(125), "a");
    EXPECT_EQ(found.owner(200), "a");
    EXPECT_EQ(found.owner(201), "b");
    EXPECT_EQ(found.owner(251), "");
    EXPECT_EQ(found.owner(252), "d");
}

TEST(Services, Disabled) {
    const Read found = read(std::string(signature) + key("on", number("Disable Performance Counters", 0)) +
                            key("off", number("Disable Performance Counters", 4) + "\"Object List\"=\"8\"\r\n"));
    EXPECT_FALSE(found.services.all()[0].disabled);
    EXPECT_TRUE(found.services.all()[1].disabled);
    EXPECT_EQ(found.owner(8), "off");
    EXPECT_EQ(found.faults(), "warning service_disabled Disable Performance Counters " +
                                  std::to_string(signature.size() + key("on", number("x", 0)).size() + 27) + "|");
}

TEST(Services, OneControlSetCounts) {
    const std::string bad = "\"Open\"=dword:00000001\r\n";
    const std::string one = key("one", bad + range(2, 4), "ControlSet001");
    const std::string two = key("two", range(2, 4), "ControlSet002");
    const std::string now = key("now", range(2, 4));
    EXPECT_EQ(read(std::string(signature) + two + one).owner(2), "two");
    EXPECT_EQ(read(std::string(signature) + two + one).faults(), "");
    EXPECT_EQ(read(std::string(signature) + one + two + now).owner(2), "now");
    EXPECT_EQ(read(std::string(signature) + one + two + now).faults(), "");
    EXPECT_EQ(read(std::string(signature) + one + two).owner(2), "one");
    EXPECT_NE(read(std::string(signature) + one + two).faults(), "");
    // A key that occurs twice is one key, as in regedit.
    const Read twice = read(std::string(signature) + key("A", range(2, 4)) + key("a", number("Last Counter", 6)));
    ASSERT_EQ(twice.services.all().size(), 1U);
    EXPECT_EQ(twice.services.all()[0].last_counter, 6U);
    EXPECT_EQ(twice.faults(), "");
}

TEST(Services, OtherKeysAndInputs) {
    EXPECT_TRUE(
        read(std::string(signature) +
             "[HKEY_LOCAL_MACHINE\\SOFTWARE\\X\\Performance]\r\n\"Library\"=\"a\"\r\n"
             "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\A\\Performance\\B]\r\n\"Open\"=\"a\"\r\n"
             "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\A\\Linkage\\Performance]\r\n"
             "[\\Services\\A\\Performance]\r\n[Services\\A\\Performance]\r\n[\\Performance]\r\n[Performance]\r\n"
             "[-HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\A\\Performance]\r\n"
             "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\\\Performance]\r\n")
            .services.all()
            .empty());
    Diagnostics diagnostics;
    const ExactBytes text("1\n1847\n2\nSystem\n"), none("");
    EXPECT_EQ(read_services(text.at(9), diagnostics).error().code, Errc::not_recognised);
    EXPECT_EQ(read_services(text.at(9), diagnostics).error().offset, 9U);
    EXPECT_EQ(read_services(none.at(), diagnostics).error().code, Errc::not_recognised);
    EXPECT_TRUE(diagnostics.kept().empty());
}

TEST(Services, ALargeExportIsReadInLinearTime) {
    std::string text(signature), lists;
    for (int i = 0; i < 100'000; ++i)
        text += "[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\s" + std::to_string(i) +
                "\\Parameters]\r\n\"Open\"=hex(7):31,00,\\\r\n  00,00\r\n\"x\"=\"" + std::string(100, 'y') + "\"\r\n";
    for (std::uint32_t i = 0; i < 20'000; ++i) text += key("p" + std::to_string(i), range(2, 4 + 2 * i));
    for (std::uint32_t i = 0; i < 200'000; ++i) lists += "2 ";
    text += key("lists", "\"Object List\"=\"" + lists + "\"\r\n");
    const hkpd_test::ProcessorTime used;
    const Read found = read(text);
    EXPECT_EQ(found.services.all().size(), 20'001U);
    EXPECT_EQ(found.owner(2), "lists");
    EXPECT_EQ(found.owner(40'002), "p19999");
    // Far more than it takes under a sanitizer, far less than a quadratic algorithm would.
    EXPECT_LT(used.seconds(), 60);
}

TEST(Services, ReadsDamagedExportsToTheEnd) {
    const std::string good = std::string(signature) +
                             key("a", "\"Library\"=\"x\"\r\n\"Object List\"=\"2 4\"\r\n" + range(8, 10)) +
                             key("b", "\"Open\"=hex(2):41,00,\\\r\n  00,00\r\n" + range(12, 14));
    for (std::size_t size = signature.size(); size <= good.size(); ++size) read(good.substr(0, size));
    for (std::size_t at = 64; at < good.size(); ++at) {  // the first 64 bytes determine the encoding
        for (const int byte : {0, 10, 32, 34, 92, 93, 0x80, 0xFF}) {
            std::string bytes = good;
            bytes[at] = static_cast<char>(byte);
            const Read damaged = read(bytes);  // must outlive its diagnostics
            for (const Diagnostic& found : damaged.diagnostics.kept()) EXPECT_LE(found.error.offset, bytes.size());
        }
    }
}

/// The providers of a real machine, in the form of `reg export`.
class RealServices : public hkpd_test::SharedDir {
  protected:
    static std::string export_of(const rapidjson::Document& providers) {
        std::string text(signature);
        for (const rapidjson::Value& provider : providers.GetArray()) {
            std::string values;
            for (const auto& [name, value] : provider["performance"].GetObject()) {
                if (value.IsUint()) values += number(name.GetString(), value.GetUint());
                if (value.IsString())
                    values.append("\"").append(name.GetString()).append("\"=") += quoted(value.GetString());
            }
            text += key(provider["service"].GetString(), values, "ControlSet001");
        }
        return text;
    }

  private:
    static std::string quoted(std::string_view value) {
        std::string text = "\"";
        for (const char c : value) text.append(c == '\\' || c == '"' ? "\\" : "") += c;
        return text + "\"\r\n";
    }
};

TEST_F(RealServices, FindsTheLibraryOfAnObject) {
    std::ifstream file(folder_ / "data/metadata/win10-1709-v1-providers.json", std::ios::binary);
    const std::string json(std::istreambuf_iterator<char>(file), {});
    rapidjson::Document providers;
    providers.Parse(json.data(), json.size());
    ASSERT_TRUE(providers.IsArray());
    const Read found = read("\xFF\xFE" + wide(export_of(providers)));
    EXPECT_EQ(found.faults(), "");
    ASSERT_EQ(found.services.all().size(), 31U);
    const auto library = [&](std::uint32_t index) {
        const PerformanceService* const service = found.services.of(index);
        return service == nullptr ? "" : service->library;
    };
    EXPECT_EQ(library(2), "%SystemRoot%\\System32\\perfos.dll");
    EXPECT_EQ(library(230), "%SystemRoot%\\System32\\perfproc.dll");
    EXPECT_EQ(library(234), "%SystemRoot%\\System32\\perfdisk.dll");
    EXPECT_EQ(library(510), "%SystemRoot%\\System32\\Perfctrs.dll");
    EXPECT_EQ(library(8728), "%systemroot%\\system32\\mscoree.dll");  // by its range: .NETFramework has no object list
    EXPECT_EQ(library(8636), "C:\\Windows\\System32\\bitsperf.dll");
    EXPECT_EQ(found.owner(9100), "TermService");
    EXPECT_EQ(found.owner(6), "");  // a built-in counter
    EXPECT_EQ(found.owner(20000), "");
}

}  // namespace services_test
}  // namespace hkpd
