// What is kept of the instances of a run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "hkpd/error.hpp"
#include "hkpd/v1.hpp"
#include "identity/twins.hpp"

namespace hkpd::run_instances {

/// Texts that stay where they are. Texts that are added one after the other lie in the same block.
class TextStore {
  public:
    std::string_view add(std::string_view text) {
        if (text.size() > left_) {
            constexpr std::size_t block = 4096;
            const std::size_t size = std::max(block << std::min<std::size_t>(blocks_.size(), 8), text.size());
            blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
            at_ = blocks_.back().get();
            left_ = size;
        }
        char* const begin = at_;
        at_ = std::ranges::copy(text, at_).out;
        left_ -= text.size();
        return {begin, text.size()};
    }

  private:
    std::vector<std::unique_ptr<char[]>> blocks_;  // NOLINT(modernize-avoid-c-arrays): memory of any size
    char* at_ = nullptr;
    std::size_t left_ = 0;
};

/// The ids of an instance, and its place if it has none of the first two.
struct Ids {
    std::uint32_t pid = no_index;
    std::int32_t instance_id = v1::no_unique_id;
    std::uint32_t place = 0;
    std::uint32_t thread = 0;  // its lowest 32 bits: thread ids of Windows have no more
    std::uint64_t start = 0;

    bool operator==(const Ids&) const = default;
    bool any() const noexcept { return pid != no_index || instance_id != v1::no_unique_id; }
    /// Returns the id that is in texts.
    std::int64_t id() const noexcept { return pid != no_index ? std::int64_t{pid} : std::int64_t{instance_id}; }
};

struct Known {
    std::string_view name;
    Ids ids;
    std::uint32_t parent = no_index;  // number of the parent's identity
    std::uint32_t object = 0;         // position in `objects`
    std::uint32_t life : 31 = 1;
    std::uint32_t is_damaged : 1 = 0;  // the name
    std::uint32_t seen = 0;            // number of the last sample with this identity
    std::uint32_t label = no_index;    // position in `labels`; `no_index` until it is indexed
    std::uint32_t earlier = no_index;  // the identity before this one with the same label
};

/// The identities of a run by number. They stay where they are, and take no more memory than they need: a run has one
/// for each instance.
class KnownInstances {
  public:
    std::uint32_t size() const noexcept { return size_; }
    Known& operator[](std::uint32_t number) noexcept { return blocks_[number / block][number % block]; }
    const Known& operator[](std::uint32_t number) const noexcept { return blocks_[number / block][number % block]; }
    /// Adds an identity without a name, whose number is `size()`.
    Known& add() {
        if (size_ % block == 0) blocks_.emplace_back().reserve(block);
        ++size_;
        return blocks_.back().emplace_back();
    }

  private:
    static constexpr std::uint32_t block = 256;

    std::vector<std::vector<Known>> blocks_;
    std::uint32_t size_ = 0;
};

/// An object of a machine and source.
struct KnownObject {
    bool is_v2 = false;
    NameForm form = NameForm::plain;
    bool names_places = false;             // whether names are places `name#n`, as in logs of single counters
    bool is_distinct = false;              // whether all identities certainly have different names or ids
    std::uint32_t first = no_index;        // the first object with this title index; itself if it is the first
    std::uint32_t seen = 0;                // number of the last sample with this object
    std::vector<std::uint32_t> numbers{};  // of the instances in that sample
    std::uint32_t unindexed = 0, unindexed_end = 0;  // range of the identities that are not in `labels` yet
};

}  // namespace hkpd::run_instances
