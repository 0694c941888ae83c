// Single events of performance logs, and the properties of each, whatever its content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "blg/blg.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/record.hpp"
#include "properties.hpp"

namespace hkpd_fuzz {

inline void require_inside(hkpd::Bytes part, hkpd::Bytes whole,
                           std::source_location place = std::source_location::current()) {
    require(part.offset() >= whole.offset() && part.end() <= whole.end(), place);
}

inline std::string show_header(hkpd::Bytes event) {
    const auto header = hkpd::blg::read_header(event);
    if (!header) return std::string(code_name(header.error().code));
    const hkpd::TimeZone zone = header->zone.at(header->end_time);
    return zone.name + std::to_string(zone.bias) + (header->closed() ? " closed" : "");
}

inline std::string show_catalogue(hkpd::Bytes event, hkpd::Diagnostics& diagnostics) {
    hkpd::blg::Catalogue catalogue;
    if (!catalogue.open(event, diagnostics)) return {};
    constexpr std::size_t least_entry = 52;
    require(catalogue.entries().size() <= event.size() / least_entry);
    std::string text;
    std::uint64_t least = event.offset();
    for (const auto& entry : catalogue.entries()) {
        require(entry.offset >= least && entry.offset < event.end());
        least = entry.offset + 1;
        text.append(std::to_string(entry.type)).append(entry.machine).append(entry.object).append(entry.counter);
        text.append(entry.instance.value_or("-")).append(entry.parent.value_or("-")).append("\n");
    }
    return text + (catalogue.whole() ? "whole" : "");
}

inline std::string show_instances(hkpd::Bytes body) {
    hkpd::blg::RawInstances list;
    if (!list.open(body)) return {};
    constexpr std::size_t instance = 24;
    require(list.size() <= body.size() / instance);
    std::string text;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const hkpd::blg::RawCounter counter = list.counter(i);
        const auto name = list.name(i);
        require(counter.status == list.status() && counter.time == list.time());
        if (name) require_inside(name->bytes, body);
        text.append(std::to_string(counter.first)).append(name ? "+" : "-");
    }
    return text;
}

inline std::string show_row(hkpd::Bytes event, hkpd::Diagnostics& diagnostics) {
    hkpd::blg::Row row;
    if (!row.open(event, diagnostics)) return {};
    require_inside(row.bytes(), event);
    std::string text;
    std::uint64_t least = row.bytes().offset();
    for (const auto& record : row.records()) {
        require_inside(record.body, row.bytes());
        require(record.body.offset() >= least);
        least = record.body.end();
        const auto raw = hkpd::blg::read_raw(record.body);
        text.append(std::to_string(raw ? raw->first : 0)).append(show_instances(record.body)).append("\n");
    }
    return text + (row.whole() ? "whole" : "");
}

inline std::string show_names(hkpd::Bytes event) {
    const auto names = hkpd::blg::read_names(event);
    if (!names) return {};
    require_inside(names->machine.bytes, event);
    require_inside(names->titles, event);
    require(names->titles.offset() >= names->machine.bytes.end());
    return std::to_string(names->titles.size());
}

/// Returns all that an event shows, after checking its properties.
inline std::string show_event(hkpd::Record::Kind kind, hkpd::Bytes event) {
    const Budget budget(event.size(), 0, 1);
    hkpd::Diagnostics diagnostics;
    std::string text;
    using enum hkpd::Record::Kind;
    if (kind == log_header) text = show_header(event);
    if (kind == log_catalogue) text = show_catalogue(event, diagnostics);
    if (kind == log_row) text = show_row(event, diagnostics);
    if (kind == log_trailer) text = std::to_string(hkpd::blg::read_trailer_rows(event).value_or(0));
    if (kind == titles) text = show_names(event);
    require_places(diagnostics, event.end());
    return text;
}

}  // namespace hkpd_fuzz
