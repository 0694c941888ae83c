// cooked_values PATH FILE...: what PerfMon would show of a counter path such as '\Processor(*)\% Processor Time'.
#include <cstdio>
#include <string>
#include <vector>

#include "source/replay.hpp"
#include "hkpd/select.hpp"

int main(int argc, char** argv) {
    const auto path = hkpd::CounterPath::parse(argc > 1 ? argv[1] : "");
    if (!path || argc < 3) return 2;
    hkpd::Filter filter;
    filter.want_path(*path);

    hkpd::Titles titles;
    titles.add(hkpd::builtin_titles());
    hkpd::Diagnostics diagnostics;
    const auto source = hkpd::open_files({argv + 2, argv + argc}, {});
    hkpd::SampleReader reader(*source, &titles, {});
    reader.take_titles(titles);  // those that a capture or a log brings along
    hkpd::Replay replay(reader, {});
    std::vector<hkpd::Selected> selected;
    while (replay.next(diagnostics)) {
        filter.select(replay.sample(), selected);
        for (const hkpd::Selected& part : selected)
            for (const std::uint32_t column : part.columns)
                for (const std::uint32_t row : part.rows) {
                    const hkpd::CookedValue cooked = replay.cooker().column(part.object, column)[row];
                    const std::string instance(replay.sample().objects()[part.object].instances[row].name.value_or(""));
                    if (cooked.has_value())
                        std::printf("%s %g\n", instance.c_str(), cooked.value);
                    else
                        std::printf("%s %s\n", instance.c_str(), std::string(hkpd::reason_name(cooked.reason)).c_str());
                }
    }
    return diagnostics.any_fault() ? 1 : 0;
}
