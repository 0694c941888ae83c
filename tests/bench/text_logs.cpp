#include "text_logs.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace bench {
namespace {

struct LoggedCounter {
    std::string_view name;
    double most = 0;
    bool is_rate = false;  // a number with decimals, and zero while the process is idle
};

constexpr std::array counters{
    LoggedCounter{"% Processor Time", 100, true},
    LoggedCounter{"% User Time", 100, true},
    LoggedCounter{"% Privileged Time", 100, true},
    LoggedCounter{"Virtual Bytes", 5e9},
    LoggedCounter{"Page Faults/sec", 2e4, true},
    LoggedCounter{"Working Set", 4e8},
    LoggedCounter{"Private Bytes", 3e8},
    LoggedCounter{"Thread Count", 200},
    LoggedCounter{"Handle Count", 5000},
    LoggedCounter{"IO Read Operations/sec", 3000, true},
    LoggedCounter{"IO Write Operations/sec", 800, true},
    LoggedCounter{"IO Other Operations/sec", 900, true},
    LoggedCounter{"IO Read Bytes/sec", 8e6, true},
    LoggedCounter{"IO Write Bytes/sec", 2e6, true},
    LoggedCounter{"IO Other Bytes/sec", 5e4, true},
    LoggedCounter{"Elapsed Time", 9e5, true},
};

}  // namespace

std::size_t write_text_log(std::ostream& out, std::size_t columns, std::size_t size) {
    constexpr std::uint64_t idle_of = 3, ended_of = 50, seconds_of_day = 86'400;
    std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): the same log every time
    std::string line = "\"(PDH-CSV 4.0) (Pacific Standard Time)(480)\"";
    for (std::size_t i = 0; i < columns; ++i)
        fmt::format_to(std::back_inserter(line), R"(,"\\SERVER\Process(service{})\{}")", i / counters.size(),
                       counters.at(i % counters.size()).name);
    std::size_t rows = 0, written = 0;
    while (true) {
        line += "\r\n";
        out << line;
        written += line.size();
        if (written >= size) return rows;
        const std::size_t second = rows % seconds_of_day;
        line = fmt::format(R"("11/{:02}/2016 {:02}:{:02}:{:02}.874")", 1 + rows / seconds_of_day % 30, second / 3600,
                           second / 60 % 60, second % 60);
        ++rows;
        bool is_idle = false, has_ended = false;
        for (std::size_t i = 0; i < columns; ++i) {
            const LoggedCounter& counter = counters.at(i % counters.size());
            if (i % counters.size() == 0) {
                is_idle = random() % idle_of == 0;
                has_ended = random() % ended_of == 0;
            }
            const double value = static_cast<double>(random() >> 11U) * 0x1p-53 * counter.most;
            if (has_ended)
                line += ",\" \"";
            else if (counter.is_rate && is_idle)
                line += ",\"0\"";
            else if (counter.is_rate)
                fmt::format_to(std::back_inserter(line), ",\"{:.17g}\"", value);
            else
                fmt::format_to(std::back_inserter(line), ",\"{}\"", static_cast<std::uint64_t>(value));
        }
    }
}

}  // namespace bench
