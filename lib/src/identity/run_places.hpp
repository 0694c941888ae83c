// The places of a run: what Windows' text logs name, and what may be one instance after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hkpd/identity.hpp"

namespace hkpd {

/// Assigns numbers to the places `[parent/]name#n` of each object over a run. Over time, one place can have several
/// instances: if a process ends, those of its name after it move up by one.
class RunPlaces {
  public:
    /// `most`: maximum number of places. `name_bytes`: maximum number of bytes of their texts.
    RunPlaces(std::uint64_t most, std::uint64_t name_bytes) : most_(most), bytes_left_(name_bytes) {}

    /// Returns the number of the place of each instance of an object; `no_index` beyond a limit. Valid until the next
    /// call.
    const std::vector<std::uint32_t>& numbers(const Sample& sample, std::size_t object);
    /// Returns the text of a place, as in counter paths; empty for an object without a list of instances.
    std::string_view text(std::uint32_t number) const noexcept { return places_[number].text; }
    /// Returns whether a place has had several processes, or other instances that ids distinguish.
    bool is_shared(std::uint32_t number) const noexcept { return places_[number].shared; }
    bool overflowed() const noexcept { return overflowed_; }
    /// Makes the next samples those of another pass over the same run.
    void restart() noexcept { objects_.clear(); }

  private:
    struct Place {
        std::string text;
        std::uint32_t identity;  // the one of the latest sample with this place
        bool shared = false;
    };
    /// The instances of an object in its last sample. As long as identities stay where they are, so do places.
    struct Last {
        std::vector<std::uint32_t> identities, places, numbers;
        bool parents = false;  ///< whether any instance states a parent
    };
    std::uint32_t find(std::uint32_t object, const Sample& sample, const Instance& instance, std::uint32_t place,
                       std::uint32_t identity);

    std::uint64_t most_, bytes_left_;
    bool overflowed_ = false;
    std::unordered_map<std::uint32_t, Last> objects_;
    std::unordered_map<std::string, std::uint32_t> by_text_;  // object and folded text → number
    std::vector<Place> places_;
};

}  // namespace hkpd
