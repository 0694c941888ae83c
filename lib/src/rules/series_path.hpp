// Counter paths of data sources, compared with the names of series.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/rules.hpp"
#include "hkpd/select.hpp"

namespace hkpd::pal {

/// A counter path whose object and instance are separated for each object that it may name: names contain parentheses
/// too.
class SeriesPath {
  public:
    /// Returns none if the text is no counter path, or is too long.
    static std::optional<SeriesPath> parse(std::string_view path);
    /// Reads a path whose object is a regular expression of the only form that PAL uses, alternatives and any further
    /// characters: `\(MSSQL|SQLServer).*:Databases(*)\Log Growths`. Others are not used, because a regular expression
    /// of another person may take any time. Returns none for them.
    static std::optional<SeriesPath> parse_regular_expression(std::string_view path);

    const Pattern& counter() const noexcept { return counter_; }
    /// Returns whether object, instance and machine match. The counter is not compared.
    bool matches(const RuleSeries& series) const;
    /// Returns whether the object that the series' object replaces matches, with its instance and machine.
    bool matches_original(const RuleSeries& series) const;
    /// Returns whether the object matches, or can match the one that the series' object replaces.
    bool matches_object(const RuleSeries& series) const;
    /// Returns whether an instance is part of the path.
    bool has_instance() const noexcept { return has_instance_; }
    /// Returns the work of `matches` for a series, in compared characters.
    std::uint64_t cost(const RuleSeries& series) const noexcept;

    /// The parts of the path as text, for the names of computed series.
    const std::string& object_text() const noexcept { return object_text_; }

  private:
    explicit SeriesPath(std::string_view counter) : counter_(counter) {}
    void add_object(std::string_view object);

    struct Split {
        Pattern object;
        std::optional<Pattern> instance;
    };
    std::optional<Pattern> machine_;
    Pattern counter_;
    std::vector<Split> splits_;
    std::string object_text_;
    bool has_instance_ = false;
    std::uint64_t stars_ = 1;
};

}  // namespace hkpd::pal
