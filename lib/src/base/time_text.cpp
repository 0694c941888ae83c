#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/text/parse_number.hpp"
#include "hkpd/time.hpp"

namespace hkpd {
namespace {

using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_days;

char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// Takes text from the front, piece by piece.
class Scanner {
  public:
    explicit Scanner(std::string_view text) noexcept : left_(text) {}

    bool done() const noexcept { return left_.empty(); }

    /// Takes a word if it comes next, whatever its case.
    bool take(std::string_view word) noexcept {
        if (left_.size() < word.size()) return false;
        for (std::size_t i = 0; i < word.size(); ++i)
            if (upper(left_[i]) != upper(word[i])) return false;
        left_.remove_prefix(word.size());
        return true;
    }

    /// Takes a number of so many digits, if it is no more than `largest`.
    std::optional<std::int64_t> number(std::size_t least, std::size_t most, std::int64_t largest) noexcept {
        std::size_t count = 0;
        std::int64_t value = 0;
        for (; count < most && count < left_.size() && left_[count] >= '0' && left_[count] <= '9'; ++count)
            value = value * 10 + (left_[count] - '0');
        if (count < least || value > largest) return std::nullopt;
        left_.remove_prefix(count);
        return value;
    }

    /// Takes `.5` as nanoseconds; 0 where no point comes next.
    std::optional<nanoseconds> fraction() noexcept {
        if (!take(".")) return nanoseconds{0};
        const std::size_t before = left_.size();
        auto value = number(1, 9, 999'999'999);
        if (!value) return std::nullopt;
        for (std::size_t digits = before - left_.size(); digits < 9; ++digits) *value *= 10;
        return nanoseconds{*value};
    }

  private:
    std::string_view left_;
};

/// A point in time in two parts: 64 bits of nanoseconds do not hold every year.
struct ReadMoment {
    seconds whole{};
    nanoseconds fraction{};

    std::optional<std::int64_t> unix_time() const noexcept {
        constexpr seconds most{9'223'372'035};
        if (whole > most || whole < -most) return std::nullopt;
        return (nanoseconds{whole} + fraction).count();
    }
};

std::optional<sys_days> calendar_day(std::int64_t year, std::int64_t month, std::int64_t day) noexcept {
    const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(year)},
                                           std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    return date.ok() ? std::optional(sys_days{date}) : std::nullopt;
}

/// `2024-05-14`
std::optional<sys_days> iso_date(Scanner& scanner) noexcept {
    const auto year = scanner.number(4, 4, 9999);
    if (!year || !scanner.take("-")) return std::nullopt;
    const auto month = scanner.number(2, 2, 12);
    if (!month || !scanner.take("-")) return std::nullopt;
    const auto day = scanner.number(2, 2, 31);
    return day ? calendar_day(*year, *month, *day) : std::nullopt;
}

/// `5/14/2024`
std::optional<sys_days> us_date(Scanner& scanner) noexcept {
    const auto month = scanner.number(1, 2, 12);
    if (!month || !scanner.take("/")) return std::nullopt;
    const auto day = scanner.number(1, 2, 31);
    if (!day || !scanner.take("/")) return std::nullopt;
    const auto year = scanner.number(4, 4, 9999);
    return year ? calendar_day(*year, *month, *day) : std::nullopt;
}

/// Time since midnight of `09:30:02.500`; with `may_end` also of `09:30`.
std::optional<ReadMoment> time_of_day(Scanner& scanner, std::size_t hour_digits, bool may_end) noexcept {
    const auto hour = scanner.number(hour_digits, 2, 23);
    if (!hour || !scanner.take(":")) return std::nullopt;
    const auto minute = scanner.number(2, 2, 59);
    if (!minute) return std::nullopt;
    const seconds time = std::chrono::hours{*hour} + minutes{*minute};
    if (!scanner.take(":")) return may_end ? std::optional(ReadMoment{time}) : std::nullopt;
    const auto second = scanner.number(2, 2, 59);
    if (!second) return std::nullopt;
    const auto fraction = scanner.fraction();
    return fraction ? std::optional(ReadMoment{time + seconds{*second}, *fraction}) : std::nullopt;
}

/// What stands behind a time, as UTC - local: `Z`, `+02:00`, `+0200`, `+02`, or nothing for a local time.
std::optional<minutes> zone(Scanner& scanner, minutes local) noexcept {
    if (scanner.done()) return local;
    if (scanner.take("Z")) return minutes{0};
    const bool east = scanner.take("+");
    if (!east && !scanner.take("-")) return std::nullopt;
    const auto hour = scanner.number(2, 2, 23);
    if (!hour) return std::nullopt;
    const bool colon = scanner.take(":");
    if (!colon && scanner.done()) return std::chrono::hours{east ? -*hour : *hour};
    const auto minute = scanner.number(2, 2, 59);
    if (!minute) return std::nullopt;
    const minutes ahead = std::chrono::hours{*hour} + minutes{*minute};
    return east ? -ahead : ahead;
}

std::optional<ReadMoment> iso_moment(Scanner& scanner, minutes local) noexcept {
    const auto day = iso_date(scanner);
    if (!day) return std::nullopt;
    if (scanner.done()) return ReadMoment{day->time_since_epoch() + local};
    if (!scanner.take("T") && !scanner.take(" ")) return std::nullopt;
    const auto time = time_of_day(scanner, 2, true);
    if (!time) return std::nullopt;
    const auto bias = zone(scanner, local);
    return bias ? std::optional(ReadMoment{day->time_since_epoch() + time->whole + *bias, time->fraction})
                : std::nullopt;
}

/// Where AM or PM comes next, the hour is one of twelve and begins with 12.
bool take_half_of_day(Scanner& scanner, seconds& time) noexcept {
    using std::chrono::hours;
    const bool blank = scanner.take(" ");
    const bool am = scanner.take("AM"), pm = !am && scanner.take("PM");
    if (!am && !pm) return !blank;
    const hours hour = std::chrono::floor<hours>(time);
    if (hour < hours{1} || hour > hours{12}) return false;
    if (hour == hours{12}) time -= hours{12};
    if (pm) time += hours{12};
    return true;
}

std::optional<ReadMoment> us_moment(Scanner& scanner, minutes local) noexcept {
    const auto day = us_date(scanner);
    if (!day) return std::nullopt;
    if (scanner.done()) return ReadMoment{day->time_since_epoch() + local};
    if (!scanner.take(" ")) return std::nullopt;
    auto time = time_of_day(scanner, 1, false);
    if (!time || !take_half_of_day(scanner, time->whole)) return std::nullopt;
    return ReadMoment{day->time_since_epoch() + time->whole + local, time->fraction};
}

/// `1715679002.5`
std::optional<ReadMoment> unix_moment(Scanner& scanner) noexcept {
    const bool negative = scanner.take("-");
    const auto whole = scanner.number(1, 10, 9'999'999'999);
    if (!whole) return std::nullopt;
    const auto fraction = scanner.fraction();
    if (!fraction) return std::nullopt;
    return negative ? ReadMoment{-seconds{*whole}, -*fraction} : ReadMoment{seconds{*whole}, *fraction};
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text, std::int32_t bias_minutes) {
    Scanner scanner(text);
    const minutes local{bias_minutes};
    const auto moment = scanner.take("@")                          ? unix_moment(scanner)
                        : text.find('/') != std::string_view::npos ? us_moment(scanner, local)
                                                                   : iso_moment(scanner, local);
    return moment && scanner.done() ? moment->unix_time() : std::nullopt;
}

std::optional<TimeZone> parse_zone(std::string_view text) {
    if (Scanner utc(text); utc.take("UTC") && utc.done()) return TimeZone{};
    const auto comma = text.rfind(',');
    if (comma == std::string_view::npos || comma == 0) return std::nullopt;
    const auto bias = parse_number<std::int32_t>(text.substr(comma + 1));
    constexpr std::int32_t day = 1440;
    if (!bias || *bias < -day || *bias > day) return std::nullopt;
    return TimeZone{std::string(text.substr(0, comma)), *bias};
}

bool SystemTime::valid() const noexcept {
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
    // SYSTEMTIME begins with the year 1601, as FILETIME does.
    return year >= 1601 && date.ok() && hour < 24 && minute < 60 && second < 60 && milliseconds < 1000;
}

void append_time(std::string& out, const SystemTime& t) {
    fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", t.year, t.month, t.day,
                   t.hour, t.minute, t.second, t.milliseconds);
}

void append_filetime(std::string& out, std::uint64_t filetime) {
    namespace chrono = std::chrono;
    constexpr std::uint64_t second = 10'000'000, day = 86'400 * second;
    constexpr chrono::sys_days start = chrono::year{1601} / chrono::January / 1;
    const chrono::year_month_day date(start + chrono::days(static_cast<int>(filetime / day)));
    const std::uint64_t seconds = filetime % day / second;
    fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:07}Z", static_cast<int>(date.year()),
                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), seconds / 3600,
                   seconds / 60 % 60, seconds % 60, filetime % second);
}

}  // namespace hkpd
