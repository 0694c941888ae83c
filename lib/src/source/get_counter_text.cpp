// Sources: Microsoft, "Get-Counter", "Export-Csv" and "ConvertTo-Json" (examples with output), and the properties of
// PerformanceCounterSample: Path, InstanceName, CookedValue, Timestamp, Status.
#include "source/get_counter_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/text/encoding.hpp"
#include "base/text/located_text.hpp"
#include "base/text/parse_number.hpp"
#include "base/text/trimmed.hpp"
#include "source/get_counter_samples.hpp"
#include "text_log/text_lines.hpp"

namespace hkpd {
namespace {

constexpr std::string_view samples_structure = "Get-Counter";

/// Returns the samples of a text in one of the forms. Texts are trimmed.
class ShownReader {
  public:
    explicit ShownReader(std::string_view text) : text_(text) {}

    std::vector<ShownSample> read() {
        const std::size_t begin = std::min(text_.find_first_not_of(" \t\r\n"), text_.size());
        const std::string_view rest = text_.substr(begin);
        if (rest.starts_with('"') || rest.starts_with("#TYPE"))
            read_table(begin);
        else
            read_shown();
        return std::move(samples_);
    }

  private:
    std::string_view line_at(std::size_t& at) const {
        const std::size_t end = std::min(text_.find('\n', at), text_.size());
        const std::string_view line = text_.substr(at, end - at);
        at = end + 1;
        return line;
    }

    /// Returns the name and the value in a line such as `Timestamp  : 12/1/2026 10:00:00 AM`.
    static std::optional<std::pair<std::string_view, std::string_view>> property_in(std::string_view line) {
        const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
        const auto is_word = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
        if (line.empty() || !is_letter(line.front())) return std::nullopt;
        const auto end = static_cast<std::size_t>(std::ranges::find_if_not(line, is_word) - line.begin());
        const std::size_t colon = line.find_first_not_of(' ', end);
        if (colon == std::string_view::npos || line[colon] != ':') return std::nullopt;
        return std::pair(line.substr(0, end), trimmed(line.substr(colon + 1)));
    }

    void read_shown() {
        ShownSample listed;  // the properties of a sample in a list
        std::string time;
        for (std::size_t at = 0; at < text_.size();) {
            const std::size_t begin = at;
            const std::string_view line = line_at(at);
            if (trimmed(line).empty() || line.starts_with("---")) continue;
            const auto property = property_in(line);
            if (!property) {
                if (!line.starts_with("Timestamp")) read_reading(line, time, begin);
                continue;
            }
            const auto& [name, value] = *property;
            if (name == "Readings") {
                path_.clear();
                read_reading(value, time, begin);
            } else if (name == "Path") {
                add(std::exchange(listed, ShownSample{.path = std::string(value), .offset = begin}));
            } else if (name == "CookedValue") {
                listed.value = value;
            } else if (name == "Status") {
                listed.is_valid = value == "0" || value.empty();
            } else if (name == "Timestamp") {
                (listed.path.empty() ? time : listed.time) = time_text(value);
            }
        }
        add(std::move(listed));
    }

    /// Reads a line of readings: a path and a colon, or its value. A time may precede the path, and a path may have
    /// several lines.
    void read_reading(std::string_view line, std::string& time, std::size_t offset) {
        if (!line.empty() && line.front() != ' ' && line.front() != '\t' && !is_complete()) {
            const std::size_t path = std::min(line.find("\\\\"), line.size());
            if (path != 0) {
                time = time_text(trimmed(line.substr(0, path)));
                path_.clear();
            }
            line.remove_prefix(path);
        }
        line = trimmed(line);
        if (line.empty()) return;
        if (is_complete()) {
            std::string_view path = path_;
            path.remove_suffix(1);
            add({std::string(trimmed(path)), std::string(line), time, true, offset});
            path_.clear();
        } else if (!path_.empty() || line.starts_with('\\')) {
            if (!path_.empty() && !path_.ends_with('\\') && !path_.ends_with('(')) path_ += ' ';
            path_ += line;
        }
    }
    bool is_complete() const noexcept { return path_.ends_with(':'); }

    /// Reads a table with quoted cells, which may have several lines.
    void read_table(std::size_t at) {
        if (text_.substr(at).starts_with('#')) line_at(at);
        std::vector<std::string> cells;
        std::map<std::string, std::size_t, std::less<>> columns;
        const char separator = separator_at(at);
        read_row(at, separator, cells);
        for (std::size_t i = 0; i < cells.size(); ++i) columns.emplace(cells[i], i);
        const auto cell = [&](std::string_view name) {
            const auto column = columns.find(name);
            return column == columns.end() || column->second >= cells.size() ? std::string() : cells[column->second];
        };
        while (at < text_.size()) {
            const std::size_t begin = at;
            read_row(at, separator, cells);
            if (const std::string readings = cell("Readings"); !readings.empty()) {
                for (ShownSample& sample :
                     ShownReader("Readings : " + readings).read_readings(std::string(time_text(cell("Timestamp"))))) {
                    sample.offset = begin;
                    add(std::move(sample));
                }
                continue;
            }
            const std::string status = cell("Status");
            add({cell("Path"), cell("CookedValue"), cell("Timestamp"),
                 status.empty() || status == "0" || status == "Success", begin});
        }
    }
    std::vector<ShownSample> read_readings(std::string time) {
        path_.clear();
        for (std::size_t at = std::string_view("Readings : ").size(); at < text_.size();)
            read_reading(' ' + std::string(line_at(at)), time, 0);
        return std::move(samples_);
    }

    char separator_at(std::size_t at) const {
        const std::size_t end = text_.find('"', at + 1);
        const char next = end + 1 < text_.size() && end != std::string_view::npos ? text_[end + 1] : ',';
        return next == ';' || next == '\t' ? next : ',';
    }

    void read_row(std::size_t& at, char separator, std::vector<std::string>& cells) const {
        cells.assign(1, "");
        bool quoted = false;
        for (; at < text_.size(); ++at) {
            const char c = text_[at];
            if (quoted && c == '"' && at + 1 < text_.size() && text_[at + 1] == '"')
                cells.back() += text_[++at];
            else if (c == '"')
                quoted = !quoted;
            else if (!quoted && c == separator)
                cells.emplace_back();
            else if (!quoted && c == '\n')
                break;
            else if (quoted || c != '\r')
                cells.back() += c;
        }
        ++at;
    }

    void add(ShownSample sample) { add_sample(samples_, std::move(sample)); }

    std::string_view text_;
    std::string path_;  // of a reading, as far as it was read
    std::vector<ShownSample> samples_;
};

/// A time as it is stated: numbers in their order, and what else is known.
struct StampText {
    std::array<std::uint32_t, 7> numbers{};  // of the date, then hour, minute, second, and a fraction in milliseconds
    std::size_t count = 0;
    bool is_year_first = false, is_point_date = false, has_half = false, is_afternoon = false;
    std::optional<std::int64_t> utc;  ///< milliseconds since 1970
};

std::optional<StampText> read_stamp(std::string_view text) {
    using namespace std::chrono;
    StampText stamp;
    if (const std::size_t date = text.find("Date("); date != std::string_view::npos) {
        std::int64_t time = 0;
        const std::string_view number = text.substr(date + 5);
        if (std::from_chars(number.data(), number.data() + number.size(), time).ec != std::errc{}) return std::nullopt;
        stamp.utc = time;
        return stamp;
    }
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t at = 0;
    constexpr std::size_t before_fraction = 6;
    while (at < text.size() && stamp.count < stamp.numbers.size()) {
        if (!is_digit(text[at])) {
            // What follows the second is a fraction only after a point or comma.
            if (stamp.count == before_fraction && text[at] != '.' && text[at] != ',') break;
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_digit(text[end])) ++end;
        std::string digits(text.substr(at, end - at));
        if (stamp.count == 0) stamp.is_year_first = digits.size() == 4;
        if (stamp.count == 0) stamp.is_point_date = end < text.size() && text[end] == '.';
        if (stamp.count == before_fraction) digits.resize(3, '0');
        if (digits.size() > 4) return std::nullopt;
        stamp.numbers[stamp.count++] = parse_number<std::uint32_t>(digits).value_or(0);
        at = end;
    }
    if (stamp.count < before_fraction) return std::nullopt;
    const std::string rest = lower_case(text);
    stamp.is_afternoon = rest.find("pm") != std::string::npos || rest.find("p.") != std::string::npos ||
                         rest.find("下午") != std::string::npos || rest.find("午後") != std::string::npos;
    stamp.has_half = stamp.is_afternoon || rest.find("am") != std::string::npos ||
                     rest.find("a.") != std::string::npos || rest.find("上午") != std::string::npos ||
                     rest.find("午前") != std::string::npos;
    if (!stamp.is_year_first) return stamp;
    // ISO 8601 may end with the offset from UTC.
    const std::string_view end = text.substr(at);
    const bool is_utc = end.ends_with('Z');
    const std::size_t sign = end.find_first_of("+-");
    if (!is_utc && sign == std::string_view::npos) return stamp;
    std::int64_t hours = 0, minutes = 0;
    if (!is_utc && sign + 6 <= end.size()) {
        std::from_chars(end.data() + sign + 1, end.data() + sign + 3, hours);
        std::from_chars(end.data() + sign + 4, end.data() + sign + 6, minutes);
        if (end[sign] == '-') hours = -hours, minutes = -minutes;
    }
    const auto& n = stamp.numbers;
    const year_month_day date{std::chrono::year(static_cast<int>(n[0])), std::chrono::month(n[1]),
                              std::chrono::day(n[2])};
    if (!date.ok()) return std::nullopt;
    const auto since = sys_days(date).time_since_epoch() + std::chrono::hours(std::int64_t{n[3]} - hours) +
                       std::chrono::minutes(std::int64_t{n[4]} - minutes) + seconds(n[5]) + milliseconds(n[6]);
    stamp.utc = duration_cast<milliseconds>(since).count();
    return stamp;
}

/// Returns a time in the form of text logs; none if it is no time. `day_first`: as other times of the text show.
std::optional<std::string> log_time(const StampText& stamp, bool day_first) {
    using namespace std::chrono;
    std::uint32_t years{}, months{}, days{}, hours{}, minutes{}, secs{}, fraction{};
    if (stamp.utc) {
        constexpr std::int64_t most = 253'402'300'800'000;  // the year 10000
        if (*stamp.utc < 0 || *stamp.utc >= most) return std::nullopt;
        const sys_time<milliseconds> time{milliseconds(*stamp.utc)};
        const auto midnight = floor<std::chrono::days>(time);
        const year_month_day date(midnight);
        const hh_mm_ss clock(time - midnight);
        years = static_cast<std::uint32_t>(int(date.year()));
        months = unsigned(date.month());
        days = unsigned(date.day());
        hours = static_cast<std::uint32_t>(clock.hours().count());
        minutes = static_cast<std::uint32_t>(clock.minutes().count());
        secs = static_cast<std::uint32_t>(clock.seconds().count());
        fraction = static_cast<std::uint32_t>(clock.subseconds().count());
    } else {
        const auto& n = stamp.numbers;
        years = stamp.is_year_first ? n[0] : n[2];
        if (years < 100) years += 2000;
        months = stamp.is_year_first ? n[1] : day_first ? n[1] : n[0];
        days = stamp.is_year_first ? n[2] : day_first ? n[0] : n[1];
        hours = n[3];
        if (stamp.has_half) hours = hours % 12 + (stamp.is_afternoon ? 12 : 0);
        minutes = n[4];
        secs = n[5];
        fraction = n[6];
    }
    const year_month_day date{std::chrono::year(static_cast<int>(years)), std::chrono::month(months),
                              std::chrono::day(days)};
    if (!date.ok() || hours > 23 || minutes > 59 || secs > 59) return std::nullopt;
    return fmt::format("{:02}/{:02}/{:04} {:02}:{:02}:{:02}.{:03}", months, days, years, hours, minutes, secs,
                       fraction);
}

/// Returns a value with a decimal point; none if it is no number.
std::optional<std::string> shown_number(std::string value) {
    if (value.find('.') == std::string::npos) std::ranges::replace(value, ',', '.');
    return parse_double(value) ? std::optional(std::move(value)) : std::nullopt;
}

/// The rows of a text log.
class LogText {
  public:
    /// Adds a value, to the last row if that has this time and no value of the path.
    void add(const std::string& path, const std::string& time, std::string value) {
        const std::size_t column = columns_.try_emplace(path, paths_.size()).first->second;
        if (column == paths_.size()) {
            paths_.push_back(path);
            last_rows_.push_back(0);
        }
        if (times_.empty() || times_.back() != time || last_rows_[column] == times_.size()) times_.push_back(time);
        if (value.empty()) return;
        last_rows_[column] = times_.size();
        cells_.push_back({times_.size() - 1, column, std::move(value)});
    }
    /// Returns the number of cells of the log, most of which are blank if few paths have values at each time.
    std::uint64_t size() const noexcept { return std::uint64_t{times_.size()} * paths_.size(); }
    bool empty() const noexcept { return times_.empty(); }

    std::string text(bool is_utc) const {
        std::string out = is_utc ? "\"(PDH-CSV 4.0) (UTC)(0)\"" : "\"(PDH-CSV 4.0)\"";
        const auto append = [&out](std::string_view cell) {
            out += ",\"";
            for (const char c : cell) {
                if (c >= '\0' && c < ' ' && c != '\t') continue;  // a text log has no control characters
                out += c;
                if (c == '"') out += c;
            }
            out += '"';
        };
        for (const std::string& path : paths_) append(path);
        auto cell = cells_.begin();
        std::vector<std::string_view> values;
        for (std::size_t row = 0; row < times_.size(); ++row) {
            out += "\r\n\"" + times_[row] + '"';
            values.assign(paths_.size(), " ");
            for (; cell != cells_.end() && cell->row == row; ++cell) values[cell->column] = cell->value;
            for (const std::string_view value : values) append(value);
        }
        return out += "\r\n";
    }

  private:
    struct Cell {
        std::size_t row, column;
        std::string value;
    };
    std::map<std::string, std::size_t> columns_;
    std::vector<std::string> paths_, times_;
    std::vector<std::size_t> last_rows_;  // for each path, the number of rows up to its last value
    std::vector<Cell> cells_;             // by row
};

}  // namespace

bool is_get_counter(StreamWindow& window) {
    constexpr std::size_t head = 4096;
    const Bytes first = window.peek(2);
    constexpr std::string_view beginnings = "\r\n\t TPR#\"{[\xFF\xFE\xEF";
    if (first.empty() || beginnings.find(static_cast<char>(*first.data())) == std::string_view::npos) return false;
    std::string text;
    for (const std::byte byte : window.peek(head).span())
        if (byte != std::byte{0}) text += static_cast<char>(byte);
    const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
    return (has("Timestamp") && has("CounterSamples") && has("\\\\")) || (has("CookedValue") && has("Path")) ||
           (has("Timestamp") && has("\nReadings ") && has("\\\\"));
}

std::string text_log_of_samples(std::string_view text, const Limits& limits, const FaultSink& faults) {
    // A log has a cell for each path at each time. Samples of Get-Counter have few times, which all paths share.
    constexpr std::uint64_t most_for_each = 64, always = std::uint64_t{1} << 16U, bytes_for_each = 64;
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    const bool is_json = begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '[');
    const std::vector<ShownSample> samples = is_json ? samples_in_json(text, faults) : ShownReader(text).read();
    const std::uint64_t most =
        std::min(std::max(most_for_each * samples.size(), always), limits.bytes / bytes_for_each);
    std::vector<std::optional<StampText>> stamps;
    bool is_day_first = false, is_month_first = false, is_utc = false, has_half = false;
    for (const ShownSample& sample : samples) {
        const auto& stamp = stamps.emplace_back(read_stamp(sample.time));
        if (!stamp) continue;
        is_utc = is_utc || stamp->utc;
        has_half = has_half || stamp->has_half;
        is_day_first = is_day_first || stamp->is_point_date || stamp->numbers[0] > 12;
        is_month_first = is_month_first || stamp->numbers[1] > 12;
    }
    const bool day_first = is_day_first || (!is_month_first && !has_half);
    LogText log;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const ShownSample& sample = samples[i];
        const std::optional<StampText>& stamp = stamps[i];
        const auto time = stamp ? log_time(*stamp, day_first) : std::nullopt;
        if (!time) {
            faults.add({Errc::text_time, sample.offset, samples_structure, "Timestamp", 0, 0});
            continue;
        }
        const auto value = sample.is_valid ? shown_number(sample.value) : std::optional<std::string>("");
        if (!value) faults.add({Errc::text_cell, sample.offset, samples_structure, "CookedValue", 0, i});
        log.add(sample.path, *time, value.value_or(""));
        if (log.size() > most) {
            faults.add({Errc::byte_limit, sample.offset, samples_structure, "", most, log.size()});
            break;
        }
    }
    return log.empty() ? std::string() : log.text(is_utc);
}

}  // namespace hkpd
