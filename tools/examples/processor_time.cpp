// % Processor Time of each processor, once a second, ten times: over PerfLib on Windows, elsewhere (or with --simulate)
// over a simulated machine, whose seconds pass at once.
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "hkpd/cook.hpp"
#include "live/perflib_query.hpp"
#include "sample/build/v2_builder.hpp"
#include "hkpd/simulate.hpp"

using namespace hkpd;

int main(int argc, char** argv) {
    const Guid processor_information = *parse_guid("{b4fc721a-0378-476f-89ba-a5a79f810b36}");
    const std::uint32_t processor_time = 0;
    const bool simulated = argc > 1 && std::strcmp(argv[1], "--simulate") == 0;
    std::string missing;
    std::unique_ptr<PerfLib> real = simulated ? nullptr : system_perflib({}, missing);
    if (!missing.empty()) real = nullptr;
    SimulatedMachine machine({});
    PerfLib& perflib = real ? *real : machine.perflib();

    Diagnostics diagnostics;
    Countersets countersets;
    std::uint32_t status = 0;
    using enum v2::RegistrationRequest;
    for (const auto request : {counterset_struct, counter_names_english}) {
        const auto answer = registration_info(perflib, {}, processor_information, request, 0, status);
        countersets.add({processor_information, request, {}, {}, {}, Bytes(answer)}, {}, diagnostics);
    }
    PerfQuery query(perflib);
    if ((status = query.add(processor_information, "*", processor_time)) != win32::success) {
        fmt::print(stderr, "Processor Information: error {}\n", status);
        return 1;
    }
    const auto info = query.info();
    v2::Identifiers identifiers;
    identifiers.open(Bytes(info), diagnostics);

    CountersetSampleBuilder builder(countersets, {});
    v2::DataBlock block;
    Sample samples[2];
    Cooker cooker({});
    for (int second = 0; second <= 10; ++second) {
        if (real && second != 0) std::this_thread::sleep_for(std::chrono::seconds(1));
        machine.advance_to(second * 1'000'000'000LL);
        if (query.collect(diagnostics) != win32::success || !block.open(query.data(), diagnostics)) return 1;
        Sample& now = samples[second % 2];
        builder.build(now, block, &identifiers, {}, diagnostics);
        cooker.begin(second == 0 ? nullptr : &samples[1 - second % 2], now);
        if (second == 0 || now.objects().empty()) continue;
        const auto& instances = now.objects()[0].instances;
        for (std::size_t row = 0; row < instances.size(); ++row)
            fmt::print("{}={:.2f} ", instances[row].name.value_or("?"), cooker.column(0, 0)[row].value);
        fmt::print("\n");
    }
}
