/* The C interface of hkpd: libhkpd.so.1. It reads Windows performance data (registry blobs, PerfLib blocks, captures,
 * PerfMon's logs) as columns of raw and cooked values, for programs in C and for every language that can call C.
 *
 *     hkpd_reader* reader = NULL;
 *     hkpd_error error = {sizeof error};
 *     const char* path = "perf.blg";
 *     if (hkpd_open(&path, 1, NULL, &reader, &error) != HKPD_OK) { fputs(error.message, stderr); return 3; }
 *     hkpd_sample sample = {sizeof sample};
 *     while (hkpd_next(reader, &sample) == HKPD_OK)
 *         for (size_t o = 0; o < sample.object_count; ++o) {
 *             hkpd_object object = {sizeof object};
 *             hkpd_get_object(reader, o, &object);
 *             for (size_t c = 0; c < object.column_count; ++c) {
 *                 hkpd_column column = {sizeof column};
 *                 hkpd_cooked cooked = {sizeof cooked};
 *                 hkpd_get_column(reader, o, c, &column);
 *                 hkpd_get_cooked(reader, o, c, &cooked);
 *                 use(&object, &column, column.values, cooked.values, object.instance_count);
 *             }
 *         }
 *     hkpd_close(reader);
 *
 * Rules that hold for all functions:
 *
 * - Every struct begins with its size. The caller sets `struct_size` to sizeof before a call that fills the struct. A
 *   library that is newer than the program fills only the members that the program knows. A library that is older sets
 *   the members that it does not know to zero. A size below that of the struct's first version is refused. All other
 *   members of a struct that is passed to the library are zero by default.
 * - Text is UTF-8: a pointer and a size in bytes. It is not terminated by NUL, except the `const char*` that functions
 *   return and `hkpd_error::message`. If there is no text, the pointer is NULL; an empty text has a pointer. Names come
 *   from the input and can contain any character, also NUL and control characters.
 * - Pointers to names and columns are valid until the next call of `hkpd_next`, `hkpd_feed`, `hkpd_arrow_stream` or
 *   `hkpd_close` with the same reader. Nothing is copied.
 * - No input is trusted. Damage never ends the reading: all valid data is delivered, damaged values are marked, and
 * each fault is in the list of faults (`hkpd_get_fault`).
 * - A reader may be used by one thread at a time. Different readers are independent of each other.
 * - No C++ exception leaves a function, and no function prints or ends the program. After HKPD_ERROR_MEMORY, a reader
 *   has no sample any more, and functions that read with it return the same status. Its faults can still be read.
 * - Functions and members are only ever added. Bindings may rely on the numbers of the enumerations below.
 */
#ifndef HKPD_H
#define HKPD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(HKPD_BUILDING)
#define HKPD_API __declspec(dllexport)
#elif defined(_WIN32)
#define HKPD_API __declspec(dllimport)
#elif defined(__GNUC__)
#define HKPD_API __attribute__((visibility("default")))
#else
#define HKPD_API
#endif

/* --- declarations: tools/bindings/python reads the header from here on --- */

/* Result of a function: 0 or a positive number is no failure. */
typedef int32_t hkpd_status;
enum {
    HKPD_OK = 0,
    HKPD_END = 1,             /* there are no more samples or, after hkpd_feed, no more fed records */
    HKPD_ERROR_ARGUMENT = -1, /* a pointer is NULL, an index is too large, or a `struct_size` is too small */
    HKPD_ERROR_STATE = -2,    /* there is no current sample, or the reader is not of the right kind */
    HKPD_ERROR_OPEN = -3,     /* no input can be opened, or the input is empty */
    HKPD_ERROR_MEMORY = -4,   /* out of memory */
    HKPD_ERROR_INTERNAL = -5  /* a fault of the library itself */
};

/* Interface through which a sample was collected. */
typedef uint32_t hkpd_source;
enum { HKPD_SOURCE_V1 = 0, HKPD_SOURCE_V2 = 1, HKPD_SOURCE_LOG = 2 };

/* Kind of an object: whether it has a list of instances. `METADATA`: V1 described the object without its values
 * (HKEY_PERFORMANCE_DATA was queried for "Costly" metadata). */
typedef uint32_t hkpd_kind;
enum { HKPD_KIND_SINGLE = 0, HKPD_KIND_MULTI = 1, HKPD_KIND_METADATA_SINGLE = 2, HKPD_KIND_METADATA_MULTI = 3 };

/* What the values of a column are: numbers, or texts or bytes that `hkpd_get_text` returns. */
typedef uint32_t hkpd_storage;
enum { HKPD_STORAGE_NUMBER = 0, HKPD_STORAGE_TEXT = 1, HKPD_STORAGE_BYTES = 2 };

/* Severity of a fault. Note: unusual but legal. Warning: a rule is broken, but no data was lost. Error: data was
 * lost. */
typedef uint32_t hkpd_severity;
enum { HKPD_NOTE = 0, HKPD_WARNING = 1, HKPD_ERROR = 2 };

/* Kind of a record that is fed: a whole message, as a function of Windows returned it. */
typedef uint32_t hkpd_record_kind;
enum {
    HKPD_RECORD_V1 = 0,             /* RegQueryValueEx(HKEY_PERFORMANCE_DATA) */
    HKPD_RECORD_TITLES = 1,         /* a title database, in any form that hkpd reads */
    HKPD_RECORD_V2 = 3,             /* PerfQueryCounterData */
    HKPD_RECORD_V2_IDENTIFIERS = 4, /* PerfQueryCounterInfo, before the blocks of this query */
    HKPD_RECORD_V2_REGISTRATION = 5 /* PerfQueryCounterSetRegistrationInfo, before the blocks with the counterset */
};

enum {
    /* Options (hkpd_options::flags). */
    HKPD_CAP = 1,              /* limit percentages to 100, as PdhGetFormattedCounterValue does */
    HKPD_CLAMP = 2,            /* 0 instead of no value if a counter, clock or base went back */
    HKPD_UNWRAP = 4,           /* treat a 32-bit counter as wrapped if it decreased by more than half of its range */
    HKPD_SCALE = 8,            /* multiply cooked values by 10^scale */
    HKPD_HAS_FROM = 16,        /* hkpd_options::from is set */
    HKPD_HAS_TO = 32,          /* hkpd_options::to is set */
    HKPD_RAW_ONLY = 64,        /* cook nothing that needs two samples; for programs that read raw values only */
    HKPD_NO_INPUT_TITLES = 128 /* names come from the built-in titles and hkpd_options::titles alone */
};

/* Status of a value (hkpd_column::status): valid, damaged, or a status of PDH (pdhmsg.h). */
#define HKPD_STATUS_VALID 0
#define HKPD_STATUS_NO_INSTANCE 0x800007D1u  /* PDH_CSTATUS_NO_INSTANCE */
#define HKPD_STATUS_DAMAGED 0xE0000001u      /* the value cannot be read; a status of hkpd, not of PDH */
#define HKPD_STATUS_NOT_RECORDED 0xE0000002u /* the text log states that there is no value; a status of hkpd */
/* Stands for an index, an id or a position that does not exist. */
#define HKPD_NO_INDEX 0xFFFFFFFFu

/* A reader: the samples of one input, one after another, and the faults found in it. */
typedef struct hkpd_reader hkpd_reader;

/* Options for opening. NULL instead of options stands for the defaults. Texts must live until the call returns. */
typedef struct hkpd_options {
    size_t struct_size;
    uint32_t flags;
    uint32_t machines;        /* most machines whose samples may be interleaved; 0: 64 */
    int64_t from, to;         /* moments to read, inclusive, in nanoseconds since 1970 (UTC) */
    uint64_t first_sample;    /* number of the first sample to read, counted from 0 */
    uint64_t sample_count;    /* number of samples to read; 0: all */
    uint64_t every;           /* N: only each N-th sample of each machine and source; 0: all */
    const char* languages;    /* preferred languages of names, such as "007,00c"; NULL: English */
    const void* titles;       /* content of a title database, such as perfc009.dat; NULL: none */
    size_t titles_size;       /* its size in bytes */
    const char* const* paths; /* counter paths with wildcards that select the rows of Arrow tables; NULL: all rows */
    size_t path_count;
    uint64_t batch_rows; /* rows after which hkpd_arrow_stream ends a batch; 0: 65,536 */
    /* Zones of text logs that state none, as those of typeperf, one a line: ZONE, or FILE=ZONE for one input whatever
     * it states. ZONE is an IANA name, a name of Windows, UTC, or local. NULL: their times are local times, taken as
     * UTC. */
    const char* log_zones;
    /* Encoding of text logs without a byte order mark: utf-8, utf-16le, a code page such as 1251, or another name that
     * the system's converter knows and that begins like ASCII. NULL: guessed from names and time zone. */
    const char* encoding;
} hkpd_options;

/* Failure of a call that returns no reader. */
typedef struct hkpd_error {
    size_t struct_size;
    int32_t status;    /* the hkpd_status that the function returned */
    int32_t system;    /* error number of the operating system; 0 if there is none */
    char message[496]; /* one line of text, terminated by NUL */
} hkpd_error;

/* A moment of one machine. */
typedef struct hkpd_sample {
    size_t struct_size;
    uint32_t number;     /* number of samples before this one in the input */
    uint32_t source;     /* hkpd_source */
    const char* machine; /* name of the machine; NULL if it is damaged */
    size_t machine_size;
    int64_t time; /* nanoseconds since 1970 (UTC), if has_time is not 0 */
    uint32_t has_time;
    int32_t default_object; /* V1: index of the object to show first; -1 if there is none */
    size_t object_count;
    int64_t perf_time, perf_frequency; /* PerfTime and PerfFreq of the block */
    int64_t perf_time_100ns;           /* PerfTime100nSec */
    uint64_t bytes;                    /* size of the blocks of the sample, or of its row in a log */
    uint32_t local_time;               /* 1: `time` is a local time, taken as UTC, as the text log states no zone */
    uint32_t reserved;
} hkpd_sample;

/* An object or counterset of the current sample. */
typedef struct hkpd_object {
    size_t struct_size;
    uint32_t index; /* V1: title index; otherwise a number that identifies the object in this run */
    uint32_t help_index;
    const char* name; /* NULL if it is unknown */
    size_t name_size;
    const char* help; /* NULL if it is unknown */
    size_t help_size;
    uint8_t counterset[16]; /* V2: GUID as Windows stores it in memory, if has_counterset is not 0 */
    uint32_t has_counterset;
    uint32_t kind; /* hkpd_kind */
    uint32_t detail_level;
    uint32_t code_page;                /* V1: code page of instance names; 0: UTF-16 */
    int64_t perf_time, perf_frequency; /* PerfTime and PerfFreq of the object */
    size_t instance_count;             /* 1 for an object without instances */
    size_t column_count;
} hkpd_object;

/* An instance of an object. Instances come and go, so that neither a position nor `name#number` is the same instance in
 * the next sample. Over a run, an instance is identified by the sample's machine and source, the object, and
 *
 *     parent, name          equal regardless of case
 *     pid                   of a process, and of its threads
 *     instance_id           of an instance that has no `pid`, if it has an id
 *     number                of an instance that has neither; `number` is no part of the identity of any other
 *     life                  counts what has used the same of these ids, one after the other
 *
 * Lives are those in the samples of which the program asks for the object's instances. Where one text is needed:
 * `[parent/]name`; if several instances of the run have this text, `name:pid` or `parent:pid/name`,
 * `[parent/]name:instance_id`, `[parent/]name#number`; each followed by `:life` if there are several lives. What
 * PerfMon shows in this sample is `[parent/]name#number`. `#0` is left out. */
typedef struct hkpd_instance {
    size_t struct_size;
    const char* name; /* empty for an object without instances; NULL if it is damaged */
    size_t name_size;
    uint32_t number; /* the number in `name#number`: instances of one name and parent are counted from 0 */
    int32_t id;      /* UniqueID or InstanceId, if has_id is not 0 */
    uint32_t has_id;
    uint32_t parent_object;   /* position of the parent's object in the sample; HKPD_NO_INDEX if there is no parent */
    uint32_t parent_instance; /* position of the parent in that object; HKPD_NO_INDEX if there is no parent */
    uint32_t reserved;
    uint64_t offset; /* offset of the instance in the input */
    uint32_t pid;    /* id of its process; HKPD_NO_INDEX if there is none, or it is damaged */
    uint32_t
        life; /* 1; 2 and so on if its ids are used again; 0 if the instance has no identity: its name is damaged */
    int32_t instance_id; /* `id`, where that is part of the identity, which has_instance_id states */
    uint32_t has_instance_id;
    const char* parent; /* name of the direct parent; NULL if there is none, or it is damaged */
    size_t parent_size;
} hkpd_instance;

/* A counter of an object and its raw values: value i belongs to instance i. Arrays have `count` elements, or are NULL
 * if the column has none. */
typedef struct hkpd_column {
    size_t struct_size;
    uint32_t index; /* V1: title index; V2: counter id; HKPD_NO_INDEX if it is unknown */
    uint32_t help_index;
    const char* name; /* NULL if it is unknown */
    size_t name_size;
    const char* help; /* NULL if it is unknown */
    size_t help_size;
    uint32_t type;       /* counter type of winperf.h; HKPD_NO_INDEX if it is unknown */
    uint32_t storage;    /* hkpd_storage */
    uint64_t attributes; /* V2: PERF_ATTRIB_* */
    uint32_t value_size; /* bytes of a value in the input */
    uint32_t offset;     /* offset of the value in its counter block */
    int32_t scale;       /* DefaultScale: programs show value x 10^scale */
    uint32_t detail_level;
    int32_t base, time, frequency, multi; /* positions of related columns in the object; negative if there are none */
    size_t count;
    const uint64_t* values;      /* numbers; for text and bytes, positions that only hkpd_get_text uses */
    const uint64_t* second;      /* base, clock or instance count of each value, where the column has it itself */
    const uint32_t* status;      /* NULL if all values are valid */
    const uint64_t* multi_count; /* raw counters of a log */
    const uint64_t* taken;       /* raw counters of a log: when each value was collected, in 100 ns since 1601 (UTC) */
    int64_t time_base;           /* raw counters of a log: ticks per second of the type's clock */
    uint32_t has_time_base;
    uint32_t reserved;
} hkpd_column;

/* The cooked values of a column. */
typedef struct hkpd_cooked {
    size_t struct_size;
    size_t count;
    const double* values;   /* NaN where there is no value */
    const uint8_t* reasons; /* why there is no value or a substitute: for hkpd_reason_name; 0: none */
} hkpd_cooked;

/* A fault of the input. */
typedef struct hkpd_fault {
    size_t struct_size;
    uint32_t severity;   /* hkpd_severity */
    uint32_t sample;     /* number of samples before the fault's; HKPD_NO_INDEX: none */
    uint32_t record;     /* captures and logs: number of records before the fault's; HKPD_NO_INDEX: none */
    uint32_t object;     /* index of the object; HKPD_NO_INDEX: none */
    uint32_t instance;   /* position of the instance in its object; HKPD_NO_INDEX: none */
    uint32_t has_offset; /* whether `offset` has a meaning */
    uint64_t offset;     /* bytes from the start of the input or, with a record, from the start of the record */
    uint64_t expected, found;
    const char* code;  /* name that never changes, such as "counter_outside_block"; terminated by NUL */
    const char* input; /* name of the input; NULL if there is none */
    size_t input_size;
    const char* structure; /* such as "PERF_OBJECT_TYPE"; NULL if there is none */
    size_t structure_size;
    const char* field; /* such as "TotalByteLength"; NULL if there is none */
    size_t field_size;
    const char* message; /* what is wrong, with the expected and the found value; valid until the next hkpd_get_fault */
    size_t message_size;
} hkpd_fault;

/* A record to feed: bytes as a function of Windows returned them. */
typedef struct hkpd_record {
    size_t struct_size;
    uint32_t kind;    /* hkpd_record_kind */
    uint32_t request; /* registration: PERF_REG_* that was requested */
    const void* data;
    size_t size;
    const char* machine;    /* titles, V2: name of the machine, terminated by NUL; NULL if it is unknown */
    const char* language;   /* titles, registration: such as "009", terminated by NUL; NULL if it is unknown */
    uint8_t counterset[16]; /* registration: GUID of the counterset, as Windows stores it in memory */
    int64_t time;           /* when the record was received, in nanoseconds since 1970; 0: unknown */
} hkpd_record;

/* --- answers: what `hkpd top`, `replay --summary`, `compare`, `info`, `check` and `report` know --- */

/* A column of statistics, by which rows are sorted; HKPD_SORT_DEFAULT: the order of hkpd_answer_options::sort. */
typedef uint32_t hkpd_statistic;
enum {
    HKPD_SORT_DEFAULT = 0,
    HKPD_SORT_COUNT = 1,
    HKPD_SORT_FIRST = 2,
    HKPD_SORT_LAST = 3,
    HKPD_SORT_MIN = 4,
    HKPD_SORT_MEAN = 5,
    HKPD_SORT_P50 = 6,
    HKPD_SORT_P95 = 7,
    HKPD_SORT_P99 = 8,
    HKPD_SORT_MAX = 9,
    HKPD_SORT_STDDEV = 10,
    HKPD_SORT_DELTA = 11,
    HKPD_SORT_SLOPE = 12,
    /* hkpd_top: orders of processes. Processor time in seconds; what they have in their last sample; bytes of I/O;
     * growth of the private bytes per hour, first of those that grow steadily; the name. */
    HKPD_SORT_PROCESSOR = 32,
    HKPD_SORT_WORKING_SET = 33,
    HKPD_SORT_PRIVATE_BYTES = 34,
    HKPD_SORT_HANDLES = 35,
    HKPD_SORT_IO = 36,
    HKPD_SORT_GROWTH = 37,
    HKPD_SORT_NAME = 38
};

enum {
    /* Options (hkpd_answer_options::flags). */
    HKPD_ALL_INSTANCES = 1, /* hkpd_top: include _Total and Idle. A path that names one includes them anyway */
    HKPD_ALL_SAMPLES = 2,   /* hkpd_overview: read all samples, however many there are */
    HKPD_MISSING = 4        /* hkpd_check: also report objects that have a title, but are in no V1 sample */
};

/* A list of series (hkpd_get_series). */
typedef uint32_t hkpd_list;
enum {
    HKPD_LIST_ROWS = 0,        /* hkpd_summary, hkpd_top: all series */
    HKPD_LIST_BEFORE = 1,      /* hkpd_compare: of each change, the series of the first run */
    HKPD_LIST_AFTER = 2,       /* hkpd_compare: of each change, the series of the second run */
    HKPD_LIST_ONLY_BEFORE = 3, /* hkpd_compare: the series that only the first run has */
    HKPD_LIST_ONLY_AFTER = 4   /* hkpd_compare: the series that only the second run has */
};

/* An answer. It owns everything that it returns; nothing changes until it is freed. */
typedef struct hkpd_answer hkpd_answer;

/* Options of an answer. NULL instead of options stands for the defaults. */
typedef struct hkpd_answer_options {
    size_t struct_size;
    uint32_t flags;
    uint32_t sort; /* hkpd_statistic; by default the order of appearance in hkpd_summary, and in hkpd_top the processor
                      time in seconds of processes, the mean of other rows */
    uint64_t top;  /* most rows; 0: 10 in hkpd_top, all otherwise */
    const char* services; /* hkpd_check: path of an export of the key Services, which names the providers; NULL: none */
} hkpd_answer_options;

/* A run of samples, and the sizes of an answer's lists. Times are in nanoseconds since 1970 (UTC). */
typedef struct hkpd_run {
    size_t struct_size;
    uint64_t samples;
    int64_t from, to;       /* times of the earliest and the latest sample, if has_time is not 0 */
    uint32_t has_time;      /* whether any sample has a time */
    uint32_t is_complete;   /* 0 if a limit left out series */
    size_t machine_count;   /* for hkpd_get_machine */
    size_t series_count;    /* of HKPD_LIST_ROWS */
    size_t process_count;   /* for hkpd_get_processes */
    uint64_t all_processes; /* number of processes before those after the first `top` were left out */
    uint32_t has_processes; /* hkpd_top: whether rows are processes, not counters of instances */
    uint32_t sort;          /* hkpd_top: hkpd_statistic by which rows are sorted */
    size_t change_count;    /* hkpd_compare: for hkpd_get_changes, HKPD_LIST_BEFORE and HKPD_LIST_AFTER */
    size_t only_count;      /* hkpd_compare: of HKPD_LIST_ONLY_BEFORE (run 0) or HKPD_LIST_ONLY_AFTER (run 1) */
    uint64_t unchanged;     /* hkpd_compare: number of series that are equal in both runs */
    uint64_t sums;          /* hkpd_compare: number of series that are sums of instances of one name */
} hkpd_run;

/* One counter of one instance over a run, with the statistics of its cooked values. Numbers that do not exist are NaN.
 * They have the unit of the counter, `slope` that unit per hour. Who the instance is: see hkpd_instance. */
typedef struct hkpd_series {
    size_t struct_size;
    const char* machine; /* empty if it is unknown */
    size_t machine_size;
    const char* object;
    size_t object_size;
    const char* counterset; /* V2: GUID; NULL if there is none */
    size_t counterset_size;
    const char* parent; /* NULL if there is none */
    size_t parent_size;
    const char* instance; /* name, or `name#number` if neither pid nor id identifies it; NULL if it is damaged */
    size_t instance_size;
    const char* label; /* a text that no other instance of the object has in this run, such as `svchost:580` */
    size_t label_size;
    const char* counter;
    size_t counter_size;
    const char* unit;       /* unit of the counter type, such as "%", terminated by NUL; "" if it has none */
    uint32_t source;        /* hkpd_source */
    uint32_t object_index;  /* title index of the object; HKPD_NO_INDEX if there is none */
    uint32_t counter_index; /* title index or counter id; HKPD_NO_INDEX if there is none */
    uint32_t type;          /* counter type of winperf.h; HKPD_NO_INDEX if it is unknown */
    uint32_t pid;           /* HKPD_NO_INDEX if there is none */
    uint32_t life;          /* 0 if the name is damaged */
    int32_t instance_id;    /* if has_instance_id is not 0 */
    uint32_t has_instance_id;
    uint32_t is_sum;   /* whether it is the sum of several instances of one name */
    uint32_t has_time; /* whether `from` and `to` are known */
    int64_t from, to;  /* times of the first and the last sample with the series, in nanoseconds since 1970 (UTC) */
    uint64_t count;    /* number of values */
    double first, last, min, mean, p50, p95, p99, max, stddev, delta, slope;
    double percentile_error; /* largest relative error of the percentiles; 0 if they are exact */
    double average;          /* over the whole run, by the counter's formula; NaN if there is none */
    uint32_t reason;         /* why there is no average, or a substitute: for hkpd_reason_name; 0: none */
    uint32_t reserved;
} hkpd_series;

/* A process of hkpd_top. Numbers that do not exist are NaN. Its series are rows of HKPD_LIST_ROWS, one after another.
 */
typedef struct hkpd_process {
    size_t struct_size;
    size_t first_series, series_count;
    double processor_mean, processor_max; /* % Processor Time; 100 is one whole processor */
    double working_set, private_bytes;    /* bytes, in the last sample */
    double private_growth;                /* of the private bytes, per hour */
    double handles;                       /* in the last sample */
    double io;                            /* bytes per second, mean */
    double processor_seconds;             /* processor time */
    double processor_of_run, io_of_run;   /* means over the whole run, also of a process that did not live so long */
    double working_set_peak, private_peak;
    double growth,
        growth_r_squared;       /* private bytes: slope per hour that single steps do not turn, and how much of their
                                   variance it explains (0 to 1); NaN for fewer than 10 values or a tenth of the run */
    int64_t processor_max_time; /* of the first sample with processor_max, if has_processor_max_time is not 0 */
    uint32_t has_processor_max_time;
    uint32_t reserved;
} hkpd_process;

/* By how much a series changed from one run to another: the differences of the medians and of the 95th percentiles,
 * divided by the noise, by which values of the series differ anyway. */
typedef struct hkpd_change {
    size_t struct_size;
    double median_effect, p95_effect, noise;
} hkpd_change;

/* What an input is. */
typedef struct hkpd_input {
    size_t struct_size;
    const char* kind; /* such as "capture", "log", "v1", "text_log", "unknown"; terminated by NUL */
    uint64_t bytes;   /* size of the file or of all files; 0 for standard input */
    uint64_t samples; /* an estimate if samples_exact is 0 */
    uint32_t samples_exact;
    uint32_t is_complete; /* whether all samples were read; otherwise the first and the last ones */
    uint32_t has_time, has_interval;
    int64_t from, to; /* times of the first and the last sample, in nanoseconds since 1970 (UTC) */
    int64_t interval; /* median time from one sample to the next, in nanoseconds */
    uint64_t gaps;    /* number of times without samples that are longer than one and a half intervals */
    size_t machine_count, object_count;
} hkpd_input;

/* An object of one machine in an input. */
typedef struct hkpd_input_object {
    size_t struct_size;
    const char* machine; /* empty if it is unknown */
    size_t machine_size;
    const char* name; /* the name, or what identifies the object without one */
    size_t name_size;
    uint32_t source;    /* hkpd_source */
    uint32_t is_list;   /* whether the object has instances */
    uint64_t instances; /* the most in one sample */
    uint64_t counters;  /* including bases */
} hkpd_input_object;

/* The amount of input that was checked. */
typedef struct hkpd_checked {
    size_t struct_size;
    uint64_t samples, title_tables, services;
    size_t finding_count; /* for hkpd_get_findings, and of the faults of hkpd_answer_faults */
} hkpd_checked;

/* Where a fault is, who causes it, and what to do: finding i belongs to fault i of hkpd_answer_faults. Texts that are
 * unknown are NULL. */
typedef struct hkpd_finding {
    size_t struct_size;
    const char* machine;
    size_t machine_size;
    const char* object;
    size_t object_size;
    const char* instance; /* after the names of its ancestors */
    size_t instance_size;
    const char* rule; /* the rule that the fault breaks, as a sentence */
    size_t rule_size;
    const char* repair; /* how to repair the machine */
    size_t repair_size;
    const char* service; /* the service that provides the object */
    size_t service_size;
    const char* library; /* its DLL */
    size_t library_size;
    uint32_t event; /* id of the event that Perflib writes for such a fault; 0 if it writes none */
    uint32_t reserved;
} hkpd_finding;

/* Colours of a page: as the reader's system is set, or always the same. */
typedef uint32_t hkpd_theme;
enum { HKPD_THEME_AUTOMATIC = 0, HKPD_THEME_LIGHT = 1, HKPD_THEME_DARK = 2 };

/* Options of a report. NULL instead of options stands for the defaults. */
typedef struct hkpd_report_options {
    size_t struct_size;
    uint32_t theme; /* hkpd_theme */
    uint32_t reserved;
    const char* title;          /* heading of the page; NULL: the machine and the day */
    const char* rules;          /* path of a rule file of PAL (XML); NULL: hkpd's own rules for Windows */
    const char* const* answers; /* answers to questions of the rules, such as "PhysicalMemory=16" */
    size_t answer_count;
    const char* baseline; /* path of an earlier run, with which the run is compared; NULL: none */
    uint64_t page_bytes;  /* most bytes of the page, if coarser curves are enough for that; 0: 1,900,000 */
} hkpd_report_options;

/* The page of a report. */
typedef struct hkpd_page {
    size_t struct_size;
    const char* html; /* a whole document, which needs no other file and no network */
    size_t html_size;
    uint64_t samples;     /* number of samples that the page is about, without the baseline's */
    size_t finding_count; /* for hkpd_get_rule_findings */
} hkpd_page;

/* A series that exceeds a threshold of the rules. Times are in nanoseconds since 1970 (UTC), lengths of time in
 * nanoseconds. Each value stands for the time since the previous sample of its machine. */
typedef struct hkpd_rule_finding {
    size_t struct_size;
    const char* analysis; /* name of the rule */
    size_t analysis_size;
    const char* threshold; /* what is wrong */
    size_t threshold_size;
    const char* machine; /* of the series; empty if it is unknown */
    size_t machine_size;
    const char* object;
    size_t object_size;
    const char* instance; /* its text, unique in the object; empty if there is no list of instances */
    size_t instance_size;
    const char* counter;
    size_t counter_size;
    uint32_t is_critical;             /* otherwise it is a warning */
    uint32_t is_trend;                /* whether `slope` was compared; all members after `slope` are then 0 */
    double limit;                     /* the number with which values, or the slope, were compared; NaN if none */
    double slope;                     /* units per hour; NaN if it was not compared */
    double worst;                     /* the value farthest beyond the limit */
    int64_t worst_time;               /* time of that value */
    uint64_t values, exceeding;       /* number of values, and of those that exceed */
    int64_t time, exceeding_time;     /* lengths of time of all values, and of those that exceed */
    int64_t first, last;              /* times of the first and the last value that exceeds */
    int64_t longest_from, longest_to; /* the longest time in which all values exceed */
} hkpd_rule_finding;

/* Structures of the Arrow C data interface (arrow.apache.org/docs/format/CDataInterface.html). */
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

/* Returns the version of the library, such as "0.1.0". */
HKPD_API const char* hkpd_version(void);
/* Returns the text of a status: lower case, no full stop. */
HKPD_API const char* hkpd_status_text(hkpd_status status);
/* Returns the name of a reason, such as "counter_went_back"; "" for 0 and for numbers that are no reason. */
HKPD_API const char* hkpd_reason_name(uint8_t reason);
/* Returns the name of a counter type, such as "PERF_COUNTER_COUNTER"; "" for a type without a name. */
HKPD_API const char* hkpd_type_name(uint32_t type);

/* Opens files and directories: V1 blocks, captures, logs (.blg), text logs (CSV, TSV), each of them possibly compressed
 * by gzip, zstd or zip. The path "-" is standard input. Several paths are read as one run of samples. Fails with
 * HKPD_ERROR_OPEN if none can be opened. `*reader` is set to NULL on failure; `error` may be NULL. */
HKPD_API hkpd_status hkpd_open(const char* const* paths, size_t path_count, const hkpd_options* options,
                               hkpd_reader** reader, hkpd_error* error);
/* Opens bytes in memory, which are the content of a file. The bytes are not copied and must outlive the reader. */
HKPD_API hkpd_status hkpd_open_memory(const void* data, size_t size, const hkpd_options* options, hkpd_reader** reader,
                                      hkpd_error* error);
/* Opens a reader whose records the program feeds, for agents that query Windows themselves. Each sample is cooked
 * against the previous one of its machine. */
HKPD_API hkpd_status hkpd_open_feed(const hkpd_options* options, hkpd_reader** reader, hkpd_error* error);
/* Adds a record to a reader that hkpd_open_feed opened. Call hkpd_next until it returns HKPD_END; the data must stay
 * unchanged until then. A V1 block is a complete sample. */
HKPD_API hkpd_status hkpd_feed(hkpd_reader* reader, const hkpd_record* record);
/* Closes a reader and frees its memory. NULL is allowed. */
HKPD_API void hkpd_close(hkpd_reader* reader);

/* Reads the next sample, and fills `sample` unless it is NULL. Returns HKPD_OK, HKPD_END, or a failure. */
HKPD_API hkpd_status hkpd_next(hkpd_reader* reader, hkpd_sample* sample);
/* Fills `object` with the object at a position of the current sample. */
HKPD_API hkpd_status hkpd_get_object(hkpd_reader* reader, size_t object, hkpd_object* filled);
/* Fills `count` elements of an array with instances of an object, from position `first` on. The `struct_size` of the
 * first element is the size of each element. */
HKPD_API hkpd_status hkpd_get_instances(hkpd_reader* reader, size_t object, size_t first, size_t count,
                                        hkpd_instance* filled);
/* Fills `column` with a column of an object. */
HKPD_API hkpd_status hkpd_get_column(hkpd_reader* reader, size_t object, size_t column, hkpd_column* filled);
/* Fills `cooked` with the cooked values of a column. The first call for a column of a sample computes them. */
HKPD_API hkpd_status hkpd_get_cooked(hkpd_reader* reader, size_t object, size_t column, hkpd_cooked* filled);
/* Sets `*text` and `*size` to a value of a column of texts (UTF-8) or bytes; an empty text if the value is damaged. */
HKPD_API hkpd_status hkpd_get_text(hkpd_reader* reader, size_t object, size_t column, size_t row, const char** text,
                                   size_t* size);

/* Returns the number of faults of a severity that were found so far. Not all of them are kept. */
HKPD_API uint64_t hkpd_count_faults(const hkpd_reader* reader, hkpd_severity severity);
/* Returns the number of faults that were kept: the first 1,000 of each severity. */
HKPD_API size_t hkpd_fault_count(const hkpd_reader* reader);
/* Fills `fault` with a kept fault, in the order in which they were found. Texts are valid until the next call of
 * hkpd_next or hkpd_get_fault. */
HKPD_API hkpd_status hkpd_get_fault(hkpd_reader* reader, size_t index, hkpd_fault* filled);

/* Exports the current sample as a table of the Arrow C data interface: a struct array with the children
 *
 *     time          timestamp, nanoseconds, UTC   nullable
 *     machine       dictionary of utf8            nullable
 *     object        dictionary of utf8            names, or "#238" for an unknown one
 *     parent        dictionary of utf8            name of the direct parent; null if there is none
 *     instance      dictionary of utf8            name, or "name#number" for an instance with neither of these ids;
 *                                                 empty for an object without instances
 *     pid           uint32                        id of the process; null if there is none
 *     instance_id   int32                         as in hkpd_instance; null if there is none
 *     life          uint32                        1; 2 and so on if the ids are used again
 *     pdh_instance  dictionary of utf8            "parent/name#number": what PerfMon shows in this sample
 *     counter       dictionary of utf8
 *     type          dictionary of utf8            such as PERF_COUNTER_COUNTER
 *     raw           uint64                        null if it is damaged, or no integer
 *     value         float64                       cooked; null if there is none
 *     reason        dictionary of utf8            why there is no value, or a substitute; null if there is a value
 *
 * with one row for each value, in the order of objects, counters, instances. Dictionaries have int32 indices. The
 * columns from `parent` to `life`, with machine and object, are who an instance is over the run (see hkpd_instance):
 * they are equal in all rows of a process, and no other process has them. `instance`, `life` and `pdh_instance` are
 * null if the name is damaged. Columns may be added: programs find them by name. The buffers belong to the array, which
 * may outlive the reader; the consumer calls `release`. */
HKPD_API hkpd_status hkpd_arrow_sample(hkpd_reader* reader, struct ArrowSchema* schema, struct ArrowArray* array);
/* Exports all samples that have not been read yet as a stream of batches of such tables. The stream uses the reader
 * until it is released: meanwhile only hkpd_count_faults, hkpd_fault_count and hkpd_get_fault may be called, and the
 * reader must not be closed before. */
HKPD_API hkpd_status hkpd_arrow_stream(hkpd_reader* reader, struct ArrowArrayStream* stream);

/* Answers about whole runs. Paths are those of hkpd_open; `reading` selects samples and, by `paths`, counters. Each
 * function sets `*answer`, which hkpd_free_answer frees; on failure it is NULL. `error` may be NULL.
 *
 * hkpd_summary: the statistics of each counter of each instance. Here and in hkpd_top, the samples of one interface of
 * each machine are read: that of the machine's first sample. */
HKPD_API hkpd_status hkpd_summary(const char* const* paths, size_t path_count, const hkpd_options* reading,
                                  const hkpd_answer_options* options, hkpd_answer** answer, hkpd_error* error);
/* What stands out: the processes that use most or, without the object Process or with counter paths, the instances with
 * the largest numbers. A process is one row from its start to its end. */
HKPD_API hkpd_status hkpd_top(const char* const* paths, size_t path_count, const hkpd_options* reading,
                              const hkpd_answer_options* options, hkpd_answer** answer, hkpd_error* error);
/* What changed from one run to another, the largest effect first, and last the series of which either run has few
 * values. Instances of one name are compared as their sum; ids, states, priorities and elapsed times are left out. */
HKPD_API hkpd_status hkpd_compare(const char* before, const char* after, const hkpd_options* reading,
                                  const hkpd_answer_options* options, hkpd_answer** answer, hkpd_error* error);
/* What an input is: its kind, machines, times and objects. The beginning and the end of a large file are enough.
 * `reading` states languages and zones of logs only. */
HKPD_API hkpd_status hkpd_overview(const char* path, const hkpd_options* reading, const hkpd_answer_options* options,
                                   hkpd_answer** answer, hkpd_error* error);
/* What is wrong with inputs: performance data, and title databases, which are checked against each other. `reading`
 * states languages and zones of logs only. Inputs that cannot be read are findings. */
HKPD_API hkpd_status hkpd_check(const char* const* paths, size_t path_count, const hkpd_options* reading,
                                const hkpd_answer_options* options, hkpd_answer** answer, hkpd_error* error);
/* The page of a report: an HTML document with findings of rules, charts and tables. The samples of one interface of
 * each machine are read. Fails with HKPD_ERROR_OPEN if the rules cannot be read, and with HKPD_ERROR_ARGUMENT if an
 * answer belongs to no question. */
HKPD_API hkpd_status hkpd_report(const char* const* paths, size_t path_count, const hkpd_options* reading,
                                 const hkpd_report_options* options, hkpd_answer** answer, hkpd_error* error);
/* Frees an answer and all that it has returned. NULL is allowed. */
HKPD_API void hkpd_free_answer(hkpd_answer* answer);

/* Fills `run` with what is true of a whole run. `number`: 0; in hkpd_compare, 1 is the second run. */
HKPD_API hkpd_status hkpd_get_run(const hkpd_answer* answer, size_t number, hkpd_run* filled);
/* Sets `*text` and `*size` to the name of a machine of a run or an input; an empty text if it is unknown. */
HKPD_API hkpd_status hkpd_get_machine(const hkpd_answer* answer, size_t number, size_t machine, const char** text,
                                      size_t* size);
/* Fills `count` elements of an array with rows of a list, from row `first` on. The `struct_size` of the first element
 * is the size of each element; so do the functions below. */
HKPD_API hkpd_status hkpd_get_series(const hkpd_answer* answer, hkpd_list list, size_t first, size_t count,
                                     hkpd_series* filled);
HKPD_API hkpd_status hkpd_get_processes(const hkpd_answer* answer, size_t first, size_t count, hkpd_process* filled);
HKPD_API hkpd_status hkpd_get_changes(const hkpd_answer* answer, size_t first, size_t count, hkpd_change* filled);
HKPD_API hkpd_status hkpd_get_input(const hkpd_answer* answer, hkpd_input* filled);
HKPD_API hkpd_status hkpd_get_input_objects(const hkpd_answer* answer, size_t first, size_t count,
                                            hkpd_input_object* filled);
HKPD_API hkpd_status hkpd_get_checked(const hkpd_answer* answer, hkpd_checked* filled);
HKPD_API hkpd_status hkpd_get_findings(const hkpd_answer* answer, size_t first, size_t count, hkpd_finding* filled);
HKPD_API hkpd_status hkpd_get_page(const hkpd_answer* answer, hkpd_page* filled);
/* The findings on the page: critical ones first, then those with the longest time. */
HKPD_API hkpd_status hkpd_get_rule_findings(const hkpd_answer* answer, size_t first, size_t count,
                                            hkpd_rule_finding* filled);
/* Returns the reader of an answer, for hkpd_count_faults, hkpd_fault_count and hkpd_get_fault: the faults of all
 * inputs. It has no samples, and belongs to the answer: hkpd_close must not be called. NULL if `answer` is. */
HKPD_API hkpd_reader* hkpd_answer_faults(hkpd_answer* answer);

/* --- end of declarations --- */

#ifdef __cplusplus
}
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};

#endif

#endif
