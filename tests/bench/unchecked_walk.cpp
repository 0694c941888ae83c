#include "unchecked_walk.hpp"

#include <cstring>

#include "support/blob_fields.hpp"

namespace bench {
namespace {

std::uint32_t u32(const std::byte* at) {
    std::uint32_t value = 0;
    std::memcpy(&value, at, sizeof(value));
    return value;
}
std::uint64_t u64(const std::byte* at) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof(value));
    return value;
}

}  // namespace

[[gnu::noinline]] std::uint64_t unchecked_walk(const std::byte* block) {
    using namespace blob;
    std::uint64_t sum = 0;
    const std::byte* object = block + u32(block + data_block::HeaderLength);
    for (std::uint32_t left = u32(block + data_block::NumObjectTypes); left != 0; --left, object += u32(object)) {
        const std::uint32_t counters = u32(object + object_type::NumCounters);
        const auto instances = static_cast<std::int32_t>(u32(object + object_type::NumInstances));
        const std::byte* const definitions = object + u32(object + object_type::HeaderLength);
        const std::byte* at = object + u32(object + object_type::DefinitionLength);
        const std::int32_t blocks = instances < 0 ? 1 : instances;
        for (std::int32_t i = 0; i < blocks; ++i) {
            if (instances >= 0) at += u32(at);  // the definition of the instance
            const std::byte* definition = definitions;
            for (std::uint32_t c = 0; c < counters; ++c, definition += u32(definition)) {
                const std::byte* const value = at + u32(definition + counter_definition::CounterOffset);
                sum += u32(definition + counter_definition::CounterSize) == 8 ? u64(value) : u32(value);
            }
            at += u32(at);
        }
    }
    return sum;
}

}  // namespace bench
