// The queries that V2 blocks answer: of each machine the one that came last.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

class KeptQueries {
  public:
    struct Query {
        std::vector<std::byte> bytes;
        v2::Identifiers identifiers;  // views of `bytes`

        Query() = default;
        Query(const Query&) = delete;
        Query& operator=(const Query&) = delete;
    };

    explicit KeptQueries(const Limits& limits) noexcept : limits_(limits) {}

    /// Takes the place of the machine's query; empty: it has none from now on. Where it is another, it is opened and
    /// its faults are told. Fails for one that is larger than all queries together may be (`Limits::title_bytes`): the
    /// machine then has none.
    std::expected<void, Error> keep(const Record& identifiers, Diagnostics& diagnostics);

    /// The machine's query; null where it has none. Stays where it is until `keep`.
    const Query* find(std::string_view machine) const noexcept;

  private:
    Limits limits_;
    std::map<std::string, Query, std::less<>> queries_;
    std::size_t size_ = 0;
};

}  // namespace hkpd
