// lines FILE...: prints all that the C++ library reads from each file, in lines that the same programs over the C
// interface (lines.c, and those in Python, Go and Rust) print too. README.md describes the lines.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hkpd/counter_type.hpp"
#include "hkpd/hkpd.hpp"
#include "hkpd/identity.hpp"

namespace {

std::string out;

template <class... Parts>
void line(fmt::format_string<Parts...> form, Parts&&... parts) {
    fmt::format_to(std::back_inserter(out), form, std::forward<Parts>(parts)...);
    out += '\n';
    if (out.size() > 1'000'000) {
        std::fwrite(out.data(), 1, out.size(), stdout);
        out.clear();
    }
}

std::string hex(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(byte));
    return text;
}

std::string text(std::optional<std::string_view> value) {
    if (!value) return "-";
    return value->empty() ? "\"\"" : hex(std::as_bytes(std::span(*value)));
}

std::string text(const std::optional<hkpd::Titles::Answer>& answer) {
    return text(answer ? std::optional(answer->text) : std::nullopt);
}

std::string unless_empty(std::string_view value) { return value.empty() ? "-" : text(value); }

template <class Number>
std::string optional(const std::optional<Number>& number) {
    return number ? fmt::format("{}", *number) : "-";
}

template <class Value>
void array(std::string_view name, std::span<const Value> values) {
    if (!values.empty()) line("{} {}", name, hex(std::as_bytes(values)));
}

void print_instances(const hkpd::Sample& sample, const hkpd::Object& object) {
    std::vector<std::uint32_t> places;
    hkpd::number_instances(sample, object, places);
    hkpd::RunInstances& run = *hkpd::RunInstances::of(sample);
    const auto position = static_cast<std::size_t>(&object - sample.objects().data());
    const std::vector<std::uint32_t>& numbers = run.instances(sample, position).numbers;
    for (std::size_t row = 0; row < object.instances.size(); ++row) {
        const hkpd::Instance& instance = object.instances[row];
        const auto parent = sample.parent(instance);
        std::optional<std::string_view> parent_name;
        if (parent) parent_name = sample.objects()[parent->object].instances[parent->instance].name;
        std::optional<hkpd::Identity> identity;
        if (instance.name && numbers[row] != hkpd::no_index) identity = run[numbers[row]];
        line("instance {} {} {} {} {} {} {} {} {} {}", text(instance.name), places[row],
             instance.unique_id ? fmt::format("{}", *instance.unique_id) : "-",
             parent ? parent->object : hkpd::no_index, parent ? parent->instance : hkpd::no_index, instance.offset,
             text(parent_name), optional(identity ? identity->pid : std::nullopt),
             optional(identity ? identity->instance_id : std::nullopt),
             optional(identity ? std::optional(identity->life) : std::nullopt));
    }
}

void print_reasons(std::span<const hkpd::Reason> reasons) {
    std::string runs;
    for (std::size_t begin = 0, end = 0; begin < reasons.size(); begin = end) {
        while (end < reasons.size() && reasons[end] == reasons[begin]) ++end;
        const std::string_view name = hkpd::reason_name(reasons[begin]);
        fmt::format_to(std::back_inserter(runs), "{}{}*{}", begin == 0 ? "" : ",", name.empty() ? "none" : name,
                       end - begin);
    }
    line("reasons {}", runs);
}

void print_column(hkpd::Reader& reader, const hkpd::Object& object, const hkpd::Column& column) {
    const std::string_view type = hkpd::counter_type_name(column.type);
    line("column {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", column.title_index, column.help_index,
         text(column.name), text(column.help), column.type, type.empty() ? "-" : type,
         static_cast<unsigned>(column.storage), column.attributes, column.size, column.offset, column.scale,
         column.detail_level, column.base, column.time, column.frequency, column.multi, optional(column.time_base));
    array("values", column.values);
    array("second", column.second);
    array("status", column.status);
    array("multi_count", column.multi_count);
    array("taken", column.taken);
    if (column.storage != hkpd::Storage::number)
        for (std::size_t row = 0; row < column.values.size(); ++row) line("text {}", text(object.bytes(column, row)));
    const hkpd::CookedColumn cooked = reader.cooked(object, column);
    line("cooked {}", hex(std::as_bytes(cooked.values)));
    print_reasons(cooked.reasons);
}

void print_sample(hkpd::Reader& reader) {
    const hkpd::Sample& sample = reader.sample();
    line("sample {} {} {} {} {} {} {} {} {}", reader.number(), static_cast<unsigned>(sample.source),
         optional(hkpd::unix_time(sample)), text(sample.machine), sample.perf.time, sample.perf.frequency,
         sample.perf_time_100ns, sample.bytes, sample.default_object);
    for (const hkpd::Object& object : sample.objects()) {
        line("object {} {} {} {} {} {} {} {} {} {}", object.title_index, object.help_index, text(object.name),
             text(object.help), object.counterset ? hex(object.counterset->bytes) : "-",
             static_cast<unsigned>(object.kind), object.detail_level, object.code_page, object.clock.time,
             object.clock.frequency);
        print_instances(sample, object);
        for (const hkpd::Column& column : object.columns) print_column(reader, object, column);
    }
}

void print_faults(const hkpd::Diagnostics& faults) {
    for (const hkpd::Diagnostic& fault : faults.kept()) {
        std::string message;
        hkpd::append_message(message, fault);
        const bool has_input = fault.place.input < faults.inputs().size();
        line("fault {} {} {} {} {} {} {} {} {} {} {} {} {}", static_cast<unsigned>(fault.severity),
             hkpd::code_name(fault.error.code), fault.place.sample, fault.place.record, fault.object, fault.instance,
             hkpd::has_place(fault.error.code) ? fmt::format("{}", fault.error.offset) : "-", fault.error.expected,
             fault.error.found, has_input ? text(std::string_view(faults.inputs()[fault.place.input])) : "-",
             unless_empty(fault.error.structure), unless_empty(fault.error.field), text(std::string_view(message)));
    }
    line("faults {} {} {}", faults.count(hkpd::Severity::note), faults.count(hkpd::Severity::warning),
         faults.count(hkpd::Severity::error));
}

void print_file(const std::string& path) {
    line("file {}", path);
    auto reader = hkpd::Reader::open({path});
    if (!reader) {
        std::string message;
        hkpd::append_message(message, reader.error());
        return line("open failed: {}: {}", path, message);
    }
    while (reader->next()) print_sample(*reader);
    print_faults(reader->diagnostics());
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) print_file(argv[i]);
    std::fwrite(out.data(), 1, out.size(), stdout);
    return std::fflush(stdout) == 0 ? 0 : 3;
}
