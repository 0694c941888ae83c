// instructions WHAT COUNT: does one thing to the small machine COUNT times, for callgrind to count.
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string_view>

#include "inputs.hpp"
#include "walk.hpp"

int main(int count, char** words) {
    const std::span arguments(words, static_cast<std::size_t>(count));
    const std::string_view what = count == 3 ? arguments[1] : "", times = count == 3 ? arguments[2] : "";
    std::uint32_t left = 0;
    std::from_chars(times.data(), times.data() + times.size(), left);
    const bench::Input& input = bench::small_machine();
    bench::OpenBlock open;
    bench::Building building(nullptr);
    hkpd::Sample sample;
    std::uint64_t sum = 1;
    if (what == "open_walk") {
        for (; left != 0; --left) sum += open_and_walk(open, input.bytes());
    } else if (what == "build") {
        for (; left != 0; --left) building.build(sample, input.bytes());
    } else if (what == "values") {
        std::cout << input.values << '\n';
    } else {
        std::cerr << "usage: instructions open_walk|build|values COUNT\n";
        return 2;
    }
    return sum == 0 ? 1 : 0;
}
