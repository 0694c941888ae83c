#include "report/html.hpp"

#include <fmt/core.h>

#include "base/time.hpp"
#include "hkpd/write.hpp"
#include "quantity/times.hpp"
#include "write/cells.hpp"

namespace hkpd {

std::string cut_text(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;  // within a character
    return std::string(text.substr(0, most)) + "…";
}

void append_html(std::string& out, std::string_view text, std::size_t most) {
    std::string shown;
    append_printable(shown, text.size() > most ? std::string_view(cut_text(text, most)) : text);
    for (const char c : shown) {
        switch (c) {
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '&':
                out += "&amp;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
}

namespace {

/// Appends an element `data`. `title`: what is shown when the pointer is over it, unless the text is the same.
void append_data(std::string& out, double value, double factor, std::string_view shown) {
    std::string exact;
    append_number(exact, value);
    out.append("<data value=\"").append(exact).append("\"");
    if (factor != 1) {
        out += " data-scale=\"";
        append_number(out, factor);
        out += '"';
    }
    if (!shown.starts_with(exact)) out.append(" title=\"").append(exact).append("\"");
    out.append(">").append(shown).append("</data>");
}

}  // namespace

void append_value(std::string& out, double value, ScaledUnit unit) {
    if (value != value)
        out += "–";
    else
        append_data(out, value, unit.factor, quantity_text(value * unit.factor, unit.unit));
}

void append_moment_html(std::string& out, std::int64_t time, const Zone& zone) {
    const SystemTime utc = system_time_at(time);
    out += "<time datetime=\"";
    append_time(out, utc, utc_if_stated(zone));
    out += "\">";
    append_date_time(out, local_time(utc, zone.offset_at(time)), TimePart::second);
    out += "</time>";
}

void append_duration_html(std::string& out, std::int64_t nanoseconds) {
    constexpr double second = 1e9;
    append_data(out, static_cast<double>(nanoseconds) / second, 1, duration_text(nanoseconds));
}

}  // namespace hkpd
