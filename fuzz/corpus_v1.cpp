// Seeds that are V1 blocks: those of the tests, those of odd producers, and the first blocks of the captures.
#include <fstream>
#include <iterator>
#include <string>

#include "corpus.hpp"
#include "support/blob_quirks.hpp"
#include "support/demo_machine.hpp"
#include "support/mutation_blobs.hpp"

namespace hkpd_fuzz {
namespace {

std::string text_of(const blob::Blob& blob) {
    return {reinterpret_cast<const char*>(blob.bytes().data()), blob.size()};
}

struct Seed {
    const char* name;
    std::string block;
};

/// Every kind of structure, each as small as possible.
std::vector<Seed> blocks() {
    using namespace blob::counter_type;
    const blob::Block lists = hkpd_test::instances_with_parents();
    const blob::Block lone{.objects = {{.title = 2, .counters = {{.title = 4}}, .values = {7}}}};
    const blob::Block processors{.objects = {demo::processor_object(0)}};
    blob::Block overlapping{.objects = {{.title = 2, .kind = blob::Kind::multi}}};
    for (std::uint32_t c = 0; c < 40; ++c) overlapping.objects[0].counters.push_back({.title = c, .offset = 4});
    for (std::uint32_t i = 0; i < 40; ++i) overlapping.objects[0].instances.push_back({u"i", {1}});
    return {{"lone", text_of(blob::build(lone))},
            {"empty", text_of(blob::build({}))},
            {"nameless", text_of(blob::build({.objects = lone.objects, .machine = u""}))},
            {"single-instances", text_of(blob::build(hkpd_test::single_instances()))},
            {"instances-with-parents", text_of(blob::build(lists))},
            {"big-endian-text", text_of(blob::build(hkpd_test::big_endian_text()))},
            {"processors", text_of(blob::build(processors))},
            {"overlapping", text_of(blob::build(overlapping))},
            {"samba-like", text_of(blob::samba_like(lone))},
            {"wine-like", text_of(blob::wine_like(lone))},
            {"xp-like", text_of(blob::xp_like(processors, 0, demo::processors, 64))}};
}

/// Returns the same object at two seconds, with every type that the machine has.
std::string two_samples(blob::Object (*object)(std::uint64_t)) {
    std::string seed(1, '\0');
    for (const std::uint64_t second : {0U, 2U}) {
        blob::Block block = demo::machine(second);
        block.objects.clear();
        block.objects.push_back(object(second));
        seed += text_of(blob::build(block));
    }
    return seed;
}

/// Returns every counter type, each followed by its base, at two times.
std::string all_types() {
    static constexpr std::uint32_t types[] = {
        0x00000000, 0x00000100, 0x00010000, 0x00010100, 0x00400400, 0x00400500, 0x00410400, 0x00450400, 0x00450500,
        0x00550500, 0x00650500, 0x10410400, 0x10410500, 0x20020400, 0x40030403, 0x20020500, 0x40030500, 0x20410500,
        0x20470500, 0x40030500, 0x20510500, 0x20570500, 0x40030500, 0x20610500, 0x20670500, 0x40030500, 0x20C20400,
        0x40030401, 0x21410500, 0x21510500, 0x22410500, 0x42030500, 0x22510500, 0x42030500, 0x23410500, 0x42030500,
        0x23510500, 0x42030500, 0x30020400, 0x40030402, 0x30240500, 0x40020500, 0x40030402, 0x80000000, 0x00012000};
    std::string seed(1, '\0');
    for (std::uint64_t moment = 1; moment <= 2; ++moment) {
        blob::Object object{
            .title = 2, .perf_time = static_cast<std::int64_t>(moment * 10'000'000), .perf_freq = 10'000'000};
        for (const std::uint32_t type : types) {
            object.counters.push_back({.title = 4, .type = type, .size = (type & 0x300U) == 0x100U ? 8U : 4U});
            object.values.emplace_back(moment * 1000 + object.counters.size());
        }
        seed += text_of(blob::build({.objects = {object},
                                     .perf_time = static_cast<std::int64_t>(moment * 10'000'000),
                                     .perf_freq = 10'000'000,
                                     .perf_time_100ns = static_cast<std::int64_t>(moment * 10'000'000)}));
    }
    return seed;
}

}  // namespace

bool write_v1_seeds(const std::filesystem::path& testdata) {
    const std::filesystem::path corpus = testdata / "corpus";
    bool written = true;
    for (const Seed& seed : blocks())
        for (const char* target : {"v1_block", "v1_differential"})
            written = write(corpus / target / seed.name, seed.block) && written;
    for (const char* name : {"big-endian", "text-and-bytes", "damaged"}) {
        std::ifstream file(testdata / "captures" / (std::string(name) + ".bin"), std::ios::binary);
        const std::string block{std::istreambuf_iterator<char>(file), {}};
        for (const char* target : {"v1_block", "v1_differential"})
            written = write(corpus / target / name, block) && written;
        written = write(corpus / "check" / name, '\2' + block) && written;
    }
    return written && write(corpus / "cook" / "processor", two_samples(demo::processor_object)) &&
           write(corpus / "cook" / "memory", two_samples(demo::memory_object)) &&
           write(corpus / "cook" / "all-types", all_types());
}

}  // namespace hkpd_fuzz
