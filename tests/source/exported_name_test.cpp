// Names of exported files: what a capture calls its parts may be any text, and the files must be different ones on
// every system.
#include "source/exported_name.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.hpp"
#include "base/text/names.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/export.hpp"
#include "hkpd/record.hpp"
#include "hkpd/source.hpp"
#include "source/v2_files.hpp"
#include "support/mcap_builder.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace exported_name_test {

/// Returns whether Windows takes a file of this name for a device, or cannot keep the name as it is.
bool is_reserved(std::string_view name) {
    const std::string stem = hkpd::fold_case(name.substr(0, name.find('.')));
    static const std::vector<std::string> devices = [] {
        std::vector<std::string> all{"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"};
        for (const char* port : {"com", "lpt"})
            for (int i = 0; i < 10; ++i) all.push_back(port + std::to_string(i));
        return all;
    }();
    return name.empty() || name.ends_with('.') || name.ends_with(' ') || std::ranges::count(devices, stem) != 0 ||
           name.find_first_of("<>:\"/\\|?*") != std::string_view::npos ||
           std::ranges::any_of(name, [](char c) { return c < ' ' || c > '~'; });
}

/// Returns names that are nearly equal, special on some system, or random.
std::vector<std::string> names() {
    std::vector<std::string> all{"A",  "a",  "A.TXT", "a.txt",  "a-2",    "A-2",     "perfc009.dat", "PERFC009.DAT",
                                 "",   ".",  "..",    "CON",    "con",    "nul.txt", "COM1",         "lpt9.dat",
                                 "x.", "x ", "X",     "\u017F", "S",      "s",       "\u212A",       "K",
                                 "k",  "I",  "i",     "\u0130", "\u0131", "\xFF",    "a/B",          "b\\A",
                                 "C:a"};
    std::mt19937 random(1);
    constexpr std::string_view letters = "aAbB._- $\\/:\xC3\x84\xE4";
    while (all.size() < 400) {
        std::string name;
        for (std::size_t left = random() % 5; left != 0; --left) name += letters[random() % letters.size()];
        all.push_back(name);
    }
    return all;
}

TEST(ExportedName, IsNeverSpecialAndHasNoCase) {
    for (const std::string& text : names()) {
        const std::string name = hkpd::exported_name(text);
        EXPECT_FALSE(is_reserved(name)) << name;
        EXPECT_EQ(name, hkpd::fold_case(name));
    }
    hkpd::Record record;
    record.kind = hkpd::Record::Kind::v2_registration;
    for (const std::string_view language : {"", "009", "00C", "00c", "C0A", "c0a", "de-DE", "CON"}) {
        record.language = language;
        const std::string name = hkpd::registration_file_name(record);
        EXPECT_FALSE(is_reserved(name)) << name;
        record.language = "00c";
        if (hkpd::fold_case(language) == record.language) {
            EXPECT_EQ(name, hkpd::registration_file_name(record)) << language;
        }
    }
}

TEST(ExportedName, FilesOfACaptureDifferWithoutRegardToCase) {
    mcap_file::Builder file;
    file.channels.clear();
    unsigned id = 10;
    for (const std::string& name : names()) {
        file.add(mcap_file::channel(id, "titles/" + std::to_string(id), "x-hkpd-titles", {{"name", name}}));
        file.add(mcap_file::message(id++, 1, 1, std::string("1\0\0\0A\0\0\0", 8)));
    }
    const TempFolder folder;
    const std::string out = folder.path("out");
    hkpd::Diagnostics diagnostics;
    const auto exported = hkpd::export_capture(folder.write("names.mcap", file.finish()), out, {}, diagnostics);
    ASSERT_TRUE(exported && exported->failure.empty());
    std::error_code error;
    std::map<std::string, std::string> folded;
    for (const std::string& path : hkpd::files_in(out, error)) {
        const std::string name = path.substr(out.size() + 1);
        EXPECT_FALSE(is_reserved(name)) << name;
        EXPECT_TRUE(folded.emplace(hkpd::fold_case(name), name).second)
            << name << " and " << folded[hkpd::fold_case(name)];
    }
    EXPECT_EQ(folded.size(), names().size() + 1) << "and the manifest";
}

}  // namespace exported_name_test
}  // namespace hkpd_test
