/* Prints the number of values in files, and those that cannot be used. */
#include <hkpd.h>
#include <stdio.h>

int main(int argc, char** argv) {
    hkpd_reader* reader = NULL;
    hkpd_error error = {.struct_size = sizeof error};
    const char* const* paths = (const char* const*)(argv + 1);
    if (hkpd_open(paths, (size_t)(argc - 1), NULL, &reader, &error) != HKPD_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 3;
    }
    size_t values = 0, damaged = 0;
    hkpd_sample sample = {.struct_size = sizeof sample};
    while (hkpd_next(reader, &sample) == HKPD_OK)
        for (size_t o = 0; o < sample.object_count; ++o) {
            hkpd_object object = {.struct_size = sizeof object};
            hkpd_get_object(reader, o, &object);
            for (size_t c = 0; c < object.column_count; ++c) {
                hkpd_column column = {.struct_size = sizeof column};
                hkpd_get_column(reader, o, c, &column);
                values += column.count;
                for (size_t row = 0; column.status != NULL && row < column.count; ++row)
                    damaged += column.status[row] != HKPD_STATUS_VALID;
            }
        }
    printf("%zu values, %zu of them damaged; hkpd %s\n", values, damaged, hkpd_version());
    hkpd_close(reader);
    return 0;
}
