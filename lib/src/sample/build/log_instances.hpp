// The instance lists of counters that a log took of one object.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "blg/blg.hpp"

namespace hkpd {

/// The instances of several lists as one: the same where their names are, the first of a name is the first, and so on.
class LogInstances {
  public:
    /// Where the name of a row stands.
    struct Place {
        std::uint32_t list, position;
    };

    void merge(std::span<const blg::RawInstances> lists) {
        lists_ = lists;
        rows_.clear();
        known_.clear();
        row_of_.assign(lists.size(), {});
        const auto longest = std::ranges::max_element(lists, {}, &blg::RawInstances::size);
        if (longest == lists.end()) return;
        first_ = static_cast<std::uint32_t>(longest - lists.begin());
        for (std::uint32_t i = 0; i < longest->size(); ++i) rows_.push_back({first_, i});
        for (std::uint32_t list = 0; list < lists.size(); ++list)
            if (!same_names(list)) match(list);
    }

    std::span<const Place> rows() const noexcept { return rows_; }
    std::uint32_t row(std::size_t list, std::size_t position) const noexcept {
        return row_of_[list].empty() ? static_cast<std::uint32_t>(position) : row_of_[list][position];
    }

  private:
    std::string_view name(std::uint32_t list, std::size_t position) const noexcept {
        const auto text = lists_[list].name(position);
        if (!text) return {};
        return {reinterpret_cast<const char*>(text->bytes.data()), text->bytes.size()};
    }
    /// Whether the list's instances are the first rows, in their order.
    bool same_names(std::uint32_t list) const noexcept {
        if (list == first_) return true;
        for (std::size_t i = 0; i < lists_[list].size(); ++i)
            if (name(list, i) != name(first_, i)) return false;
        return true;
    }
    /// The rows of a name, and how many of them the list at hand has taken.
    struct Namesakes {
        std::vector<std::uint32_t> rows;
        std::uint32_t list = 0;
        std::size_t taken = 0;
    };
    void match(std::uint32_t list) {
        if (known_.empty())
            for (std::uint32_t i = 0; i < rows_.size(); ++i)
                known_[name(rows_[i].list, rows_[i].position)].rows.push_back(i);
        for (std::uint32_t i = 0; i < lists_[list].size(); ++i) {
            Namesakes& namesakes = known_[name(list, i)];
            if (std::exchange(namesakes.list, list) != list) namesakes.taken = 0;
            if (namesakes.taken == namesakes.rows.size()) {
                namesakes.rows.push_back(static_cast<std::uint32_t>(rows_.size()));
                rows_.push_back({list, i});
            }
            row_of_[list].push_back(namesakes.rows[namesakes.taken++]);
        }
    }

    std::span<const blg::RawInstances> lists_;
    std::vector<Place> rows_;
    std::vector<std::vector<std::uint32_t>> row_of_;  // by list; empty where rows are positions
    std::map<std::string_view, Namesakes> known_;     // of all rows, since a list was not like the first
    std::uint32_t first_ = 0;
};

}  // namespace hkpd
