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

void append_value(std::string& out, double value, Unit unit) {
    if (value != value) {
        out += "–";
        return;
    }
    out += "<data value=\"";
    append_number(out, value);
    out.append("\">").append(quantity_text(value, unit)).append("</data>");
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
    out += "<data value=\"";
    append_number(out, static_cast<double>(nanoseconds) / second);
    out.append("\">").append(duration_text(nanoseconds)).append("</data>");
}

}  // namespace hkpd
