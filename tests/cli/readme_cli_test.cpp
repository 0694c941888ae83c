// The README shows what the command really prints: each `$ ...` in it is run, and what follows is compared.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr std::string_view indent = "    ";

struct Shown {
    std::string command, output;
};

/// Indented blocks of the README that begin with `$ `.
std::vector<Shown> shown_commands(const std::filesystem::path& readme) {
    std::vector<Shown> all;
    std::ifstream file(readme);
    bool inside = false;
    std::string blank;  // lines of a block's output may be empty
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("    $ ")) {
            all.push_back({line.substr(6), ""});
            inside = true;
            blank.clear();
        } else if (inside && line.empty()) {
            blank += '\n';
        } else if (inside && line.starts_with(indent)) {
            all.back().output += blank + line.substr(indent.size()) + '\n';
            blank.clear();
        } else {
            inside = false;
        }
    }
    return all;
}

std::string output_of(const std::string& command, const std::filesystem::path& root) {
    const std::string folder = std::filesystem::path(HKPD_COMMAND).parent_path().string();
    const std::string line =
        "cd '" + root.string() + "' && export COLUMNS=100 PATH='" + folder + "':\"$PATH\" && { " + command + "; } 2>&1";
    std::string output;
    FILE* pipe = popen(line.c_str(), "r");  // NOLINT(cert-env33-c): the commands are the README's own
    if (pipe == nullptr) return "no shell";
    std::array<char, 4096> part{};
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) output.append(part.data(), size);
    pclose(pipe);
    return output;
}

TEST(Readme, ShowsWhatIsPrinted) {
    const std::filesystem::path root = std::filesystem::path(HKPD_TESTDATA_DIR).parent_path();
    const std::vector<Shown> all = shown_commands(root / "README.md");
    EXPECT_GE(all.size(), 5U);
    for (const Shown& shown : all) {
        std::string output = output_of(shown.command, root);
        while (output.ends_with("\n\n")) output.pop_back();
        EXPECT_EQ(output, shown.output) << shown.command;
    }
}

}  // namespace
