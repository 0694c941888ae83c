/* Prints an answer as rows, for compare.py, as rows.cpp does: rows summary|check INPUT... */
#include <hkpd.h>
#include <stdio.h>
#include <string.h>

#define TEXT(member) text(row.member, row.member##_size)

static void text(const char* data, size_t size) {
    for (size_t i = 0; i < size; ++i) putchar((unsigned char)data[i] < ' ' ? ' ' : data[i]);
    putchar('\t');
}

static void terminated(const char* data) { text(data, strlen(data)); }

static void number(double value) { printf("%.17g\t", value); }

static void integer(int is_known, long long value) {
    if (is_known) printf("%lld", value);
    putchar('\t');
}

static int print_summary(const hkpd_answer* answer) {
    hkpd_run run = {.struct_size = sizeof run};
    if (hkpd_get_run(answer, 0, &run) != HKPD_OK) return 4;
    puts(
        "machine\tobject\tcounterset\tparent\tinstance\tpid\tinstance_"
        "id\tlife\tcounter\tunit\tcount\tfirst\tlast\tmin\t"
        "mean\tp50\tp95\tp99\tmax\tstddev\tdelta\tslope\taverage");
    for (size_t i = 0; i < run.series_count; ++i) {
        hkpd_series row = {.struct_size = sizeof row};
        if (hkpd_get_series(answer, HKPD_LIST_ROWS, i, 1, &row) != HKPD_OK) return 4;
        TEXT(machine);
        TEXT(object);
        TEXT(counterset);
        TEXT(parent);
        TEXT(instance);
        integer(row.pid != HKPD_NO_INDEX, row.pid);
        integer(row.has_instance_id != 0, row.instance_id);
        integer(row.life != 0, row.life);
        TEXT(counter);
        terminated(row.unit);
        integer(1, (long long)row.count);
        const double numbers[] = {row.first, row.last, row.min,    row.mean,  row.p50,   row.p95,
                                  row.p99,   row.max,  row.stddev, row.delta, row.slope, row.average};
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; ++n) number(numbers[n]);
        putchar('\n');
    }
    return 0;
}

static int print_check(hkpd_answer* answer) {
    hkpd_checked checked = {.struct_size = sizeof checked};
    if (hkpd_get_checked(answer, &checked) != HKPD_OK) return 4;
    puts("severity\tcode\tmachine\tobject_name\tinstance_name\trule\trepair\tperflib_event\tservice\tlibrary");
    static const char* const severities[] = {"note", "warning", "error"};
    for (size_t i = 0; i < checked.finding_count; ++i) {
        hkpd_fault fault = {.struct_size = sizeof fault};
        hkpd_finding row = {.struct_size = sizeof row};
        if (hkpd_get_fault(hkpd_answer_faults(answer), i, &fault) != HKPD_OK) return 4;
        if (hkpd_get_findings(answer, i, 1, &row) != HKPD_OK) return 4;
        terminated(severities[fault.severity]);
        terminated(fault.code);
        TEXT(machine);
        TEXT(object);
        TEXT(instance);
        TEXT(rule);
        TEXT(repair);
        integer(row.event != 0, row.event);
        TEXT(service);
        TEXT(library);
        putchar('\n');
    }
    return 0;
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const int is_check = strcmp(argv[1], "check") == 0;
    const char* const* paths = (const char* const*)(argv + 2);
    hkpd_answer* answer = NULL;
    const hkpd_status status =
        (is_check ? hkpd_check : hkpd_summary)(paths, (size_t)argc - 2, NULL, NULL, &answer, NULL);
    if (status != HKPD_OK) return 3;
    const int result = is_check ? print_check(answer) : print_summary(answer);
    hkpd_free_answer(answer);
    return result;
}
