// The columns of a text log: counters of instances, gathered over a whole run before the first line can be written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hkpd/sample.hpp"
#include "sample/identity.hpp"
#include "write/pdh/series.hpp"

namespace hkpd {

class PdhColumns final : public ValuePlaces {
  public:
    explicit PdhColumns(std::uint64_t most) : most_(most) {}

    std::uint32_t counter(const Sample& sample, const Object& object, const Column& column,
                          std::uint32_t ordinal) override;
    /// None has a place before `fix`. Remembers what was asked for.
    std::uint32_t place(std::uint32_t counter, std::uint32_t identity) override;

    /// From now on all that was asked for has its place, and nothing else will get one. By machine and object, of those
    /// by counter, of those by instance; each in the order in which they came first. Appends the heads of the columns,
    /// each behind a separator.
    void fix(const Identities& identities, char separator, std::string& out);
    bool fixed() const noexcept { return fixed_; }

    /// How many have a place.
    std::size_t size() const noexcept { return size_; }
    /// How many came when they had all been fixed.
    std::uint64_t dropped() const noexcept { return dropped_; }
    /// Whether there were more than can be remembered.
    bool overflowed() const noexcept { return overflowed_; }

  private:
    /// Tables may learn a name later in the run.
    struct Title {
        std::string key, name;  ///< `238`, `Processor`

        void learn(const std::optional<Titles::Answer>& answer);
        const std::string& text() const noexcept { return name.empty() ? key : name; }
    };
    struct Group {
        std::string machine;
        Title object;
        bool is_list;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counters;  // by title and ordinal
    };
    struct Counter {
        std::uint32_t group;
        Title title;
    };
    std::uint32_t group(const Sample& sample, const Object& object);
    bool has_room(std::size_t count) noexcept;

    std::uint64_t most_, dropped_ = 0;
    std::size_t size_ = 0;
    bool fixed_ = false, overflowed_ = false;
    std::vector<Group> groups_;
    std::vector<Counter> counters_;
    std::map<std::string, std::map<std::uint32_t, std::uint32_t>, std::less<>> machines_;  // machine → object → group
    std::unordered_map<std::uint64_t, std::uint32_t> places_;                              // counter and identity
};

}  // namespace hkpd
