/* Prints who uses most in a run, as `hkpd top --format csv` does: the values are data. */
#include <hkpd.h>
#include <stdio.h>
#define TEXT(name) (int)row.name##_size, row.name ? row.name : ""
int main(int argc, char** argv) {
    hkpd_answer* top = NULL;
    hkpd_run run = {.struct_size = sizeof run};
    if (hkpd_top((const char* const*)(argv + 1), (size_t)argc - 1, NULL, NULL, &top, NULL) != HKPD_OK) return 3;
    puts("machine,object,parent,instance,pid,counter,count,mean,p95,max,last");
    hkpd_get_run(top, 0, &run);
    for (size_t i = 0; i < run.series_count; ++i) {
        hkpd_series row = {.struct_size = sizeof row};
        hkpd_get_series(top, HKPD_LIST_ROWS, i, 1, &row);
        printf("\"%.*s\",\"%.*s\",\"%.*s\",\"%.*s\",", TEXT(machine), TEXT(object), TEXT(parent), TEXT(instance));
        printf(row.pid == HKPD_NO_INDEX ? "," : "%u,", (unsigned)row.pid);
        printf("\"%.*s\",%llu,%.17g,", TEXT(counter), (unsigned long long)row.count, row.mean);
        printf("%.17g,%.17g,%.17g\n", row.p95, row.max, row.last);
    }
    hkpd_free_answer(top);
}
