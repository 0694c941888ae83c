// English names of objects and counters whose titles are in another language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/names.hpp"

namespace hkpd {

/// Finds English names through title indices, as PdhAddEnglishCounter does. The index of an object or counter is in the
/// input, except for raw counters of logs. Their index is that of their text in the titles.
class EnglishNames {
  public:
    /// Keeps a reference to the titles.
    explicit EnglishNames(const Titles& titles) : titles_(titles) {}

    /// Takes notice of title tables that were added, and returns whether any table is not English. If none is, all
    /// names are English already, and `find` need not be called.
    bool update();

    /// Fills `names` with the English names of an object or counter. They are those of the English tables and, for an
    /// index that none of these has, of the built-in titles. `index`: its title index; none if the input
    /// states only its name. `machine`: machine of the sample. A name that is English itself is its own English name.
    void find(const std::optional<Titles::Answer>& name, std::optional<std::uint32_t> index, std::string_view machine,
              std::vector<std::string_view>& names) const;

  private:
    bool is_english(std::uint32_t table) const noexcept;
    void add(std::uint32_t index, std::string_view machine, std::vector<std::string_view>& names) const;

    const Titles& titles_;
    std::size_t tables_ = 0;  // number of tables that were taken notice of
    bool any_local_ = false;
    std::set<const void*> known_;                                             // addresses of the titles in `indices_`
    std::map<std::string, std::vector<std::uint32_t>, std::less<>> indices_;  // by the folded text of local titles
};

}  // namespace hkpd
