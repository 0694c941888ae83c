#include "support/shared_dir.hpp"

#include <cstdlib>
#include <fstream>
#include <random>
#include <system_error>

#include "support/places.hpp"
#include "support/vista_log.hpp"
#include "support/windows10_log.hpp"

namespace hkpd_test {
namespace shared_dir_files {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

void make_files(const fs::path& data) {
    write(data / "blg/vista-2007-wildcards.blg", vista_log());
    write(data / "titles/vista-2007-counter-009.multisz", vista_titles());
    for (const auto& [name, blob] : vista_blobs()) write(data / "v1/vista-2007" / name, blob);
    write(data / "blg/win10-14393-counters.blg", made_windows10_log());
    write(data / "csv/win10-14393-counters.csv", windows10_text_log(','));
    write(data / "csv/win10-14393-counters.tsv", windows10_text_log('\t'));
    write(data / "vectors/pdh-cooked.json", windows10_vectors());
}

/// Makes the files once for all tests of a build: under another name first, as tests run side by side.
fs::path made_folder() {
    const fs::path made = made_data_folder;
    if (fs::exists(made)) return made;
    fs::path part = made;
    part += "-" + std::to_string(std::random_device()());
    make_files(part / "data");
    std::error_code another_test_was_first;
    fs::rename(part, made, another_test_was_first);
    if (another_test_was_first) fs::remove_all(part);
    return made;
}

bool is_required() {
    const char* const required = std::getenv("HKPD_REQUIRE_SHARED");
    return required != nullptr && std::string_view(required) == "1";
}

/// Expects the name of the current test's suite, without the name of a parametrised one, to begin with a word.
void expect_suite_name(std::string_view word) {
    const std::string_view suite = testing::UnitTest::GetInstance()->current_test_info()->test_suite_name();
    EXPECT_TRUE(suite.substr(suite.find('/') + 1).starts_with(word)) << suite << ": ctest would not label it";
}

}  // namespace shared_dir_files

using namespace shared_dir_files;

fs::path shared_folder() {
    const char* const folder = std::getenv("HKPD_SHARED_DIR");
    return folder != nullptr && *folder != '\0' ? folder : built_shared_folder;
}

fs::path windows_folder() {
    if (fs::exists(shared_folder())) return shared_folder();
    if (is_required()) ADD_FAILURE() << shared_folder() << " is missing";
    return made_folder();
}

void SharedDir::SetUp() {
    expect_suite_name("Real");
    if (fs::exists(folder_)) return;
    if (is_required()) FAIL() << folder_ << " is missing";
    GTEST_SKIP() << "needs the real data of ../shared";
}

void WindowsData::SetUp() { expect_suite_name("Windows"); }

}  // namespace hkpd_test
