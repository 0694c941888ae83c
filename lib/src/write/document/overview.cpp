// Writes the summary of an input, as text or as JSON.
#include "hkpd/overview.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/time.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "quantity/times.hpp"
#include "source/input_formats.hpp"
#include "write/cells.hpp"
#include "write/json/json_stream.hpp"
#include "write/text/grid.hpp"

namespace hkpd {
namespace {

constexpr std::size_t key_width = 13;
/// Number of objects that are shown without `OverviewText::all`, so that the summary fits a screen.
constexpr std::size_t most_objects = 12;

std::string capture_value(const CaptureInfo::Channel& channel, const char* key) {
    const auto found = channel.metadata.find(key);
    return found == channel.metadata.end() ? std::string() : found->second;
}

class OverviewWriter {
  public:
    OverviewWriter(std::string& out, const Overview& overview, const OverviewText& options)
        : out_(out),
          overview_(overview),
          options_(options),
          several_sources_(std::ranges::any_of(overview.objects, [&](const Overview::Object& object) {
              return object.source != overview.objects.front().source;
          })) {}

    void write(const Diagnostics& diagnostics) {
        out_ += fmt::format("{}: {}\n", printable(options_.name), input_format(overview_.kind).words);
        write_machines();
        write_times();
        write_samples();
        if (overview_.bytes != 0) line("size", size_text(overview_.bytes));
        if (overview_.capture) write_capture(*overview_.capture);
        write_languages();
        write_faults(diagnostics);
        write_objects();
        if (overview_.capture && options_.all) write_channels(overview_.capture->channels);
    }

  private:
    void line(std::string_view key, std::string_view value) {
        append_padded(out_, key, key_width, Grid::Align::left);
        out_.append(value).append("\n");
    }

    /// Writes a line with a list. Items that do not fit the width are counted.
    void list(std::string_view key, const std::vector<std::string>& items) {
        std::string text;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const std::string item = printable(items[i]);
            const bool last = i + 1 == items.size();
            const std::string rest = fmt::format(" and {} more", items.size() - i);
            const std::size_t end = key_width + display_width(text) + 2 + display_width(item);
            if (i != 0 && !options_.all && end + (last ? 0 : rest.size()) > options_.width) {
                text += rest;
                break;
            }
            text.append(i == 0 ? "" : ", ").append(item);
        }
        line(key, text);
    }

    void write_machines() {
        if (!overview_.machines.empty())
            list(overview_.machines.size() == 1 ? "machine" : "machines", overview_.machines);
    }

    void write_times() {
        if (!overview_.time) return;
        std::string from, to;
        append_time_of(from, overview_.time->from, overview_.zone);
        append_time_of(to, overview_.time->to, overview_.zone_at_end);
        line("from", from);
        line("to", to);
        if (!overview_.zone_stated)
            line("zone", "not stated: times are local times of the machine; --log-tz ZONE states it");
        if (!overview_.zone) return;
        std::string zone = zone_text(*overview_.zone);
        if (overview_.zone_at_end && *overview_.zone_at_end != *overview_.zone)
            zone += ", at the end " + zone_text(*overview_.zone_at_end);
        line("zone", printable(zone));
    }

    void write_samples() {
        if (overview_.kind == InputKind::titles) return;
        std::string text = fmt::format("{}{}", overview_.samples_exact ? "" : "about ", overview_.samples);
        if (overview_.interval) text += ", every " + duration_text(*overview_.interval);
        line("samples", text);
        if (!overview_.complete) line("", "only the first and last ones were read; --all reads all");
        if (overview_.interval) line("gaps", gaps_text());
        if (options_.all) {
            for (const Overview::Gap& gap : overview_.gap_list)
                line("", part_text(gap, duration_text(time_between(gap.span.from, gap.span.to))));
            if (overview_.gap_list.size() < overview_.gaps && overview_.complete)
                line("", fmt::format("and {} shorter ones", overview_.gaps - overview_.gap_list.size()));
        }
        write_runs();
    }

    /// Writes the runs, if a stream has several; each of them with `OverviewText::all`.
    void write_runs() {
        const auto of = [](const Overview::Run& run) { return std::pair(run.part.machine, run.part.source); };
        std::set<std::pair<std::string, SampleSource>> streams;
        for (const Overview::Run& run : overview_.runs) streams.insert(of(run));
        if (overview_.runs.size() == streams.size()) return;
        line("runs", fmt::format("{}, between gaps of more than ten intervals{}", overview_.runs.size(),
                                 options_.all ? "" : "; --all lists them"));
        if (!options_.all) return;
        for (const Overview::Run& run : overview_.runs) line("", part_text(run.part, count_of(run.samples, "sample")));
    }

    /// Returns the times of a part of a stream, what it has, its machine and its file.
    std::string part_text(const Overview::Gap& part, std::string_view what) const {
        std::string text;
        append_time_of(text, part.span.from, std::nullopt);
        text += " to ";
        append_time_of(text, part.span.to, std::nullopt);
        text.append(", ").append(what);
        if (!part.machine.empty()) text.append(", ").append(printable(part.machine));
        if (!part.input.empty() && part.input != options_.name) text.append(", ").append(printable(part.input));
        return text;
    }

    /// Appends a time; without `Z` and an offset if its zone is not known.
    void append_time_of(std::string& out, std::int64_t time, const std::optional<TimeZone>& zone) const {
        if (overview_.zone_stated) return append_moment(out, time, zone);
        append_date_time(out, system_time_at(time), TimePart::millisecond);
    }

    std::string gaps_text() const {
        if (!overview_.longest_gap) return overview_.complete ? "none" : "none in what was read";
        std::string text =
            fmt::format("{}{}, the longest {} after ", overview_.complete ? "" : "at least ", overview_.gaps,
                        duration_text(time_between(overview_.longest_gap->from, overview_.longest_gap->to)));
        append_time_of(text, overview_.longest_gap->from, std::nullopt);
        return text;
    }

    void write_capture(const CaptureInfo& info) {
        line("written by", fmt::format("{}{}{}", printable(info.library), info.profile.empty() ? "" : ", profile ",
                                       printable(info.profile)));
        line("state", fmt::format("{}, {}", info.finished ? "finished" : "incomplete: it has no footer",
                                  info.indexed ? "with index" : "no index"));
        line("chunks", fmt::format("{}, {} of {}", info.chunks, size_text(info.compressed_bytes),
                                   size_text(info.uncompressed_bytes)));
        line("messages", std::to_string(info.messages));
        if (info.attachments != 0) line("attachments", std::to_string(info.attachments));
        if (options_.all) return write_metadata(info);
        for (const CaptureInfo::MetadataRecord& record : info.metadata)
            if (record.name == "hkpd") {
                std::vector<std::string> items;
                items.reserve(record.entries.size());
                for (const auto& [key, value] : record.entries) items.push_back(fmt::format("{} {}", key, value));
                list("provenance", items);
            }
    }
    void write_metadata(const CaptureInfo& info) {
        for (const CaptureInfo::MetadataRecord& record : info.metadata) {
            out_ += fmt::format("metadata {}\n", printable(record.name));
            std::size_t width = 10;
            for (const auto& [key, value] : record.entries)
                width = std::max(width, std::min<std::size_t>(key.size(), 30));
            for (const auto& [key, value] : record.entries)
                out_ += fmt::format("  {:<{}} {}\n", printable(key), width, printable(value));
        }
    }

    void write_languages() {
        if (overview_.languages.empty() && overview_.kind != InputKind::titles) return;
        std::vector<std::string> items;
        items.reserve(overview_.languages.size() + 1);
        for (const Overview::Language& each : overview_.languages)
            items.push_back(fmt::format("{} ({} titles in {})", each.language.empty() ? "unknown" : each.language,
                                        each.titles, each.origin.empty() ? "the input" : each.origin));
        if (items.empty()) items.emplace_back("none");
        list("languages", items);
    }

    void write_faults(const Diagnostics& diagnostics) {
        const std::uint64_t errors = diagnostics.count(Severity::error),
                            warnings = diagnostics.count(Severity::warning);
        std::string text = "none";
        if (errors + warnings != 0)
            text = fmt::format("{}, {}: ", count_of(errors, "error"), count_of(warnings, "warning"));
        else if (!overview_.complete)
            text += " in what was read: ";
        if (text != "none") text.append(options_.check).append(errors + warnings != 0 ? "" : " reads all");
        line("faults", text);
    }

    /// Returns the positions of the objects to show: all, or those with the most values, in the order of the input.
    std::vector<std::size_t> chosen_objects() const {
        std::vector<std::size_t> order;
        order.reserve(overview_.objects.size());
        for (std::size_t i = 0; i < overview_.objects.size(); ++i) order.push_back(i);
        if (options_.all || order.size() <= most_objects) return order;
        std::ranges::stable_sort(order, std::greater(), [this](std::size_t i) {
            return overview_.objects[i].instances * overview_.objects[i].counters;
        });
        order.resize(most_objects - 1);  // a line states how many more there are
        std::ranges::sort(order);
        return order;
    }

    /// Returns the name of an object. With several machines, the name of its machine precedes it, as in paths; with
    /// several sources, its source follows.
    std::string shown(const Overview::Object& object) const {
        const bool with_machine = overview_.machines.size() > 1 && !object.machine.empty();
        return printable(fmt::format("{}{}{}", with_machine ? "\\\\" + object.machine + "\\" : "", object.name,
                                     several_sources_ ? fmt::format(" ({})", source_name(object.source)) : ""));
    }

    void write_objects() {
        if (overview_.objects.empty()) return;
        constexpr std::size_t number_width = 11, least = 20;
        const std::vector<std::size_t> chosen = chosen_objects();
        const std::size_t most = std::max(options_.width, least + 2 * number_width) - 2 * number_width;
        std::size_t width = least;
        for (const std::size_t i : chosen) width = std::max(width, display_width(shown(overview_.objects[i])));
        width = std::min(width, most);
        const auto row = [&](std::string_view name, std::string_view instances, std::string_view counters) {
            append_padded(out_, name, width, Grid::Align::left);
            append_padded(out_, instances, number_width, Grid::Align::right);
            append_padded(out_, counters, number_width, Grid::Align::right);
            out_ += '\n';
        };
        out_ += '\n';
        row("object", "instances", "counters");
        for (const std::size_t i : chosen) {
            const Overview::Object& object = overview_.objects[i];
            row(shown(object), object.is_list ? std::to_string(object.instances) : "-",
                std::to_string(object.counters));
        }
        if (chosen.size() < overview_.objects.size())
            out_ += fmt::format("... and {} more; --all\n", overview_.objects.size() - chosen.size());
        if (!overview_.objects_exact) out_ += "... and more, which exceed a limit of memory\n";
    }

    /// Writes the channels of a capture. The registrations of a machine are in many channels, of which one line is
    /// made.
    void write_channels(const std::vector<CaptureInfo::Channel>& channels) {
        constexpr std::size_t wide = capture_encoding::v2_registration.size();
        const auto row = [&](std::uint64_t messages, std::string_view encoding, std::string_view topic) {
            out_ += fmt::format("{:>10}  {:<{}}  {}\n", messages, printable(encoding), wide, printable(topic));
        };
        out_ += "\nchannels\n";
        std::map<std::string, std::pair<std::uint64_t, std::set<std::string>>> registrations;  // by machine
        for (const CaptureInfo::Channel& channel : channels) {
            if (channel.encoding != capture_encoding::v2_registration) {
                row(channel.messages, channel.encoding, channel.topic);
                continue;
            }
            auto& [messages, countersets] = registrations[capture_value(channel, "machine")];
            messages += channel.messages;
            countersets.insert(capture_value(channel, "counterset"));
        }
        for (const auto& [machine, found] : registrations)
            row(found.first, capture_encoding::v2_registration,
                fmt::format("v2-registration{}{} ({})", machine.empty() ? "" : "/", machine,
                            count_of(found.second.size(), "counterset")));
    }

    std::string& out_;
    const Overview& overview_;
    const OverviewText& options_;
    bool several_sources_;
};

/// Returns a time as JSON text; none if there is none.
std::optional<std::string> json_time(const std::optional<std::int64_t>& time, bool zone_stated) {
    if (!time) return std::nullopt;
    std::string text;
    append_moment(text, *time, std::nullopt);
    if (!zone_stated) text.pop_back();  // the Z of UTC
    return text;
}

double seconds(std::int64_t time) noexcept { return static_cast<double>(time) / 1e9; }

void write_objects(JsonStream& json, const Overview& overview) {
    json.objects("objects", overview.objects, [&](const Overview::Object& object) {
        json.text_or_null("machine", object.machine);
        json.member("name", object.name);
        json.member("source", source_name(object.source));
        json.member("instances", object.instances);
        json.member("counters", object.counters);
    });
}

}  // namespace

void append_moment(std::string& out, std::int64_t time, const std::optional<TimeZone>& zone) {
    const SystemTime utc = system_time_at(time);
    if (!zone) return append_time(out, utc);
    append_date_time(out, local_time(utc, -60 * zone->bias), TimePart::millisecond);
    out.append(" ").append(offset_name(zone->bias)).append(" (");
    append_time(out, utc);
    out += ')';
}

void append_overview(std::string& out, const Overview& overview, const Diagnostics& diagnostics,
                     const OverviewText& options) {
    OverviewWriter(out, overview, options).write(diagnostics);
}

void append_overview_json(std::string& out, std::string_view name, const Overview& overview,
                          const Diagnostics& diagnostics) {
    JsonStream json(out);
    json.StartObject();
    json.path("path", name);
    json.member("kind", kind_name(overview.kind));
    json.array("machines", overview.machines, [&](const std::string& machine) { json.value(machine); });
    const auto& time = overview.time;
    const auto text_of = [&](const std::optional<std::int64_t>& moment) {
        return json_time(moment, overview.zone_stated);
    };
    const auto write_part = [&](const Overview::Gap& part) {
        json.member("from", text_of(part.span.from));
        json.member("to", text_of(part.span.to));
        json.text_or_null("machine", part.machine);
        json.member("source", source_name(part.source));
        json.path("input", part.input);
    };
    json.member("from", text_of(time ? std::optional(time->from) : std::nullopt));
    json.member("to", text_of(time ? std::optional(time->to) : std::nullopt));
    json.member("zone_stated", overview.zone_stated);
    json.member("zone", overview.zone ? std::optional(overview.zone->name) : std::nullopt);
    json.member("bias_minutes", overview.zone ? std::optional(overview.zone->bias) : std::nullopt);
    json.member("samples", overview.samples);
    json.member("samples_exact", overview.samples_exact);
    json.member("complete", overview.complete);
    json.member("interval", overview.interval ? std::optional(seconds(*overview.interval)) : std::nullopt);
    json.member("gaps", overview.gaps);
    const auto& gap = overview.longest_gap;
    json.member("longest_gap", gap ? std::optional(seconds(time_between(gap->from, gap->to))) : std::nullopt);
    json.member("longest_gap_from", text_of(gap ? std::optional(gap->from) : std::nullopt));
    json.objects("gap_list", overview.gap_list, [&](const Overview::Gap& each) {
        write_part(each);
        json.member("seconds", seconds(time_between(each.span.from, each.span.to)));
    });
    json.objects("runs", overview.runs, [&](const Overview::Run& run) {
        write_part(run.part);
        json.member("samples", run.samples);
    });
    json.member("bytes", overview.bytes);
    json.objects("languages", overview.languages, [&](const Overview::Language& each) {
        json.text_or_null("language", each.language);
        json.text_or_null("origin", each.origin);
        json.member("titles", each.titles);
    });
    write_objects(json, overview);
    json.member("faults", diagnostics.count(Severity::error) + diagnostics.count(Severity::warning));
    json.member("errors", diagnostics.count(Severity::error));
    json.EndObject();
}

void write_paths(const Overview& overview, const Limits& limits, const std::function<void(std::string&)>& write,
                 Diagnostics& diagnostics) {
    constexpr std::size_t part = std::size_t{1} << 16U;
    std::string out;
    std::uint64_t count = 0, bytes = 0;
    bool limited = false;
    visit_paths(overview, [&](std::string_view path) {
        limited = count == limits.series || bytes > limits.names;
        if (limited) return false;
        const std::size_t before = out.size();
        append_printable(out, path);
        out += '\n';
        bytes += out.size() - before;  // an escape is longer than its character
        ++count;
        if (out.size() >= part) write(out);
        return true;
    });
    write(out);
    if (limited || !overview.objects_exact)
        diagnostics.add({Errc::series_limit, 0, "", "", limits.series, limits.series});
}

}  // namespace hkpd
