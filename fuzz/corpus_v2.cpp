// Seeds from the simulated machine's V2 countersets.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "corpus.hpp"
#include "hkpd/simulate.hpp"
#include "live/perflib_query.hpp"

namespace hkpd_fuzz {
namespace {

using namespace hkpd;
using ByteList = std::vector<std::byte>;

/// Parts of a query, by the shape of their results.
struct Shape {
    const char* name;
    const char* counterset;
    const char* instances;
    std::uint32_t counter_id;
};
constexpr const char* waves = "{ffeeaadd-c923-4794-b696-70577630b5cf}";
constexpr const char* processors = "{b4fc721a-0378-476f-89ba-a5a79f810b36}";
constexpr Shape shapes[] = {
    {"single-counter", waves, "Small Wave", 1},
    {"multiple-counters", waves, "Large Wave", v2::wildcard_counter},
    {"multiple-instances", waves, "*", 2},
    {"counterset", waves, "*", v2::wildcard_counter},
    {"list-of-none", waves, "absent*", v2::wildcard_counter},
    {"error", waves, "absent", 1},
    {"shared-base", processors, "0,0", v2::wildcard_counter},
    {"base-apart", processors, "*", 27},
};

/// Returns a block as the target expects it: first what goes with it, in two bytes, and the identifiers.
std::string seed(PerfQuery& query, bool registered, bool identified) {
    const ByteList info = query.info();
    std::string out{static_cast<char>((registered ? 1 : 0) | (identified ? 2 : 0)), static_cast<char>(info.size() / 8)};
    if (identified) out.append(reinterpret_cast<const char*>(info.data()), info.size());
    const auto block = query.data().span();
    return out.append(reinterpret_cast<const char*>(block.data()), block.size());
}

bool write_data(const std::filesystem::path& folder, SimulatedMachine& machine) {
    PerfQuery all(machine.perflib());
    bool written = true;
    for (const Shape& shape : shapes) {
        PerfQuery query(machine.perflib());
        query.add(*parse_guid(shape.counterset), shape.instances, shape.counter_id);
        all.add(*parse_guid(shape.counterset), shape.instances, shape.counter_id);
        query.collect();
        written = written && write(folder / shape.name, seed(query, false, false)) &&
                  write(folder / (std::string(shape.name) + "-registered"), seed(query, true, false)) &&
                  write(folder / (std::string(shape.name) + "-identified"), seed(query, true, true));
    }
    all.collect();
    const bool all_written = write(folder / "all", seed(all, true, true));
    PerfQuery empty(machine.perflib());
    empty.collect();
    return written && all_written && write(folder / "empty-query", seed(empty, false, false));
}

bool write_registrations(const std::filesystem::path& folder, SimulatedMachine& machine) {
    bool written = true;
    std::uint32_t status = 0;
    for (std::uint32_t request = 1; request <= std::to_underlying(v2::RegistrationRequest::counter_names_english);
         ++request) {
        const auto answer = registration_info(machine.perflib(), {}, *parse_guid(waves),
                                              static_cast<v2::RegistrationRequest>(request), 1, status);
        written = written && write(folder / ("request-" + std::to_string(request)), answer);
    }
    ByteList identifiers;
    for (const Shape& shape : shapes)
        v2::append_identifier(identifiers, *parse_guid(shape.counterset), shape.instances, shape.counter_id);
    return written && write(folder / "identifiers", identifiers);
}

/// Writes two blocks of the same query, a second apart.
bool write_cook(const std::filesystem::path& folder, SimulatedMachine& machine) {
    bool written = true;
    std::int64_t elapsed = 0;
    for (const Shape& shape : shapes) {
        PerfQuery query(machine.perflib());
        query.add(*parse_guid(shape.counterset), shape.instances, shape.counter_id);
        std::string seed;
        for (int sample = 0; sample < 2; ++sample) {
            machine.advance_to(elapsed += 1'000'000'000);
            query.collect();
            const auto block = query.data().span();
            if (seed.empty()) {
                const std::size_t size = block.size();
                seed = {1, static_cast<char>(size & 0xFF), static_cast<char>(size >> 8U)};
            }
            seed.append(reinterpret_cast<const char*>(block.data()), block.size());
        }
        written = write(folder / (std::string("v2-") + shape.name), seed) && written;
    }
    return written;
}

/// Writes inputs without a prefix.
bool write_maps(const std::filesystem::path& folder, SimulatedMachine& machine) {
    constexpr std::uint32_t processor = 238, system = 2;
    PerfQuery query(machine.perflib());
    for (const Shape& shape : shapes) query.add(*parse_guid(shape.counterset), shape.instances, shape.counter_id);
    query.collect();
    const auto data = query.data().span();
    bool written = write(folder / "v1", machine.v1_block(std::array{processor, system})) &&
                   write(folder / "v2-data", ByteList(data.begin(), data.end())) &&
                   write(folder / "v2-identifiers", query.info());
    std::uint32_t status = 0;
    for (const auto request : {v2::RegistrationRequest::counterset_struct, v2::RegistrationRequest::counter_names})
        written = written && write(folder / ("v2-registration-" + std::to_string(std::to_underlying(request))),
                                   registration_info(machine.perflib(), {}, *parse_guid(waves), request, 0, status));
    return written;
}

}  // namespace

bool write_v2_seeds(const std::filesystem::path& testdata) {
    SimulationOptions small;
    small.cpus = 1;
    SimulatedMachine machine(small);
    const std::filesystem::path corpus = testdata / "corpus";
    const bool written =
        write_data(corpus / "v2_data", machine) && write_registrations(corpus / "v2_registration", machine);
    return written && write_maps(corpus / "map", machine) && write_cook(corpus / "cook", machine);
}

}  // namespace hkpd_fuzz
