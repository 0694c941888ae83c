// Prints % Processor Time of each processor ten times. On Windows, the values come from PerfLib, once a second. On
// other systems, or with --simulate, the values come from a simulated machine, and there is no wait between them.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>

#include "hkpd/live.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/simulate.hpp"
#include "hkpd/source.hpp"

using namespace hkpd;

int main(int argc, char** argv) {
    static const std::atomic<bool> stop = false;
    const bool simulated = argc > 1 && std::strcmp(argv[1], "--simulate") == 0;
    const LiveQuery query{.v1 = false, .v2 = true, .objects = {"{b4fc721a-0378-476f-89ba-a5a79f810b36}"}};
    const Schedule schedule{.count = 11};  // each rate is computed from two samples, so 11 samples give 10 rates
    std::string missing;
    const std::shared_ptr<PerfLib> perflib = simulated ? nullptr : system_perflib({}, missing);

    Reader reader(perflib && missing.empty() ? open_live({.name = "this machine", .perflib = perflib}, query,
                                                         steady_ticks(schedule, steady_clock(stop)))
                                             : simulate({}, query, std::chrono::seconds(1), immediate_ticks(schedule)));
    while (reader.next()) {
        if (reader.number() == 0 || reader.sample().objects().empty()) continue;
        const Object& processors = reader.sample().objects().front();
        const CookedColumn processor_time = reader.cooked(processors, processors.columns.front());
        for (std::size_t row = 0; row < processors.instances.size(); ++row)
            fmt::print("{}={:.2f} ", processors.instances[row].name.value_or("?"), processor_time[row].value);
        fmt::print("\n");
    }
    return reader.number() == 10 ? 0 : 1;
}
