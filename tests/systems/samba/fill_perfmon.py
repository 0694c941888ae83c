#!/usr/bin/env python3
"""Performance counters for a Samba server, and the expected output of hkpd: both from one table.

fill_perfmon.py fill DIRECTORY: writes names.tdb and data.tdb, which smbd serves (Samba's "state directory"/perfmon).
fill_perfmon.py expect [INDEX...]: prints the lines of `hkpd dump --format csv` for these objects (default: all),
    without the time: machine, source, object and so on.
fill_perfmon.py titles counter|explain: prints the lines of `hkpd titles export`.
"""

import collections
import csv
import os
import struct
import sys

MACHINE = "SMBPERF"

Type = collections.namedtuple("Type", "name code")  # as in winperf.h
RAW = Type("PERF_COUNTER_RAWCOUNT", 0x00010000)
LARGE_RAW = Type("PERF_COUNTER_LARGE_RAWCOUNT", 0x00010100)
RATE = Type("PERF_COUNTER_COUNTER", 0x10410400)
BULK = Type("PERF_COUNTER_BULK_COUNT", 0x10410500)
TIMER = Type("PERF_100NSEC_TIMER", 0x20510500)

# A counter's value is None if its object has instances. `shown`: the value that Samba serves if it differs.
Counter = collections.namedtuple("Counter", "name help type value shown", defaults=(None, None))
Object = collections.namedtuple("Object", "name help counters instances", defaults=(None,))


def processor(number):
    return f"cpu{number}", (10**12 * (number + 1) + 7, 33 * number, 2**32 - 1 - number)


OBJECTS = [
    Object(
        "Memory",
        "Counters without instances.",
        [
            Counter("Available KB", "A number of 32 bits.", RAW, 123456),
            Counter("Commit bytes", "More than 32 bits.", LARGE_RAW, 2**40 + 3),
            Counter("Faults/sec", "The largest 32 bits.", RATE, 2**31 - 1),
            Counter("Bytes/sec", "", BULK, 4096),
        ],
    ),
    Object(
        "Processor",
        "One instance each.",
        [
            Counter("User", "Time in user mode.", TIMER),
            Counter("Kernel", "Time in kernel mode.", TIMER),
            Counter("Interrupts/sec", "32 bits after 64.", RATE),
        ],
        [processor(number) for number in range(4)] + [("_Total", (1, 2, 3))],
    ),
    Object("Single", "One value.", [Counter("v", "It is five.", RAW, 5)]),
    Object(
        # Titles are ASCII only in Samba's lists: it counts their UTF-8 and writes UTF-16, with zeros at the end.
        "Cities",
        "Names beyond ASCII.",
        [Counter("Level", "Above ground.", LARGE_RAW)],
        [("Köln", (1,)), ("東京", (2,)), ("𝄞", (3,))],
    ),
    Object(
        # Samba takes a value that strtoul reads as 0 for bytes, which are copied: here the digit itself.
        "Zero",
        "Nought.",
        [Counter("32 bits", "", RAW, 0, ord("0")), Counter("64 bits", "", LARGE_RAW, 0, ord("0"))],
    ),
    Object(
        "Many",
        "More than one packet holds.",
        [Counter("Number", "The instance's own.", LARGE_RAW)],
        [(f"instance {number:04}", (number * number,)) for number in range(400)],
    ),
]


def numbered():
    """Returns objects and counters with their indices, in Samba's order: 2, 4, 6, ..."""
    index = 0
    for entry in OBJECTS:
        index += 2
        first = index
        counters = []
        for counter in entry.counters:
            index += 2
            counters.append((index, counter))
        yield first, entry, counters


def titles():
    """Returns (index, name, help) of everything that has a name."""
    for index, entry, counters in numbered():
        yield index, entry.name, entry.help
        for counter_index, counter in counters:
            yield counter_index, counter.name, counter.help


def fill(directory):
    """Writes the databases, in the form of Samba's source3/registry/reg_perfcount.c."""
    import tdb

    names, data = {}, {}
    for index, entry, counters in numbered():
        names[f"{index}rel"] = "p"
        if entry.instances is not None:
            names[f"{index}inst"] = str(len(entry.instances))
            for number, (name, values) in enumerate(entry.instances):
                names[f"{index}i{number}name"] = name
                data[f"{index}i{number}"] = struct.pack(f"<{len(values)}Q", *values)
        for counter_index, counter in counters:
            names[f"{counter_index}rel"] = f"c[{index}]"
            names[f"{counter_index}type"] = str(counter.type.code)
            data[f"{counter_index}"] = str(counter.value if counter.value is not None else 1)
    for index, name, help_text in titles():
        names[f"{index}"] = name
        names[f"{index + 1}"] = help_text
    names["1"] = str(sum(1 for _ in titles()))
    names["0PerfFreq"] = "1000000"
    data["0PerfTime"] = "123456789"
    data["0PerfTime100nSec"] = "132223104000000000"

    os.makedirs(directory)
    for name, content in (("names.tdb", names), ("data.tdb", data)):
        database = tdb.open(os.path.join(directory, name), flags=os.O_RDWR | os.O_CREAT | os.O_EXCL)
        for key, value in content.items():
            database.store(key.encode(), value if isinstance(value, bytes) else value.encode())
        database.close()


def expected(wanted):
    for index, entry, counters in numbered():
        if wanted and index not in wanted:
            continue
        instances = entry.instances
        if instances is None:
            values = [counter.value if counter.shown is None else counter.shown for _, counter in counters]
            instances = [(None, values)]
        for instance, values in instances:
            for (counter_index, counter), value in zip(counters, values):
                place = [MACHINE, "v1", entry.name, index, "", "", instance, "", "", 1, instance]
                yield [*place, counter.name, counter_index, counter.type.name, value]


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    what, arguments = sys.argv[1], sys.argv[2:]
    if what == "fill":
        fill(arguments[0])
    elif what == "expect":
        csv.writer(sys.stdout, lineterminator="\n").writerows(expected({int(index) for index in arguments}))
    elif what == "titles":
        for index, name, help_text in titles():
            print(index + 1, help_text, sep="\t") if arguments[0] == "explain" else print(index, name, sep="\t")


main()
