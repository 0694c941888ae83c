#include "hkpd/counter_type.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>

namespace hkpd {
namespace {

struct NamedType {
    std::uint32_t bits;
    std::string_view name;
};

// From winperf.h, sorted by value. PERF_LARGE_RAW_BASE and PERF_PRECISION_TIMESTAMP share the value 0x40030500; the
// table has only the former name.
constexpr auto named_types = std::to_array<NamedType>({
    {0x00000000, "PERF_COUNTER_RAWCOUNT_HEX"},
    {0x00000100, "PERF_COUNTER_LARGE_RAWCOUNT_HEX"},
    {0x00000B00, "PERF_COUNTER_TEXT"},
    {0x00010000, "PERF_COUNTER_RAWCOUNT"},
    {0x00010100, "PERF_COUNTER_LARGE_RAWCOUNT"},
    {0x00012000, "PERF_DOUBLE_RAW"},
    {0x00400400, "PERF_COUNTER_DELTA"},
    {0x00400500, "PERF_COUNTER_LARGE_DELTA"},
    {0x00410400, "PERF_SAMPLE_COUNTER"},
    {0x00450400, "PERF_COUNTER_QUEUELEN_TYPE"},
    {0x00450500, "PERF_COUNTER_LARGE_QUEUELEN_TYPE"},
    {0x00550500, "PERF_COUNTER_100NS_QUEUELEN_TYPE"},
    {0x00650500, "PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE"},
    {0x10410400, "PERF_COUNTER_COUNTER"},
    {0x10410500, "PERF_COUNTER_BULK_COUNT"},
    {0x20020400, "PERF_RAW_FRACTION"},
    {0x20020500, "PERF_LARGE_RAW_FRACTION"},
    {0x20410500, "PERF_COUNTER_TIMER"},
    {0x20470500, "PERF_PRECISION_SYSTEM_TIMER"},
    {0x20510500, "PERF_100NSEC_TIMER"},
    {0x20570500, "PERF_PRECISION_100NS_TIMER"},
    {0x20610500, "PERF_OBJ_TIME_TIMER"},
    {0x20670500, "PERF_PRECISION_OBJECT_TIMER"},
    {0x20C20400, "PERF_SAMPLE_FRACTION"},
    {0x21410500, "PERF_COUNTER_TIMER_INV"},
    {0x21510500, "PERF_100NSEC_TIMER_INV"},
    {0x22410500, "PERF_COUNTER_MULTI_TIMER"},
    {0x22510500, "PERF_100NSEC_MULTI_TIMER"},
    {0x23410500, "PERF_COUNTER_MULTI_TIMER_INV"},
    {0x23510500, "PERF_100NSEC_MULTI_TIMER_INV"},
    {0x30020400, "PERF_AVERAGE_TIMER"},
    {0x30240500, "PERF_ELAPSED_TIME"},
    {0x40000200, "PERF_COUNTER_NODATA"},
    {0x40020500, "PERF_AVERAGE_BULK"},
    {0x40030401, "PERF_SAMPLE_BASE"},
    {0x40030402, "PERF_AVERAGE_BASE"},
    {0x40030403, "PERF_RAW_BASE"},
    {0x40030500, "PERF_LARGE_RAW_BASE"},
    {0x40030503, "PERF_LARGE_RAW_BASE"},
    {0x42030500, "PERF_COUNTER_MULTI_BASE"},
    {0x80000000, "PERF_COUNTER_HISTOGRAM_TYPE"},
});
static_assert(std::ranges::is_sorted(named_types, {}, &NamedType::bits));

constexpr std::uint32_t precision_timestamp = 0x40030500;

}  // namespace

std::string_view counter_type_name(std::uint32_t type) noexcept {
    const auto found = std::ranges::lower_bound(named_types, type, {}, &NamedType::bits);
    return found != named_types.end() && found->bits == type ? found->name : std::string_view{};
}

std::optional<std::uint32_t> counter_type_of(std::string_view name) noexcept {
    constexpr std::string_view prefix = "PERF_";
    const auto same = [](std::string_view a, std::string_view b) {
        constexpr auto upper = [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; };
        return std::ranges::equal(a, b, {}, upper, upper);
    };
    const auto named = [&](std::string_view full) {
        return same(name, full) || same(name, full.substr(prefix.size()));
    };
    for (const NamedType& type : named_types)
        if (named(type.name)) return type.bits;
    if (named("PERF_PRECISION_TIMESTAMP")) return precision_timestamp;
    return std::nullopt;
}

void append_counter_type(std::string& out, std::uint32_t bits) {
    constexpr std::array<std::string_view, 4> sizes{"4 bytes", "8 bytes", "no bytes", "any size"};
    constexpr std::array<std::string_view, 4> forms{"number", "counter", "text", "no value"};
    constexpr std::array<std::string_view, 3> numbers{"hexadecimal", "decimal", "decimal thousandths"};
    constexpr std::array<std::string_view, 8> counters{"value",        "rate",         "fraction",  "base",
                                                       "elapsed time", "queue length", "histogram", "precision"};
    constexpr std::array<std::string_view, 2> texts{"Unicode", "ASCII"};
    constexpr std::array<std::string_view, 4> timers{"ticks", "100 ns", "object ticks", "unknown timer"};
    if (bits == no_counter_type) {
        out += "unknown";
        return;
    }
    const CounterType type{bits};
    out += sizes[static_cast<std::size_t>(type.size())];
    const auto add = [&out](std::string_view word) {
        if (!word.empty()) out.append(", ").append(word);
    };
    const auto add_one_of = [&](std::span<const std::string_view> words, std::uint32_t value, std::string_view kind) {
        if (value < words.size())
            add(words[value]);
        else
            out.append(", ").append(kind).append(" ").append(std::to_string(value));
    };
    add(forms[static_cast<std::size_t>(type.form())]);
    if (type.form() == CounterType::Form::number) add_one_of(numbers, type.subtype(), "subtype");
    if (type.form() == CounterType::Form::text) add_one_of(texts, type.subtype(), "subtype");
    if (type.form() == CounterType::Form::counter) {
        add_one_of(counters, type.subtype(), "subtype");
        add(timers[static_cast<std::size_t>(type.timer())]);
    }
    if (type.delta()) add("delta");
    if (type.delta_base()) add("delta of the base");
    if (type.inverse()) add("inverse");
    if (type.multi()) add("multi");
    constexpr std::uint32_t not_shown = 4;  // PERF_DISPLAY_NOSHOW
    if (type.display() > not_shown)
        add_one_of({}, type.display(), "display");
    else
        add(type.display() == not_shown ? "not shown" : cooked_unit(bits));
}

std::string_view cooked_unit(std::uint32_t type) noexcept {
    // PERF_DISPLAY_NO_SUFFIX, PERF_DISPLAY_PER_SEC, PERF_DISPLAY_PERCENT, PERF_DISPLAY_SECONDS (winperf.h).
    constexpr std::array<std::string_view, 4> units{"", "/sec", "%", "secs"};
    const std::uint32_t display = CounterType{type}.display();
    return display < units.size() ? units[display] : std::string_view{};
}

std::string_view raw_unit(std::uint32_t bits) noexcept {
    const CounterType type{bits};
    if (type.is_text()) return "text";
    if (type.is_base()) return "base";
    constexpr std::uint32_t fraction = 2, elapsed = 4, queue_length = 5, precision = 7;
    const std::uint32_t subtype = type.subtype();
    const bool percent_of_time = type.display() == 2 && (type.delta() && (subtype == 1 || subtype == precision));
    const bool timed = percent_of_time || subtype == elapsed || subtype == queue_length ||
                       (type.display() == 3 && subtype == fraction);
    if (type.form() != CounterType::Form::counter || !timed) return "";
    switch (type.timer()) {
        case CounterType::Timer::hundred_ns:
            return "100 ns";
        case CounterType::Timer::object:
            return "object ticks";
        default:
            return "ticks";
    }
}

void append_type(std::string& out, std::uint32_t type) {
    const std::string_view name = counter_type_name(type);
    if (name.empty())
        fmt::format_to(std::back_inserter(out), "{:#010x}", type);
    else
        out += name;
}

std::string type_text(std::uint32_t type) {
    if (type == no_counter_type) return "type unknown";
    std::string text;
    append_type(text, type);
    return text;
}

}  // namespace hkpd
