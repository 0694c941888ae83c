/* lines FILE...: prints all that the C interface returns for each file. README.md describes the lines. */
#include <hkpd.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void print_hex(const void* data, size_t size) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; ++i) {
        putchar(digits[bytes[i] >> 4]);
        putchar(digits[bytes[i] & 15]);
    }
}

static void print_text(const char* text, size_t size) {
    putchar(' ');
    if (text == NULL) {
        putchar('-');
    } else if (size == 0) {
        fputs("\"\"", stdout);
    } else {
        print_hex(text, size);
    }
}

static void print_optional(bool has, int64_t number) {
    if (has) {
        printf(" %" PRId64, number);
    } else {
        fputs(" -", stdout);
    }
}

static void print_array(const char* name, const void* values, size_t size) {
    if (values == NULL) return;
    printf("%s ", name);
    print_hex(values, size);
    putchar('\n');
}

/* Ends the program if a call that must succeed fails. */
static void expect(hkpd_status status, const char* call) {
    if (status == HKPD_OK) return;
    fprintf(stderr, "%s: %s\n", call, hkpd_status_text(status));
    exit(1);
}

static void print_instances(hkpd_reader* reader, size_t object, size_t count) {
    if (count == 0) return;
    hkpd_instance* instances = calloc(count, sizeof *instances);
    if (instances == NULL) exit(3);
    instances->struct_size = sizeof *instances;
    expect(hkpd_get_instances(reader, object, 0, count, instances), "hkpd_get_instances");
    for (size_t row = 0; row < count; ++row) {
        const hkpd_instance* instance = &instances[row];
        fputs("instance", stdout);
        print_text(instance->name, instance->name_size);
        printf(" %" PRIu32, instance->number);
        print_optional(instance->has_id != 0, instance->id);
        printf(" %" PRIu32 " %" PRIu32 " %" PRIu64, instance->parent_object, instance->parent_instance,
               instance->offset);
        print_text(instance->parent, instance->parent_size);
        print_optional(instance->pid != HKPD_NO_INDEX, instance->pid);
        print_optional(instance->has_instance_id != 0, instance->instance_id);
        print_optional(instance->life != 0, instance->life);
        putchar('\n');
    }
    free(instances);
}

static void print_cooked(hkpd_reader* reader, size_t object, size_t position) {
    hkpd_cooked cooked = {.struct_size = sizeof cooked};
    expect(hkpd_get_cooked(reader, object, position, &cooked), "hkpd_get_cooked");
    fputs("cooked ", stdout);
    print_hex(cooked.values, cooked.count * sizeof *cooked.values);
    fputs("\nreasons ", stdout);
    for (size_t begin = 0, end = 0; begin < cooked.count; begin = end) {
        while (end < cooked.count && cooked.reasons[end] == cooked.reasons[begin]) ++end;
        const char* name = hkpd_reason_name(cooked.reasons[begin]);
        printf("%s%s*%zu", begin == 0 ? "" : ",", *name == '\0' ? "none" : name, end - begin);
    }
    putchar('\n');
}

static void print_column(hkpd_reader* reader, size_t object, size_t position) {
    hkpd_column column = {.struct_size = sizeof column};
    expect(hkpd_get_column(reader, object, position, &column), "hkpd_get_column");
    printf("column %" PRIu32 " %" PRIu32, column.index, column.help_index);
    print_text(column.name, column.name_size);
    print_text(column.help, column.help_size);
    const char* type = hkpd_type_name(column.type);
    printf(" %" PRIu32 " %s %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRId32 " %" PRIu32 " %" PRId32
           " %" PRId32 " %" PRId32 " %" PRId32,
           column.type, *type == '\0' ? "-" : type, column.storage, column.attributes, column.value_size, column.offset,
           column.scale, column.detail_level, column.base, column.time, column.frequency, column.multi);
    print_optional(column.has_time_base != 0, column.time_base);
    putchar('\n');
    print_array("values", column.values, column.count * sizeof *column.values);
    print_array("second", column.second, column.count * sizeof *column.second);
    print_array("status", column.status, column.count * sizeof *column.status);
    print_array("multi_count", column.multi_count, column.count * sizeof *column.multi_count);
    print_array("taken", column.taken, column.count * sizeof *column.taken);
    for (size_t row = 0; column.storage != HKPD_STORAGE_NUMBER && row < column.count; ++row) {
        const char* text = NULL;
        size_t size = 0;
        expect(hkpd_get_text(reader, object, position, row, &text, &size), "hkpd_get_text");
        fputs("text", stdout);
        print_text(text, size);
        putchar('\n');
    }
    print_cooked(reader, object, position);
}

static void print_object(hkpd_reader* reader, size_t position) {
    hkpd_object object = {.struct_size = sizeof object};
    expect(hkpd_get_object(reader, position, &object), "hkpd_get_object");
    printf("object %" PRIu32 " %" PRIu32, object.index, object.help_index);
    print_text(object.name, object.name_size);
    print_text(object.help, object.help_size);
    putchar(' ');
    if (object.has_counterset != 0) {
        print_hex(object.counterset, sizeof object.counterset);
    } else {
        putchar('-');
    }
    printf(" %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRId64 " %" PRId64 "\n", object.kind, object.detail_level,
           object.code_page, object.perf_time, object.perf_frequency);
    print_instances(reader, position, object.instance_count);
    for (size_t column = 0; column < object.column_count; ++column) print_column(reader, position, column);
}

static void print_faults(hkpd_reader* reader) {
    const size_t count = hkpd_fault_count(reader);
    for (size_t i = 0; i < count; ++i) {
        hkpd_fault fault = {.struct_size = sizeof fault};
        expect(hkpd_get_fault(reader, i, &fault), "hkpd_get_fault");
        printf("fault %" PRIu32 " %s %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32, fault.severity, fault.code,
               fault.sample, fault.record, fault.object, fault.instance);
        if (fault.has_offset != 0) {
            printf(" %" PRIu64, fault.offset);
        } else {
            fputs(" -", stdout);
        }
        printf(" %" PRIu64 " %" PRIu64, fault.expected, fault.found);
        print_text(fault.input, fault.input_size);
        print_text(fault.structure, fault.structure_size);
        print_text(fault.field, fault.field_size);
        print_text(fault.message, fault.message_size);
        putchar('\n');
    }
    printf("faults %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", hkpd_count_faults(reader, HKPD_NOTE),
           hkpd_count_faults(reader, HKPD_WARNING), hkpd_count_faults(reader, HKPD_ERROR));
}

static void print_file(const char* path) {
    hkpd_reader* reader = NULL;
    hkpd_error error = {.struct_size = sizeof error};
    hkpd_sample sample = {.struct_size = sizeof sample};
    printf("file %s\n", path);
    if (hkpd_open(&path, 1, NULL, &reader, &error) != HKPD_OK) {
        printf("open failed: %s\n", error.message);
        return;
    }
    hkpd_status status = HKPD_OK;
    while ((status = hkpd_next(reader, &sample)) == HKPD_OK) {
        printf("sample %" PRIu32 " %" PRIu32, sample.number, sample.source);
        print_optional(sample.has_time != 0, sample.time);
        print_text(sample.machine, sample.machine_size);
        printf(" %" PRId64 " %" PRId64 " %" PRId64 " %" PRIu64 " %" PRId32 "\n", sample.perf_time,
               sample.perf_frequency, sample.perf_time_100ns, sample.bytes, sample.default_object);
        for (size_t object = 0; object < sample.object_count; ++object) print_object(reader, object);
    }
    expect(status == HKPD_END ? HKPD_OK : status, "hkpd_next");
    print_faults(reader);
    hkpd_close(reader);
}

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) print_file(argv[i]);
    return fflush(stdout) == 0 ? 0 : 3;
}
