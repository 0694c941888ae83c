// The C interface: a file in memory, or a block that is fed, through every function that reads. The first byte has
// options. Every text and column can be read to its end, and the Arrow stream has a row for each value. Of some inputs,
// a report is made.
#include <hkpd.h>

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "entry.hpp"
#include "input_file.hpp"
#include "properties.hpp"

namespace {

using hkpd_fuzz::require;

/// Reads each byte, so that a sanitizer sees one too many.
void touch(const void* data, std::size_t size) {
    const auto* const bytes = static_cast<const volatile unsigned char*>(data);
    for (std::size_t i = 0; data != nullptr && i < size; ++i) static_cast<void>(bytes[i]);
}

template <class Struct>
Struct sized() {
    Struct made{};
    made.struct_size = sizeof made;
    return made;
}

void read_instances(hkpd_reader* reader, std::size_t object, const hkpd_sample& sample, std::size_t count) {
    std::vector<hkpd_instance> instances(count + 1);
    instances[0].struct_size = sizeof(hkpd_instance);
    require(hkpd_get_instances(reader, object, 0, count, instances.data()) == HKPD_OK);
    for (const hkpd_instance& instance : std::span(instances).first(count)) {
        touch(instance.name, instance.name_size);
        touch(instance.parent, instance.parent_size);
        require(instance.life == 0 || instance.name != nullptr);
        require(instance.has_instance_id == 0 || (instance.has_id != 0 && instance.pid == HKPD_NO_INDEX));
        if (instance.parent_object == HKPD_NO_INDEX) continue;
        auto parent = sized<hkpd_object>();
        require(instance.parent_object < sample.object_count);
        require(hkpd_get_object(reader, instance.parent_object, &parent) == HKPD_OK);
        require(instance.parent_instance < parent.instance_count);
    }
}

/// Returns the number of values of a column.
std::size_t read_column(hkpd_reader* reader, std::size_t object, std::size_t position, std::size_t rows) {
    auto column = sized<hkpd_column>();
    auto cooked = sized<hkpd_cooked>();
    require(hkpd_get_column(reader, object, position, &column) == HKPD_OK);
    require(hkpd_get_cooked(reader, object, position, &cooked) == HKPD_OK);
    require(column.count == rows && cooked.count == rows);
    touch(column.name, column.name_size);
    touch(column.help, column.help_size);
    for (const std::uint64_t* array : {column.values, column.second, column.multi_count, column.taken})
        touch(array, rows * sizeof *array);
    touch(column.status, rows * sizeof *column.status);
    touch(cooked.values, rows * sizeof *cooked.values);
    for (std::size_t row = 0; row < rows; ++row) {
        const bool has_reason = *hkpd_reason_name(cooked.reasons[row]) != '\0';
        require(has_reason == (cooked.reasons[row] != 0));
        require(cooked.values[row] == cooked.values[row] || has_reason);
        if (column.storage == HKPD_STORAGE_NUMBER) continue;
        const char* text = nullptr;
        std::size_t size = 0;
        require(hkpd_get_text(reader, object, position, row, &text, &size) == HKPD_OK);
        touch(text, size);
    }
    return rows;
}

/// Returns the number of values of the current sample.
std::size_t read_sample(hkpd_reader* reader, const hkpd_sample& sample) {
    std::size_t values = 0;
    touch(sample.machine, sample.machine_size);
    for (std::size_t i = 0; i < sample.object_count; ++i) {
        auto object = sized<hkpd_object>();
        require(hkpd_get_object(reader, i, &object) == HKPD_OK);
        touch(object.name, object.name_size);
        touch(object.help, object.help_size);
        read_instances(reader, i, sample, object.instance_count);
        for (std::size_t c = 0; c < object.column_count; ++c)
            values += read_column(reader, i, c, object.instance_count);
    }
    return values;
}

void read_faults(hkpd_reader* reader) {
    for (std::size_t i = 0; i < hkpd_fault_count(reader); ++i) {
        auto fault = sized<hkpd_fault>();
        require(hkpd_get_fault(reader, i, &fault) == HKPD_OK);
        touch(fault.code, std::strlen(fault.code));
        touch(fault.input, fault.input_size);
        touch(fault.structure, fault.structure_size);
        touch(fault.field, fault.field_size);
        touch(fault.message, fault.message_size);
    }
}

/// Returns the number of rows of a stream.
std::size_t read_stream(hkpd_reader* reader) {
    ArrowArrayStream stream{};
    require(hkpd_arrow_stream(reader, &stream) == HKPD_OK);
    std::size_t rows = 0;
    while (true) {
        ArrowArray table{};
        require(stream.get_next(&stream, &table) == 0);
        if (table.release == nullptr) break;
        const auto length = static_cast<std::size_t>(table.length);
        rows += length;
        constexpr std::size_t time = 0, raw = 11, value = 12;  // the columns with 64 bits a row
        for (std::size_t i = 0; i < static_cast<std::size_t>(table.n_children); ++i) {
            const ArrowArray* const child = table.children[i];
            require(child->length == table.length);
            touch(child->buffers[0], (length + 7) / 8);
            touch(child->buffers[1], length * (i == time || i == raw || i == value ? 8 : 4));
            if (child->dictionary == nullptr) continue;
            const auto texts = static_cast<std::size_t>(child->dictionary->length);
            const auto* const offsets = static_cast<const std::int32_t*>(child->dictionary->buffers[1]);
            touch(child->dictionary->buffers[2], static_cast<std::size_t>(offsets[texts]));
            for (std::size_t row = 0; row < length; ++row) {
                const std::int32_t position = static_cast<const std::int32_t*>(child->buffers[1])[row];
                require(position >= 0 && (static_cast<std::size_t>(position) < texts || child->null_count != 0));
            }
        }
        table.release(&table);
    }
    stream.release(&stream);
    return rows;
}

/// Makes the report of a file, and reads all of its page and its findings.
void read_report(std::span<const std::uint8_t> input, unsigned bits) {
    static const hkpd_fuzz::InputFile file;
    file.hold(std::as_bytes(input));
    const std::string name = file.name();
    const char* const path = name.c_str();
    auto options = sized<hkpd_report_options>();
    options.theme = bits % 3;
    options.page_bytes = 100'000;
    options.baseline = (bits & 4U) != 0 ? path : nullptr;
    hkpd_answer* answer = nullptr;
    const hkpd_status status = hkpd_report(&path, 1, nullptr, &options, &answer, nullptr);
    require((status == HKPD_OK) == (answer != nullptr));
    if (answer == nullptr) return;
    auto page = sized<hkpd_page>();
    require(hkpd_get_page(answer, &page) == HKPD_OK);
    require(std::string_view(page.html, page.html_size).starts_with("<!DOCTYPE html>"));
    touch(page.html, page.html_size);
    std::vector<hkpd_rule_finding> findings(page.finding_count + 1);
    findings[0].struct_size = sizeof(hkpd_rule_finding);
    require(hkpd_get_rule_findings(answer, 0, page.finding_count, findings.data()) == HKPD_OK);
    for (const hkpd_rule_finding& finding : std::span(findings).first(page.finding_count)) {
        touch(finding.analysis, finding.analysis_size);
        touch(finding.threshold, finding.threshold_size);
        touch(finding.machine, finding.machine_size);
        touch(finding.object, finding.object_size);
        touch(finding.instance, finding.instance_size);
        touch(finding.counter, finding.counter_size);
        require(finding.exceeding <= finding.values);
    }
    read_faults(hkpd_answer_faults(answer));
    hkpd_free_answer(answer);
}

hkpd_reader* open(std::span<const std::uint8_t> input, unsigned bits) {
    auto options = sized<hkpd_options>();
    options.flags = bits & (HKPD_CAP | HKPD_CLAMP | HKPD_UNWRAP | HKPD_SCALE);
    options.batch_rows = (bits & 16U) != 0 ? 10 : 0;
    hkpd_reader* reader = nullptr;
    if ((bits & 32U) == 0) {
        hkpd_open_memory(input.data(), input.size(), &options, &reader, nullptr);
        return reader;
    }
    require(hkpd_open_feed(&options, &reader, nullptr) == HKPD_OK);
    auto record = sized<hkpd_record>();
    record.kind = (bits & 64U) == 0 ? HKPD_RECORD_V1 : HKPD_RECORD_V2;
    record.data = input.data();
    record.size = input.size();
    for (int i = 0; i < 2; ++i) require(hkpd_feed(reader, &record) == HKPD_OK);
    return reader;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const unsigned bits = data[0];
    const auto input = std::span(data, size).subspan(1);
    hkpd_reader* reader = open(input, bits);
    if (reader == nullptr) return 0;
    auto sample = sized<hkpd_sample>();
    std::size_t values = 0;
    while (hkpd_next(reader, &sample) == HKPD_OK) values += read_sample(reader, sample);
    read_faults(reader);
    hkpd_close(reader);
    reader = open(input, bits);
    require(read_stream(reader) == values);
    hkpd_close(reader);
    if (hkpd_fuzz::Effort(data, size).thorough()) read_report(input, bits);
    return 0;
}
