#include <fmt/compile.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>

#include "base/text/names.hpp"
#include "base/time.hpp"
#include "hkpd/time.hpp"

namespace hkpd {
namespace {

namespace chrono = std::chrono;

/// A time in two parts, because 64 bits of nanoseconds do not cover every year that a text can state.
struct ReadMoment {
    chrono::seconds whole{};
    chrono::nanoseconds fraction{};
    StatedTime::Kind kind = StatedTime::Kind::local;

    std::optional<std::int64_t> in_nanoseconds() const noexcept {
        constexpr chrono::seconds most{9'223'372'035};
        if (whole > most || whole < -most) return std::nullopt;
        return (chrono::nanoseconds{whole} + fraction).count();
    }
};

/// A scanner that takes pieces from the front of a text. After an invalid piece, the scanner discards the rest of the
/// text, and all further numbers are 0.
class Scanner {
  public:
    explicit Scanner(std::string_view text) noexcept : left_(text) {}

    bool done() const noexcept { return left_.empty(); }
    bool failed() const noexcept { return failed_; }
    std::int64_t fail() noexcept {
        left_ = {};
        failed_ = true;
        return 0;
    }

    /// Takes a word if the text begins with it, ignoring case. Returns whether the text begins with the word.
    bool take(std::string_view word) noexcept {
        if (compare_names(left_.substr(0, word.size()), word) != 0) return false;
        left_.remove_prefix(word.size());
        return true;
    }
    /// Takes a word. Fails if the text does not begin with the word.
    void expect(std::string_view word) noexcept {
        if (!take(word)) fail();
    }
    /// Takes a number of `least` to `most` digits. Fails if fewer digits come next, or if the number exceeds `largest`.
    std::int64_t number(std::size_t least, std::size_t most, std::int64_t largest) noexcept {
        std::size_t count = 0;
        std::int64_t value = 0;
        for (; count < most && count < left_.size() && left_[count] >= '0' && left_[count] <= '9'; ++count)
            value = value * 10 + (left_[count] - '0');
        if (count < least || value > largest) return fail();
        left_.remove_prefix(count);
        return value;
    }
    /// Takes a fraction of a second such as `.5` and returns it in nanoseconds. Returns 0 if no point comes next.
    chrono::nanoseconds fraction() noexcept {
        if (!take(".")) return {};
        const std::size_t before = left_.size();
        std::int64_t value = number(1, 9, 999'999'999);
        for (std::size_t digits = before - left_.size(); digits < 9; ++digits) value *= 10;
        return chrono::nanoseconds{value};
    }
    /// Takes a date: `2024-05-14`, or `5/14/2024` in the US form. Returns the time from 1970 to this date.
    chrono::seconds date(bool us) noexcept {
        std::int64_t year = us ? 0 : number(4, 4, 9999);
        if (!us) expect("-");
        const std::int64_t month = number(us ? 1 : 2, 2, 12);
        expect(us ? "/" : "-");
        const std::int64_t day = number(us ? 1 : 2, 2, 31);
        if (us) expect("/");
        if (us) year = number(4, 4, 9999);
        const chrono::year_month_day date{chrono::year{static_cast<int>(year)},
                                          chrono::month{static_cast<unsigned>(month)},
                                          chrono::day{static_cast<unsigned>(day)}};
        return date.ok() ? chrono::sys_days{date}.time_since_epoch() : chrono::seconds{fail()};
    }
    /// Takes a time of day such as `09:30` or `09:30:02.500`. `least_digits`: minimum number of digits of the hour.
    ReadMoment time_of_day(std::size_t least_digits) noexcept {
        ReadMoment time{chrono::hours{number(least_digits, 2, 23)}};
        expect(":");
        time.whole += chrono::minutes{number(2, 2, 59)};
        if (!take(":")) return time;
        time.whole += chrono::seconds{number(2, 2, 59)};
        time.fraction = fraction();
        return time;
    }
    /// Takes the zone after a time: `Z`, `+02:00`, `+0200` or `+02`. Returns UTC minus local time. Returns none if no
    /// text is left: the time has no zone.
    std::optional<chrono::minutes> zone() noexcept {
        if (done()) return std::nullopt;
        if (take("Z")) return chrono::minutes{};
        const bool east = take("+");
        if (!east) expect("-");
        chrono::minutes ahead = chrono::hours{number(2, 2, 23)};
        if (take(":") || !done()) ahead += chrono::minutes{number(2, 2, 59)};
        return east ? -ahead : ahead;
    }
    /// Takes AM or PM if one of them comes next, and then converts `time` from the 12-hour clock to the 24-hour clock.
    /// The first hour of the 12-hour clock is 12.
    void half_of_day(chrono::seconds& time) noexcept {
        const bool blank = take(" "), am = take("AM"), pm = !am && take("PM");
        const chrono::hours hour = chrono::floor<chrono::hours>(time);
        if (!am && !pm ? blank : hour < chrono::hours{1} || hour > chrono::hours{12}) fail();
        if (!am && !pm) return;
        if (hour == chrono::hours{12}) time -= chrono::hours{12};
        if (pm) time += chrono::hours{12};
    }

  private:
    std::string_view left_;
    bool failed_ = false;
};

ReadMoment iso_moment(Scanner& scanner) noexcept {
    const chrono::seconds day = scanner.date(false);
    if (scanner.done()) return {day};
    if (!scanner.take("T")) scanner.expect(" ");
    ReadMoment time = scanner.time_of_day(2);
    time.whole += day;
    if (const auto bias = scanner.zone()) {
        time.whole += *bias;
        time.kind = StatedTime::Kind::utc;
    }
    return time;
}

/// Takes a time of day such as `9:30` or `9:30:02.5 PM`.
ReadMoment clock_time(Scanner& scanner) noexcept {
    ReadMoment time = scanner.time_of_day(1);
    scanner.half_of_day(time.whole);
    return time;
}

ReadMoment us_moment(Scanner& scanner) noexcept {
    const chrono::seconds day = scanner.date(true);
    if (scanner.done()) return {day};
    scanner.expect(" ");
    ReadMoment time = clock_time(scanner);
    time.whole += day;
    return time;
}

/// Takes a number of seconds since 1970, such as `1715679002.5`, from the scanner, and returns it as a moment.
ReadMoment unix_moment(Scanner& scanner) noexcept {
    const int sign = scanner.take("-") ? -1 : 1;
    const chrono::seconds whole{scanner.number(1, 10, 9'999'999'999)};
    return {sign * whole, sign * scanner.fraction(), StatedTime::Kind::utc};
}

/// Takes a distance from the end such as `5min` or `1.5h`.
ReadMoment before_end(Scanner& scanner) noexcept {
    const std::int64_t whole = scanner.number(1, 6, 999'999);
    const chrono::nanoseconds fraction = scanner.fraction();
    const std::int64_t unit = scanner.take("min")                        ? 60
                              : scanner.take("sec") || scanner.take("s") ? 1
                              : scanner.take("h")                        ? 3'600
                              : scanner.take("d")                        ? 86'400
                                                                         : scanner.fail();
    const chrono::nanoseconds rest = fraction * unit;
    const auto more = chrono::floor<chrono::seconds>(rest);
    return {chrono::seconds{whole * unit} + more, rest - more, StatedTime::Kind::before_end};
}

/// Takes a time in the form that the text seems to have.
ReadMoment stated_moment(Scanner& scanner, std::string_view text) noexcept {
    if (scanner.take("@")) return unix_moment(scanner);
    if (scanner.take("-")) return before_end(scanner);
    if (text.contains('/')) return us_moment(scanner);
    if (text.contains('-')) return iso_moment(scanner);
    ReadMoment time = clock_time(scanner);
    time.kind = StatedTime::Kind::time_of_day;
    return time;
}

}  // namespace

std::optional<StatedTime> parse_stated_time(std::string_view text) {
    Scanner scanner(text);
    const ReadMoment moment = stated_moment(scanner, text);
    if (!scanner.done() || scanner.failed()) return std::nullopt;
    const auto time = moment.in_nanoseconds();
    return time ? std::optional(StatedTime{moment.kind, *time}) : std::nullopt;
}

std::optional<std::int64_t> parse_time(std::string_view text, std::int32_t bias_minutes) {
    using Kind = StatedTime::Kind;
    const auto stated = parse_stated_time(text);
    if (!stated || (stated->kind != Kind::utc && stated->kind != Kind::local)) return std::nullopt;
    if (stated->kind == Kind::utc) return stated->time;
    const chrono::seconds whole = chrono::floor<chrono::seconds>(chrono::nanoseconds{stated->time});
    return ReadMoment{whole + chrono::minutes{bias_minutes}, chrono::nanoseconds{stated->time} - whole}
        .in_nanoseconds();
}

bool SystemTime::valid() const noexcept {
    // SYSTEMTIME covers the years 1601 to 30827 (minwinbase.h). Month and day are checked here, because the types of
    // std::chrono keep only the low bits of larger numbers.
    if (year < 1601 || year > 30827 || month > 12 || day > 31) return false;
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
    return date.ok() && hour < 24 && minute < 60 && second < 60 && milliseconds < 1000;
}

SystemTime system_time_at(std::int64_t unix_nanoseconds) noexcept {
    return system_time_of(chrono::sys_time<chrono::milliseconds>{
        chrono::floor<chrono::milliseconds>(chrono::nanoseconds{unix_nanoseconds})});
}

std::int64_t unix_time(const SystemTime& time) noexcept {
    namespace chrono = std::chrono;
    const chrono::sys_days day{chrono::year{time.year} / chrono::month{time.month} / chrono::day{time.day}};
    const chrono::milliseconds since = day.time_since_epoch() + chrono::hours{time.hour} +
                                       chrono::minutes{time.minute} + chrono::seconds{time.second} +
                                       chrono::milliseconds{time.milliseconds};
    // SYSTEMTIME extends to the year 30827, but 64 bits of nanoseconds cover only the years 1677 to 2262. An earlier
    // time becomes the first time of this range, and a later time becomes the last.
    constexpr auto first = chrono::ceil<chrono::milliseconds>(chrono::nanoseconds::min());
    constexpr auto last = chrono::floor<chrono::milliseconds>(chrono::nanoseconds::max());
    return chrono::nanoseconds{std::clamp(since, first, last)}.count();
}

BlockTimes compare_block_times(const SystemTime& system_time, std::int64_t perf_time_100ns) noexcept {
    // Times are in milliseconds, so that the difference of any two of them fits in 64 bits. `furthest` is a number of
    // quarters of an hour: 26 hours.
    constexpr std::int64_t second = 1'000, tolerance = 2 * second, quarter = 900 * second, furthest = 104;
    const auto utc = unix_nanoseconds(perf_time_100ns);
    if (!system_time.valid() || !utc || *utc < 0) return BlockTimes::equal;
    const std::int64_t difference = (unix_time(system_time) / 1'000'000) - (*utc / 1'000'000);
    if (std::abs(difference) <= tolerance) return BlockTimes::equal;
    const std::int64_t quarters = (difference + (difference > 0 ? quarter : -quarter) / 2) / quarter;
    const std::int64_t rest = difference - quarters * quarter;
    const bool offset = quarters != 0 && std::abs(quarters) <= furthest && std::abs(rest) <= tolerance;
    return offset ? BlockTimes::local : BlockTimes::different;
}

std::optional<SystemTime> block_time(const SystemTime& system_time, std::int64_t perf_time_100ns) noexcept {
    if (!system_time.valid()) return std::nullopt;
    const auto utc = unix_nanoseconds(perf_time_100ns);
    if (!utc || compare_block_times(system_time, perf_time_100ns) != BlockTimes::local) return system_time;
    return system_time_at(*utc);
}

void append_time(std::string& out, const SystemTime& t) {
    // A summary of a million series has two million times: the form is compiled, and goes to a buffer. Seven numbers of
    // at most five digits, as an invalid time has.
    std::array<char, 48> text{};
    char* const end = fmt::format_to(text.data(), FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z"), t.year,
                                     t.month, t.day, t.hour, t.minute, t.second, t.milliseconds);
    out.append(text.data(), end);
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
