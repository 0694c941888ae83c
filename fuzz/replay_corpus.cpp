// The plain driver: passes a target each file of the given directories, in a heap buffer of its exact size, so that a
// sanitizer notices a read past the end.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "entry.hpp"

namespace {

bool run(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad()) return false;
    const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[content.size()]);
    std::ranges::copy(content, exact.get());
    LLVMFuzzerTestOneInput(exact.get(), content.size());
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t inputs = 0;
    for (int i = 1; i < argc; ++i)
        for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
            if (!entry.is_regular_file()) continue;
            if (!run(entry.path())) {
                std::fprintf(stderr, "%s: cannot be read\n", entry.path().string().c_str());
                return 1;
            }
            ++inputs;
        }
    std::printf("%zu inputs\n", inputs);
    return inputs == 0;  // a missing corpus tests nothing
}
