// columns FILE ROUNDS: reads a file as columns, and adds up all raw and all cooked values. Prints the processor time of
// the fastest round in milliseconds, the sums and the number of values. What the programs in other languages, which
// get the columns through the C interface, are compared with.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string_view>

#include "hkpd/reader.hpp"

namespace {

struct Sums {
    std::uint64_t raw = 0;
    double cooked = 0;
    std::size_t values = 0;
};

Sums add_up(const char* path) {
    Sums sums;
    auto reader = hkpd::Reader::open({path});
    while (reader && reader->next())
        for (const hkpd::Object& object : reader->sample().objects())
            for (const hkpd::Column& column : object.columns) {
                for (const std::uint64_t value : column.values) sums.raw += value;
                double cooked = 0;
                for (const double value : reader->cooked(object, column).values)
                    if (value == value) cooked += value;  // not NaN
                sums.cooked += cooked;
                sums.values += column.values.size();
            }
    return sums;
}

double processor_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace

int main(int count, char** words) {
    const std::string_view text = count == 3 ? words[2] : "";
    int rounds = 0;
    std::from_chars(text.data(), text.data() + text.size(), rounds);
    if (rounds < 1) {
        std::fputs("usage: columns FILE ROUNDS\n", stderr);
        return 2;
    }
    Sums sums;
    double fastest = std::numeric_limits<double>::infinity();
    for (int round = 0; round < rounds; ++round) {
        const double before = processor_milliseconds();
        sums = add_up(words[1]);
        fastest = std::min(fastest, processor_milliseconds() - before);
    }
    std::printf("%.3f %llu %.17g %zu\n", fastest, static_cast<unsigned long long>(sums.raw), sums.cooked, sums.values);
}
