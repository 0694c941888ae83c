#include "answers/verdict_spells.hpp"

#include <cmath>

#include "base/time.hpp"

namespace hkpd {
namespace {

/// Returns whether a spell has enough samples and time for any run.
bool is_long_enough(const Spell& spell) noexcept {
    return spell.samples >= SpellWatch::least_samples && spell.length() >= SpellWatch::least_seconds;
}

}  // namespace

bool UsualInterval::is_gap(double seconds) noexcept {
    constexpr double most = 3, shortest = 1e-6;
    if (!(seconds > 0)) return false;
    bool gap = false;
    std::uint64_t below = 0;
    for (const Range& range : by_size_) {
        below += range.count;
        if (all_ == 0 || 2 * below < all_) continue;
        gap = seconds > most * range.seconds / static_cast<double>(range.count);
        break;
    }
    const double size = std::log2(std::max(seconds / shortest, 1.0));
    Range& range = by_size_[std::min(ranges - 1, static_cast<std::size_t>(size))];
    ++range.count;
    range.seconds += seconds;
    ++all_;
    return gap;
}

void Level::add(double value, double for_seconds, bool low) noexcept {
    if (std::isnan(value)) return;
    sum += value * for_seconds;
    seconds += for_seconds;
    if (!has_value() || (low ? value < worst : value > worst)) worst = value;
}

double Spell::length() const noexcept {
    return (static_cast<double>(to) - static_cast<double>(from)) / nanoseconds_of_second;
}

void SpellWatch::add(std::int64_t time, double seconds, bool after_gap, std::span<const WatchedInstance> instances,
                     std::array<bool, most_levels> low) {
    constexpr std::uint64_t most_beneath = 2, share_beneath = 4;
    beyond_ = std::ranges::any_of(instances, &WatchedInstance::beyond);
    last_seconds_ = seconds;
    if (open_ && after_gap) end_spell();
    if (!instances.empty()) {
        ++samples_;
        seconds_ += seconds;
    }
    if (!beyond_) {
        if (!open_) return;
        ++beneath_;
        if (++beneath_in_a_row_ > most_beneath || beneath_ * share_beneath > now_.samples) end_spell();
        return;
    }
    seconds_beyond_ += seconds;
    if (!open_) {
        now_.from = after_gap ? time : moved_time(time, -nanoseconds_of(seconds));
        open_ = true;
    }
    now_.to = time;
    ++now_.samples;
    now_.seconds += seconds;
    beneath_in_a_row_ = 0;
    for (const WatchedInstance& each : instances) {
        if (!each.beyond) continue;
        auto found = now_.instances.find(each.name);
        if (found == now_.instances.end()) {
            if (now_.instances.size() >= most_instances) continue;
            found = now_.instances.emplace(std::string(each.name), InstanceLevels{}).first;
        }
        found->second.seconds += seconds;
        ++found->second.samples;
        for (std::size_t i = 0; i < most_levels; ++i) found->second.levels[i].add(each.values[i], seconds, low[i]);
    }
}

void SpellWatch::add_use(std::size_t process, double value) {
    if (!beyond_ || std::isnan(value)) return;
    if (now_.uses.size() <= process) now_.uses.resize(process + 1);
    now_.uses[process] += value * last_seconds_;
}

void SpellWatch::end_spell() {
    if (is_long_enough(now_)) ++spells_;
    if (now_.seconds > longest_.seconds || longest_.samples == 0) std::swap(longest_, now_);
    now_.samples = 0;
    now_.seconds = 0;
    now_.instances.clear();
    now_.uses.clear();
    open_ = false;
    beneath_ = beneath_in_a_row_ = 0;
}

void SpellWatch::finish() {
    if (open_) end_spell();
    beyond_ = false;
}

bool SpellWatch::is_sustained(double least_run_share, double run_seconds) const noexcept {
    return is_long_enough(longest_) && longest_.seconds >= std::min(always_enough, least_run_share * run_seconds);
}

}  // namespace hkpd
