/* Functions that fetch all structs of a kind in one call: each call from Go into C costs about 50 ns, which is more
 * than the work for a column of one value. */
#ifndef HKPD_GO_GLUE_H
#define HKPD_GO_GLUE_H

#include <hkpd.h>
#include <stdlib.h>

static inline hkpd_status hkpd_go_objects(hkpd_reader* reader, size_t count, hkpd_object* filled) {
    for (size_t o = 0; o < count; ++o) {
        filled[o].struct_size = sizeof *filled;
        const hkpd_status status = hkpd_get_object(reader, o, &filled[o]);
        if (status != HKPD_OK) return status;
    }
    return HKPD_OK;
}

static inline hkpd_status hkpd_go_instances(hkpd_reader* reader, size_t object, size_t count, hkpd_instance* filled) {
    if (count > 0) filled->struct_size = sizeof *filled;
    return hkpd_get_instances(reader, object, 0, count, filled);
}

static inline hkpd_status hkpd_go_columns(hkpd_reader* reader, size_t object, size_t count, hkpd_column* filled) {
    for (size_t c = 0; c < count; ++c) {
        filled[c].struct_size = sizeof *filled;
        const hkpd_status status = hkpd_get_column(reader, object, c, &filled[c]);
        if (status != HKPD_OK) return status;
    }
    return HKPD_OK;
}

/* Fetches the cooked values of `count` columns from position `first` on. */
static inline hkpd_status hkpd_go_cooked(hkpd_reader* reader, size_t object, size_t first, size_t count,
                                         hkpd_cooked* filled) {
    for (size_t c = 0; c < count; ++c) {
        filled[c].struct_size = sizeof *filled;
        const hkpd_status status = hkpd_get_cooked(reader, object, first + c, &filled[c]);
        if (status != HKPD_OK) return status;
    }
    return HKPD_OK;
}

#endif
