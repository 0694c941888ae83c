#include "simulate/devices.hpp"

namespace hkpd::simulation {

Disk::Disk(std::uint64_t seed, std::string_view name, const MachineClock& clock) noexcept
    : name_(name),
      seed_(seed),
      operations_(mix(seed, 1)),
      effort_(mix(seed, 2)),
      reading_(percent(pick(mix(seed, 3), 8, 20))),
      writing_(percent(pick(mix(seed, 4), 4, 12))),
      reads_(pick(mix(seed, 5), 20'000, 60'000)),
      writes_(pick(mix(seed, 6), 10'000, 40'000)),
      wrapped_(clock.wrapped()),
      operations_wrapped_(operations_.at(wrapped_)) {}

DiskState Disk::at(Ticks now) const noexcept {
    const Ticks operations = operations_.at(now), recent = operations - operations_wrapped_;
    // Half of the work is proportional to the number of operations and half is not, so that averages per operation
    // vary.
    const Ticks work = operations / 2 + effort_.at(now) / 2;
    constexpr std::uint64_t bytes_of_read = 26'624, bytes_of_write = 14'336;
    DiskState state{.reads = count(reads_, recent),
                    .writes = count(writes_, recent),
                    .splits = count(writes_ / 20, recent),
                    .read_bytes = count(reads_, work) * bytes_of_read,
                    .write_bytes = count(writes_, work) * bytes_of_write,
                    .reading = part(work, reading_),
                    .writing = part(work, writing_)};
    state.idle = now - state.reading - state.writing;
    const std::uint64_t random = mix(seed_, 7, now / tick_second);
    state.queue = static_cast<std::uint32_t>(random % 4 == 0 ? 1 + (random >> 32) % 3 : 0);
    return state;
}

Adapter::Adapter(std::uint64_t seed, std::string_view name, std::uint64_t bandwidth) noexcept
    : name_(name),
      bandwidth_(bandwidth),
      receiving_(mix(seed, 1)),
      sending_(mix(seed, 2)),
      packets_in_(pick(mix(seed, 3), 80'000, 900'000)),
      packets_out_(pick(mix(seed, 4), 60'000, 500'000)),
      size_in_(pick(mix(seed, 5), 300, 1'100)),
      size_out_(pick(mix(seed, 6), 120, 700)) {}

AdapterState Adapter::at(Ticks now) const noexcept {
    // Some traffic in each direction is a reply to traffic in the other direction.
    const Ticks in = receiving_.at(now), out = sending_.at(now);
    const Ticks received = in / 4 * 3 + out / 4, sent = out / 4 * 3 + in / 4;
    return {.received_bytes = count(packets_in_, received) * size_in_,
            .received_unicast = count(packets_in_ - packets_in_ / 16, received),
            .received_other = count(packets_in_ / 16, received),
            .sent_bytes = count(packets_out_, sent) * size_out_,
            .sent_unicast = count(packets_out_ - packets_out_ / 64, sent),
            .sent_other = count(packets_out_ / 64, sent),
            .discarded = count(packets_in_ / 200'000, received)};
}

}  // namespace hkpd::simulation
