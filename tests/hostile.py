#!/usr/bin/env python3
"""hostile.py HKPD [--share N] [--seed S] [--only PATTERN]: runs hkpd on inputs that are made to cost much.

Writes small inputs (under 1 MiB each) whose structures overlap, repeat or contradict each other, and runs every
subcommand and output form that applies to each. A run fails if it takes more processor time or memory than the bounds
below, if it is ended by a signal, if its exit code is not 0 to 3, or if it exits with 2 or 3 without a message. A run
that takes longer is measured again, and on a machine that is slower at that moment the bound is longer. Prints a line for each failure and keeps its input in build/hostile, prints a table with the worst runs of each form, and
exits with 1 if a run failed. --share N runs one Nth of all pairs of a shape and a form, selected by the seed; --list
lists the shapes. The bytes are written here from the layouts in lib/FORMATS.md, not by hkpd's own code, so that an
error of that code cannot hide itself. The inputs are the same for the same seed.
"""
import argparse
import datetime
import fnmatch
import functools
import gzip
import io
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_SECONDS = 2.0
USUAL_SECONDS = 0.7  # see slowness()
MOST_MIB = 512
MOST_INPUT = 1 << 20
STOP_SECONDS = 10  # a run that takes longer is ended
STOP_BYTES = 6 << 30

# --- V1 ------------------------------------------------------------------------------------------------------------

VALUE, LARGE, RATE, BULK, TIMER = 0x00010000, 0x00010100, 0x10410400, 0x10410500, 0x20510500
FRACTION, FRACTION_BASE, AVERAGE, AVERAGE_BASE = 0x20020400, 0x40030403, 0x30020400, 0x40030402
MULTI, MULTI_BASE, ELAPSED, TEXT, NODATA, PRECISION = 0x22510500, 0x42030500, 0x30240500, 0x00000B00, 0x40000200, 0x20570500
ALL_TYPES = (0, 0x100, TEXT, VALUE, LARGE, 0x12000, 0x400400, 0x400500, 0x410400, 0x450400, 0x450500, 0x550500, 0x650500,
             RATE, BULK, FRACTION, 0x20020500, 0x20410500, 0x20470500, TIMER, PRECISION, 0x20610500, 0x20670500, 0x20C20400,
             0x21410500, 0x21510500, 0x22410500, MULTI, 0x23410500, 0x23510500, AVERAGE, ELAPSED, NODATA, 0x40020500,
             0x40030401, AVERAGE_BASE, FRACTION_BASE, 0x40030500, MULTI_BASE, 0x80000000)
FIRST = datetime.datetime(2024, 1, 18, 3, 28, 0)
FIRST_FILETIME = 133500220800000000


def wide(text):
    """Returns the text as UTF-16 with its NUL; lone surrogates are kept."""
    return text.encode("utf-16-le", "surrogatepass") + b"\0\0"


def pad8(data):
    """Returns the data with zeros up to a multiple of 8."""
    return data + bytes(-len(data) % 8)


def counter(title, kind=VALUE, size=4, offset=4, scale=0, length=40, detail=100):
    """Returns a PERF_COUNTER_DEFINITION."""
    return struct.pack("<5Ii4I", length, title, 0, title + 1, 0, scale, detail, kind, size, offset).ljust(length, b"\0")


def block(values=b"\7\0\0\0", length=None):
    """Returns a PERF_COUNTER_BLOCK with these bytes as its values."""
    return struct.pack("<I", 4 + len(values) if length is None else length) + values


def instance(name=b"", values=b"\7\0\0\0", unique=-1, parent=0, parent_instance=0, offset=24, length=None, size=None):
    """Returns a PERF_INSTANCE_DEFINITION with its encoded name, and its counter block."""
    whole = 24 + (len(name) + 7 & ~7) if size is None else size
    head = struct.pack("<IIIiII", whole, parent, parent_instance, unique, offset, len(name) if length is None else length)
    return head + name.ljust(whole - 24, b"\0") + block(values)


def perf_object(title, counters, body, instances=-1, code_page=0, total=None, count=None, clock=(0, 0), definition=None):
    """Returns a PERF_OBJECT_TYPE with its counter definitions and what follows them."""
    definitions = b"".join(counters)
    size = 64 + len(definitions) + len(body)
    return struct.pack("<9IiiIqq", size if total is None else total,
                       64 + len(definitions) if definition is None else definition, 64, title, 0, title + 1, 0, 100,
                       len(counters) if count is None else count, -1, instances & 0xFFFFFFFF if instances > 0x7FFFFFFF else instances,
                       code_page, *clock) + definitions + body


def blob(objects, machine="M", tick=0, count=None, frequency=10**7, perf_time=None, system_time=None):
    """Returns a PERF_DATA_BLOCK; `tick` counts seconds."""
    name = pad8(wide(machine))
    body = b"".join(objects)
    when = FIRST + datetime.timedelta(seconds=tick)
    wall = (when.year, when.month, when.isoweekday() % 7, when.day, when.hour, when.minute, when.second, 0)
    return "PERF".encode("utf-16-le") + struct.pack(
        "<6Ii8H4xqqqII", 1, 1, 1, 88 + len(name) + len(body), 88 + len(name), len(objects) if count is None else count, -1,
        *(system_time or wall), (1 + tick) * 10**7 if perf_time is None else perf_time, frequency,
        FIRST_FILETIME + tick * 10**7, len(wide(machine)), 88) + name + body


def fill(rng, size):
    """Returns bytes of any value."""
    return rng.randbytes(size)


def grid(rng, counters, instances, kinds=(VALUE,), sizes=(4,), title=4000, name=b"", values=None, samples=1, space=8):
    """Returns blobs with one object whose counters all lie in the same few bytes of each instance."""
    result = b""
    for tick in range(samples):
        data = values if values is not None else fill(rng, space)
        definitions = [counter(4002 + 2 * i, kinds[i % len(kinds)], sizes[i % len(sizes)], 4) for i in range(counters)]
        rows = b"".join(instance(name, data, unique=i) for i in range(instances))
        result += blob([perf_object(title, definitions, rows, instances)], tick=tick)
    return result


# --- V2 ------------------------------------------------------------------------------------------------------------

ANY = 0xFFFFFFFF


def guid(number):
    """Returns a GUID that differs for each number."""
    return struct.pack("<IHHQ", number, 0x1234, 0x4321, 0x8877665544332211)


def v2_data(value=b"\1\0\0\0\0\0\0\0", declared=None, size=None):
    """Returns a PERF_COUNTER_DATA."""
    body = pad8(value)
    return struct.pack("<II", len(value) if declared is None else declared, 8 + len(body) if size is None else size) + body


def v2_counters(ids):
    """Returns a PERF_MULTI_COUNTERS."""
    data = pad8(struct.pack(f"<II{len(ids)}I", 8 + 4 * len(ids), len(ids), *ids))
    return struct.pack("<I", len(data)) + data[4:]


def v2_instances(rows, count=None):
    """Returns a PERF_MULTI_INSTANCES; `rows` are pairs of an encoded name with NUL and the data after it."""
    body = b"".join(struct.pack("<II", 8 + len(pad8(name)), i) + pad8(name) + data for i, (name, data) in enumerate(rows))
    return struct.pack("<II", 8 + len(body), len(rows) if count is None else count) + body


def v2_result(kind, payload=b"", status=0, size=None):
    """Returns a PERF_COUNTER_HEADER and what follows it."""
    return pad8(struct.pack("<4I", status, kind, 16 + len(payload) if size is None else size, 0) + payload)


def v2_block(results, tick=0, count=None):
    """Returns a PERF_DATA_HEADER with results."""
    body = b"".join(results)
    when = FIRST + datetime.timedelta(seconds=tick)
    return struct.pack("<IIqqq8H", 48 + len(body), len(results) if count is None else count, (1 + tick) * 10**7,
                       FIRST_FILETIME + tick * 10**7, 10**7, when.year, when.month, when.isoweekday() % 7, when.day, when.hour,
                       when.minute, when.second, 0) + body


def v2_identifier(set_guid, index, counter_id=ANY, name="*", instance_id=ANY):
    """Returns a PERF_COUNTER_IDENTIFIER."""
    text = b"" if name is None else pad8(wide(name))
    return set_guid + struct.pack("<6I", 0, 40 + len(text), counter_id, instance_id, index, 0) + text


def v2_set(set_guid, counters, instance_type=2, count=None):
    """Returns a PERF_COUNTERSET_REG_INFO; `counters` are tuples of id, type, base id."""
    body = b"".join(struct.pack("<IIQIi6I", i, kind, 0, 100, 0, base, ANY, ANY, ANY, 0, 0) for i, kind, base in counters)
    return set_guid + struct.pack("<4I", 0, 100, len(counters) if count is None else count, instance_type) + body


def v2_strings(entries, text):
    """Returns a PERF_STRING_BUFFER; `entries` are pairs of a counter id and the offset of its string in `text`."""
    at = 8 + 8 * len(entries)
    body = b"".join(struct.pack("<II", i, ANY if offset is None else at + offset) for i, offset in entries)
    return struct.pack("<II", at + len(text), len(entries)) + body + text


# --- MCAP ----------------------------------------------------------------------------------------------------------

MAGIC = b"\x89MCAP0\r\n"
NANOSECONDS = 1705548480 * 10**9


def text32(text):
    """Returns a string as MCAP stores it."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return struct.pack("<I", len(data)) + data


def map32(entries):
    """Returns a map of strings as MCAP stores it."""
    body = b"".join(text32(k) + text32(v) for k, v in entries)
    return struct.pack("<I", len(body)) + body


def record(opcode, content):
    return struct.pack("<BQ", opcode, len(content)) + content


def channel(number, topic, encoding, metadata=()):
    return record(4, struct.pack("<HH", number, 0) + text32(topic) + text32(encoding) + map32(metadata))


def message(number, data, sequence=0, when=None):
    at = NANOSECONDS + sequence * 10**9 if when is None else when
    return record(5, struct.pack("<HIQQ", number, sequence, at, at) + data)


def chunk(records, compression="", size=None):
    crc = zlib.crc32(records)
    return record(6, struct.pack("<QQQI", NANOSECONDS, NANOSECONDS + 10**12, len(records) if size is None else size, crc)
                  + text32(compression) + struct.pack("<Q", len(records)) + records)


def mcap(records, summary=b"", profile="x-hkpd", end=True, summary_start=None):
    """Returns an MCAP file of these records."""
    data = MAGIC + record(1, text32(profile) + text32("hkpd 1")) + records
    if not end:
        return data
    data += record(15, struct.pack("<I", 0))
    start = (len(data) if summary else 0) if summary_start is None else summary_start
    return data + summary + record(2, struct.pack("<QQI", start, 0, 0)) + MAGIC


def v1_channel(number=1, machine="M"):
    return channel(number, f"v1/{machine}", "x-hkpd-v1", [("machine", machine)])


def titles_channel(number, name="counter-009.txt", machine="M"):
    return channel(number, f"titles/{machine}/{name}", "x-hkpd-titles", [("machine", machine), ("name", name), ("language", "009")])


# --- performance logs ----------------------------------------------------------------------------------------------

PDH = bytes.fromhex("b33b3f933e940d499ced3cbb14c14479")
LOG = bytes.fromhex("83f523882fd1d24e9ccf7a3bf55fdecb")


def log_header(buffer_size, buffers):
    """Returns the first event of a trace."""
    zone = struct.pack("<i", 0) + bytes(64 + 16 + 4 + 64 + 16 + 4)
    body = struct.pack("<I4BIIqIIIIIIII", buffer_size, 10, 0, 1, 5, 14393, 1, FIRST_FILETIME, 0, 0, 0x01000001, buffers, 1, 8, 0, 2600)
    body = pad8(body + bytes(16) + zone) + struct.pack("<qqqII", FIRST_FILETIME, 10**7, FIRST_FILETIME, 2, 0) + b"\0\0\0\0"
    body = pad8(body)
    return struct.pack("<HBBHHIIqII", 2, 2, 0xC0, 32 + len(body), 0, 1, 1, FIRST_FILETIME, 0, 0) + body


def log_events(kind, data, tick=0, piece=8072, first=1, total=None, log=LOG):
    """Returns the fragments of an event of PDH."""
    pieces = [data[i:i + piece] for i in range(0, len(data), piece)] or [b""]
    total = len(pieces) if total is None else total
    return [struct.pack("<HBBBBHIIq16sII16sII", 72 + len(part), 20, 0xC0, kind, 0, 60, 1, 1, FIRST_FILETIME + tick * 10**7, PDH,
                        0, 0, log, first + i, total) + part for i, part in enumerate(pieces)]


def log_file(events, buffer_size=65536, end=True, rows=0):
    """Returns a performance log of these events, which is closed by a trailer."""
    events = list(events)
    if end:
        events += log_events(0x23, struct.pack("<qqIIII", FIRST_FILETIME, FIRST_FILETIME, rows, 0, 32, 0x5FF))
    buffers, current = [], b""
    for event in events:
        event = pad8(event)
        if current and 72 + len(current) + len(event) > buffer_size:
            buffers.append(current)
            current = b""
        current += event
    buffers.append(current)
    buffers.insert(0, log_header(buffer_size, len(buffers) + 1))
    data = b""
    for number, body in enumerate(buffers):
        head = struct.pack("<4Iqq4I", buffer_size, 72 + len(body), 0, 0, FIRST_FILETIME, number, 0, 0, 0, 0)
        head += struct.pack("<IHH4I", 72 + len(body), int(number == 0), 4 * int(number == 0), 0, 0, 0, 0)
        data += (head + body).ljust(buffer_size, b"\xff")
    return data


def catalogue_entry(flags=0, kind=VALUE, strings=b"", places=(-1, -1, -1, -1), place=0, index=0):
    """Returns an entry of a log's catalogue; `places` are those of machine, object, instance and parent."""
    length = 52 + len(strings) + 7 & ~7
    return (struct.pack("<4Iqi4iii", length, flags, 0, kind, 10**7, 0, *places, index, place) + strings).ljust(length, b"\0")


def catalogue(entries):
    return struct.pack("<II", 0x6FF, 0x20008) + b"".join(entries) + bytes(4)


def log_record(kind, body):
    return struct.pack("<2sHI", b"BL", kind, 8 + len(body)) + body


def raw_counter(tick, value, status=0):
    return log_record(0x103, struct.pack("<IQ4xqqII", status, FIRST_FILETIME + tick * 10**7, value, tick * 10**7, 1, 0))


def raw_instances(tick, rows, names=b"", count=None, status=0):
    """Returns a record of raw counters; `rows` are pairs of a value and the offset of its name in `names`."""
    size = 24 + 24 * len(rows) + len(names)
    at = 24 + 24 * len(rows)
    body = struct.pack("<III4xQ", size, len(rows) if count is None else count, status, FIRST_FILETIME + tick * 10**7)
    return log_record(0x203, body + b"".join(struct.pack("<IIqq", at + place, 1, value, tick) for value, place in rows) + names)


def row(tick, records):
    return log_events(0x22, log_record(3, b"".join(records)), tick)


# --- titles --------------------------------------------------------------------------------------------------------

PERFLIB = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Perflib"


def title_text(pairs):
    """Returns a title database as text with index and title on alternate lines."""
    return "".join(f"{index}\n{text}\n" for index, text in pairs).encode("utf-8", "surrogatepass")


def multi_sz(pairs):
    return b"".join(wide(str(index)) + wide(text) for index, text in pairs) + b"\0\0"


def reg_file(keys):
    """Returns an export of the registry; `keys` are pairs of a key and of its lines."""
    lines = ["Windows Registry Editor Version 5.00", ""]
    for key, values in keys:
        lines += [f"[{key}]", *values, ""]
    return ("\ufeff" + "\r\n".join(lines) + "\r\n").encode("utf-16-le")


def hex7(data):
    return "hex(7):" + ",".join(f"{byte:02x}" for byte in data)


# --- shapes --------------------------------------------------------------------------------------------------------


class Input:
    """The files of a shape and how the command line names them."""

    def __init__(self, kind, files, **options):
        self.kind = kind  # of the main input: v1, v2, mcap, blg, titles, services
        self.files = files  # path from the directory of the shape: bytes
        self.main = options.pop("main", None) or next(iter(files))
        self.titles = options.pop("titles", [])
        self.identifiers = options.pop("identifiers", [])
        self.registration = options.pop("registration", [])
        self.v2 = options.pop("v2", [])
        self.paths = options.pop("paths", None)
        self.services = options.pop("services", None)
        self.filters = options.pop("filters", [])
        self.packed = options.pop("packed", False)  # the main input is made a compressed capture first
        self.find = options.pop("find", "*a*")
        assert not options, options


SHAPES = {}


def shape(name):
    """Adds a function that returns an Input for a generator of random numbers to the shapes."""
    def add(make):
        assert name not in SHAPES, name
        SHAPES[name] = make
        return make
    return add


def v1_shape(name, make, **options):
    SHAPES[name] = lambda rng: Input("v1", {"x.bin": make(rng)}, **options)


def add_grids():
    """Adds shapes whose values overlap, so that their number is quadratic."""
    kinds = {
        "value": ((VALUE,), (4,)), "rate": ((RATE,), (4,)), "timer": ((TIMER,), (8,)), "elapsed": ((ELAPSED,), (8,)),
        "fraction": ((FRACTION, FRACTION_BASE), (4,)), "average": ((AVERAGE, AVERAGE_BASE), (4, 4)),
        "multi": ((MULTI, MULTI_BASE), (8,)), "text": ((TEXT,), (8,)), "nodata": ((NODATA,), (0,)),
        "odd-size": ((VALUE,), (3,)), "all-types": (ALL_TYPES, (8,)), "bases-only": ((FRACTION_BASE,), (4,)),
    }
    for word, (types, sizes) in kinds.items():
        if word in ("value", "text", "nodata", "odd-size", "all-types", "bases-only"):
            v1_shape(f"grid-{word}", lambda rng, t=types, s=sizes: grid(rng, 9000, 19000, t, s))
        else:
            v1_shape(f"grid-{word}-two", lambda rng, t=types, s=sizes: grid(rng, 4500, 9000, t, s, samples=2))
    v1_shape("grid-wide", lambda rng: grid(rng, 25000, 40, (RATE,), (4,)))
    v1_shape("grid-tall", lambda rng: grid(rng, 32, 28000, (RATE,), (4,)))
    v1_shape("grid-full-million", lambda rng: grid(rng, 500, 2000, (RATE, TIMER), (4, 8), samples=4))
    v1_shape("grid-hundred", lambda rng: grid(rng, 100, 100, (RATE, TIMER), (4, 8), samples=100))
    v1_shape("grid-thousand", lambda rng: grid(rng, 9, 9, (RATE, TIMER), (4, 8), samples=900))
    v1_shape("grid-names", lambda rng: grid(rng, 5000, 300, (RATE,), (4,), name=wide("n" * 500), samples=1))
    v1_shape("grid-names-two", lambda rng: grid(rng, 2000, 200, (RATE,), (4,), name=wide("n" * 500), samples=2))
    for word, kind in (("text", TEXT), ("bytes", VALUE), ("text8", 0x00010B00)):
        for width in (500000, 65536, 4096):
            def long_values(rng, kind=kind, width=width):
                count = min(10000, (MOST_INPUT - 200000 - width) // 40)
                defs = [counter(4002 + 2 * i, kind, width, 4) for i in range(count)]
                return blob([perf_object(4000, defs, block(("\u202e" * (width // 2)).encode("utf-16-le")))])
            v1_shape(f"long-{word}-{width}", long_values)


NAMES = {
    "plain": lambda i, n: wide("n%0*d" % (max(n - 1, 5), i)),
    "equal": lambda i, n: wide("e" * n),
    "control": lambda i, n: wide("\x01" * max(n - 5, 1) + "%05d" % i),
    "bidi": lambda i, n: wide("\u202e\u200f" * max((n - 5) // 2, 1) + "%05d" % i),
    "lone-surrogate": lambda i, n: wide("\udc00" * max(n - 5, 1) + "%05d" % i),
    "case": lambda i, n: wide("".join(c.upper() if i >> (k % 17) & 1 else c for k, c in enumerate("abcdefghijklmnopq" + "z" * max(n - 17, 0)))),
    "formula": lambda i, n: wide("=" * max(n - 5, 1) + "%05d" % i),
    "quotes": lambda i, n: wide("\"" * max(n - 5, 1) + "%05d" % i),
    "line-feeds": lambda i, n: wide("\n" * max(n - 5, 1) + "%05d" % i),
    "hash": lambda i, n: wide("h" * max(n - 5, 1) + "#%d" % (i // 2) if i % 2 else "h" * max(n - 5, 1)),
    "slash": lambda i, n: wide("/" * n),
    "astral": lambda i, n: wide("\U0001F600" * max(n // 2, 1)),
    "width": lambda i, n: wide("\u4e00\u0301" * max(n // 2, 1) + "%05d" % i),
    "empty": lambda i, n: wide("") if n < 100 else wide("\0" * n),
    "sharp-s": lambda i, n: wide("\u0130\u00df\u0149" * max(n // 3, 1)),
}


def add_names():
    """Adds shapes with many, long, equal or unprintable names of instances."""
    for word, name in NAMES.items():
        def many(rng, name=name, samples=1):
            count = 11000 // samples
            rows = b"".join(instance(name(i, 12), fill(rng, 12)) for i in range(count))
            return rows, count
        v1_shape(f"names-{word}-many", lambda rng, m=many: (lambda rows, count: blob(
            [perf_object(4000, [counter(4002, RATE, 4, 4), counter(4004, TIMER, 8, 8)], rows, count)]))(*m(rng)))
        v1_shape(f"names-{word}-two", lambda rng, m=many: b"".join((lambda rows, count: blob(
            [perf_object(4000, [counter(4002, RATE, 4, 4), counter(4004, TIMER, 8, 8)], rows, count)], tick=t))(*m(rng, samples=2))
            for t in range(2)))

        def long_name(rng, name=name):
            rows = b"".join(instance(name(i, 1000), fill(rng, 12)) for i in range(150))
            return blob([perf_object(4000, [counter(4002 + 2 * i, RATE, 4, 4) for i in range(8000)], rows, 150)])
        v1_shape(f"names-{word}-long", long_name)

    def shared(rng, size):
        # The names of all instances are the bytes that follow them.
        count = 14000
        rows = b"".join(instance(b"", fill(rng, 4), unique=i, offset=24, length=size) for i in range(count))
        return blob([perf_object(4000, [counter(4002, RATE)], rows + b"a\0" * (size // 2), count)])
    for size in (64, 1024, 65536, 500000):
        v1_shape(f"names-shared-{size}", lambda rng, s=size: shared(rng, s))
    for page in (1252, 932, 65001, 65000, 1200, 1201, 437, 99999, 20127, 54936):
        v1_shape(f"names-code-page-{page}", lambda rng, p=page: blob([perf_object(
            4000, [counter(4002 + 2 * i, RATE) for i in range(40)],
            b"".join(instance(fill(rng, 20).replace(b"\0", b"\1") + b"\0\0", fill(rng, 4)) for i in range(12000)), 12000, code_page=p)]))
    v1_shape("names-code-page-differs", lambda rng: blob([perf_object(
        4000 + 2 * i, [counter(4002, RATE)], instance(b"abc\xe4\0\0", fill(rng, 4)), 1, code_page=i) for i in range(6000)]))
    v1_shape("machine-long", lambda rng: blob([perf_object(4000, [counter(4002 + 2 * i, RATE) for i in range(9000)], block())],
                                              machine="\u202e" * 1000))
    v1_shape("machine-long-two", lambda rng: b"".join(blob([perf_object(4000, [counter(4002 + 2 * i, RATE) for i in range(2000)], block())],
                                                          machine="m" * 1000, tick=t) for t in range(3)))
    v1_shape("machine-long-each", lambda rng: b"".join(blob([perf_object(4000, [counter(4002, RATE)], block())],
                                                          machine=f"{t % 60}" + "m" * 990, tick=t) for t in range(400)))


def add_objects():
    """Adds shapes with many objects, counters without titles, and numbers that contradict the bytes."""
    for word, title in (("equal", lambda i: 4000), ("differ", lambda i: 4000 + 2 * i), ("known", lambda i: 2 + 2 * (i % 900)), ("zero", lambda i: 0)):
        v1_shape(f"objects-empty-{word}", lambda rng, t=title: blob([perf_object(t(i), [], b"") for i in range(16000)]))
        v1_shape(f"objects-single-{word}", lambda rng, t=title: blob([perf_object(t(i), [counter(t(i) + 2, RATE)], block()) for i in range(9000)]))
        v1_shape(f"objects-single-{word}-two", lambda rng, t=title: b"".join(blob(
            [perf_object(t(i), [counter(t(i) + 2, RATE)], block()) for i in range(4500)], tick=k) for k in range(2)))
        v1_shape(f"objects-instance-{word}", lambda rng, t=title: blob(
            [perf_object(t(i), [counter(t(i) + 2, RATE)], instance(wide("a"), fill(rng, 4)), 1) for i in range(6500)]))
    for word, number in (("none-now", 0), ("definitions", -2), ("definitions-single", -3), ("negative", -77), ("huge", 1 << 30)):
        v1_shape(f"objects-{word}", lambda rng, n=number: blob([perf_object(4000 + 2 * i, [counter(4002, RATE)], b"", n) for i in range(9000)]))
    v1_shape("objects-counters", lambda rng: blob([perf_object(4000, [counter(4002 + 2 * k, RATE) for k in range(10)], block()) for i in range(2000)]))
    v1_shape("objects-huge-count", lambda rng: blob([perf_object(4000, [counter(4002)], block())] * 8000, count=1 << 31))
    v1_shape("objects-length-0", lambda rng: blob([perf_object(4000, [counter(4002)], block(), total=0)] * 8000))
    v1_shape("objects-counters-huge", lambda rng: blob([perf_object(4000, [counter(4002)] * 5, block(), count=1 << 30)] * 3000))
    v1_shape("counters-only", lambda rng: blob([perf_object(4000, [counter(2 * (i % 900), ALL_TYPES[i % len(ALL_TYPES)], 8, 4) for i in range(25000)], block(fill(rng, 12)))]))
    v1_shape("counters-only-two", lambda rng: b"".join(blob([perf_object(4000, [counter(4002 + 2 * i, TIMER, 8, 4) for i in range(12000)], block(fill(rng, 12)))], tick=t) for t in range(2)))
    v1_shape("counters-equal", lambda rng: b"".join(blob([perf_object(4000, [counter(4002, TIMER, 8, 4)] * 12000, block(fill(rng, 12)))], tick=t) for t in range(2)))
    v1_shape("counters-bases-unpaired", lambda rng: b"".join(blob([perf_object(4000, [counter(4002 + 2 * i, FRACTION_BASE if i % 5 else FRACTION, 4, 4) for i in range(12000)], block(fill(rng, 12)))], tick=t) for t in range(2)))
    v1_shape("counters-out-of-block", lambda rng: blob([perf_object(4000, [counter(4002 + 2 * i, VALUE, 4, 4 + i * 4) for i in range(3000)], b"".join(instance(b"", fill(rng, 4), unique=i) for i in range(20000)), 20000)]))
    v1_shape("counters-beyond-object", lambda rng: blob([perf_object(4000, [counter(4002 + 2 * i, VALUE, 4, 1 << 31) for i in range(9000)], b"".join(instance(b"", fill(rng, 4), unique=i) for i in range(18000)), 18000)]))
    v1_shape("blocks-declare-long", lambda rng: blob([perf_object(4000, [counter(4002 + 2 * i, VALUE, 4, 4) for i in range(9000)], b"".join(instance(b"", b"", unique=i)[:-4] + struct.pack("<I", 900000) for i in range(18000)), 18000)]))
    v1_shape("blocks-empty", lambda rng: blob([perf_object(4000, [counter(4002, VALUE, 4, 4)], b"".join(instance(b"", b"", unique=i) for i in range(36000)), 36000)]))
    v1_shape("instances-most", lambda rng: blob([perf_object(4000, [], b"".join(instance(b"", b"", unique=i) for i in range(36000)), 36000)]))
    v1_shape("instances-most-equal", lambda rng: blob([perf_object(4000, [counter(4002)], b"".join(instance(b"", fill(rng, 4), unique=7) for i in range(30000)), 30000)]))
    v1_shape("instances-most-two", lambda rng: b"".join(blob([perf_object(4000, [counter(4002, RATE)], b"".join(instance(b"", fill(rng, 4), unique=i) for i in range(15000)), 15000)], tick=t) for t in range(2)))
    v1_shape("instances-equal-unique-two", lambda rng: b"".join(blob([perf_object(4000, [counter(4002, RATE)], b"".join(instance(wide("a"), fill(rng, 4), unique=7) for i in range(12000)), 12000)], tick=t) for t in range(2)))
    v1_shape("scales", lambda rng: b"".join(blob([perf_object(4000, [counter(4002 + 2 * i, TIMER, 8, 4, scale=(-1)**i * (1 << 30)) for i in range(12000)], block(fill(rng, 12)))], tick=t) for t in range(2)))
    v1_shape("random-bytes", lambda rng: fill(rng, 1000000))
    v1_shape("random-after-header", lambda rng: blob([perf_object(4000, [counter(4002)], block())]) + fill(rng, 900000))
    v1_shape("signatures", lambda rng: "PERF".encode("utf-16-le") * 120000)
    v1_shape("signatures-apart", lambda rng: ("PERF".encode("utf-16-le") + bytes(92)) * 10000)
    v1_shape("headers-only", lambda rng: b"".join(blob([], tick=i) for i in range(10000)))
    v1_shape("headers-incomplete", lambda rng: b"".join(blob([], tick=i)[:20] + bytes(4) + blob([])[24:] for i in range(10000)))
    v1_shape("zeros", lambda rng: bytes(1000000))


def add_parents():
    """Adds shapes whose instances have parents: chains, cycles, and parents with long names."""
    def one(rng, count, parent_of, name=lambda i: wide("p%d" % i), title=4000, objects=1, defs=1, samples=1):
        result = b""
        for tick in range(samples):
            result += blob([perf_object(title + 2 * k, [counter(5002 + 2 * c, RATE) for c in range(defs)], b"".join(
                instance(name(i), fill(rng, 4), parent=parent_of(i, k)[0], parent_instance=parent_of(i, k)[1]) for i in range(count)), count)
                for k in range(objects)], tick=tick)
        return result
    cases = {
        "chain": lambda i, k: (4000, max(i - 1, 0)), "chain-back": lambda i, k: (4000, i + 1), "self": lambda i, k: (4000, i),
        "pair": lambda i, k: (4000, i ^ 1), "first": lambda i, k: (4000, 0), "last": lambda i, k: (4000, 14999),
        "beyond": lambda i, k: (4000, ANY), "no-object": lambda i, k: (9998, i),
    }
    for word, parent_of in cases.items():
        v1_shape(f"parents-{word}", lambda rng, p=parent_of: one(rng, 15000, p))
        v1_shape(f"parents-{word}-two", lambda rng, p=parent_of: one(rng, 7500, p, samples=2))
    v1_shape("parents-objects-cycle", lambda rng: one(rng, 20, lambda i, k: (4000 + 2 * ((k + 1) % 700), i), objects=700))
    v1_shape("parents-objects-last", lambda rng: one(rng, 8, lambda i, k: (4000 + 2 * 1599, 7), objects=1500))
    v1_shape("parents-long", lambda rng: one(rng, 18, lambda i, k: (4000, max(i - 1, 0)), name=lambda i: wide("\u202e" * 1000), defs=9000))
    v1_shape("parents-long-chain", lambda rng: one(rng, 900, lambda i, k: (4000, max(i - 1, 0)), name=lambda i: wide("p" * 500)))
    v1_shape("parents-long-chain-two", lambda rng: one(rng, 400, lambda i, k: (4000, max(i - 1, 0)), name=lambda i: wide("p" * 500), samples=2))
    v1_shape("parents-long-shared", lambda rng: one(rng, 9000, lambda i, k: (4000, 0), name=lambda i: wide("p" * 1000) if i == 0 else wide("")))
    v1_shape("parents-long-shared-bidi", lambda rng: one(rng, 9000, lambda i, k: (4000, 0), name=lambda i: wide("\u202e" * 1000) if i == 0 else wide("")))
    v1_shape("parents-long-shared-two", lambda rng: one(rng, 4500, lambda i, k: (4000, 0), name=lambda i: wide("p" * 1000) if i == 0 else wide("%x" % i), samples=2))
    v1_shape("parents-equal-objects", lambda rng: blob([perf_object(4000, [counter(4002, RATE)], instance(wide("a"), fill(rng, 4), parent=4000, parent_instance=0), 1) for i in range(6500)]))
    v1_shape("parents-grid", lambda rng: one(rng, 800, lambda i, k: (4000, max(i - 1, 0)), name=lambda i: wide("p" * 250), defs=10000))


def add_runs():
    """Adds shapes of many samples that differ from each other."""
    def run(samples, make, machine=lambda t: "M", **times):
        return b"".join(blob(make(t), machine=machine(t), tick=t, **{k: v(t) for k, v in times.items()}) for t in range(samples))
    few = lambda rng, t, n=8, size=4: [perf_object(238, [counter(6, TIMER, 8, 8), counter(4002, RATE, 4, 4)], b"".join(instance(wide("%d" % i), fill(rng, 12)) for i in range(n)), n)]
    v1_shape("run-tiny", lambda rng: run(4000, lambda t: [perf_object(4000, [counter(4002, RATE)], block(fill(rng, 4)))]))
    v1_shape("run-machines", lambda rng: run(4000, lambda t: [perf_object(4000, [counter(4002, RATE)], block(fill(rng, 4)))], machine=lambda t: "M%d" % t))
    v1_shape("run-machines-60", lambda rng: run(4000, lambda t: [perf_object(4000, [counter(4002, RATE)], block(fill(rng, 4)))], machine=lambda t: "M%d" % (t * 7 % 60)))
    v1_shape("run-machines-case", lambda rng: run(4000, lambda t: [perf_object(4000, [counter(4002, RATE)], block(fill(rng, 4)))], machine=lambda t: "".join(c.upper() if t >> k & 1 else c for k, c in enumerate("abcdefghijklm"))))
    v1_shape("run-instances-change", lambda rng: run(30, lambda t: [perf_object(4000, [counter(4002, RATE)], b"".join(instance(wide("%d" % (t * 1000 + i)), fill(rng, 4)) for i in range(700)), 700)]))
    v1_shape("run-instances-change-big", lambda rng: run(4, lambda t: [perf_object(4000, [counter(4002, RATE)], b"".join(instance(wide("%d" % (t * 10000 + i)), fill(rng, 4)) for i in range(5400)), 5400)]))
    v1_shape("run-instances-shuffle", lambda rng: run(30, lambda t: [perf_object(4000, [counter(4002, RATE)], b"".join(instance(wide("%d" % i), fill(rng, 4)) for i in rng.sample(range(700), 700)), 700)]))
    v1_shape("run-ids-change", lambda rng: run(30, lambda t: [perf_object(4000, [counter(4002, RATE)], b"".join(instance(wide("a"), fill(rng, 4), unique=t * 1000 + i) for i in range(800)), 800)]))
    v1_shape("run-types-change", lambda rng: run(300, lambda t: [perf_object(4000, [counter(4002 + 2 * i, ALL_TYPES[(i + t) % len(ALL_TYPES)], 8, 4) for i in range(70)], block(fill(rng, 12)))]))
    v1_shape("run-counters-change", lambda rng: run(300, lambda t: [perf_object(4000, [counter(4002 + 2 * (i + 70 * t), RATE) for i in range(70)], block(fill(rng, 12)))]))
    v1_shape("run-objects-change", lambda rng: run(300, lambda t: [perf_object(4000 + 2 * (t * 20 + k), [counter(4002, RATE)], block(fill(rng, 12))) for k in range(20)]))
    v1_shape("run-objects-shuffle", lambda rng: run(60, lambda t: [perf_object(4000 + 2 * k, [counter(4002, RATE)], block(fill(rng, 12))) for k in rng.sample(range(130), 130)]))
    v1_shape("run-time-same", lambda rng: run(1500, lambda t: few(rng, t), perf_time=lambda t: 1, system_time=lambda t: (2024, 1, 4, 1, 1, 1, 1, 1)))
    v1_shape("run-time-back", lambda rng: run(1500, lambda t: few(rng, t), perf_time=lambda t: 10**12 - t))
    v1_shape("run-time-extreme", lambda rng: run(1500, lambda t: few(rng, t), perf_time=lambda t: (-1)**t * (2**63 - 1 - t), frequency=lambda t: -1 if t % 3 else 0))
    v1_shape("run-system-time-bad", lambda rng: run(1500, lambda t: few(rng, t), system_time=lambda t: (65535,) * 8))
    v1_shape("run-frequency-changes", lambda rng: run(1500, lambda t: few(rng, t), frequency=lambda t: 1 + t))
    v1_shape("run-grids", lambda rng: run(300, lambda t: [perf_object(4000, [counter(4002 + 2 * i, RATE) for i in range(40)], b"".join(instance(b"", fill(rng, 4), unique=i) for i in range(50)), 50)]))
    v1_shape("run-grids-change", lambda rng: run(200, lambda t: [perf_object(4000 + 2 * t, [counter(4002 + 2 * i, RATE) for i in range(70)], b"".join(instance(b"", fill(rng, 4), unique=t * 100 + i) for i in range(70)), 70)]))
    v1_shape("run-grids-names", lambda rng: run(40, lambda t: [perf_object(4000, [counter(4002 + 2 * i, RATE) for i in range(250)], b"".join(instance(wide("%d" % t + "x" * 500), fill(rng, 4), unique=i) for i in range(12)), 12)]))
    v1_shape("run-grids-machines", lambda rng: run(200, lambda t: [perf_object(4000, [counter(4002 + 2 * i, RATE) for i in range(70)], b"".join(instance(b"", fill(rng, 4), unique=i) for i in range(70)), 70)], machine=lambda t: "M%d" % (t % 64)))
    v1_shape("run-definitions-only", lambda rng: run(1500, lambda t: [perf_object(4000 + 2 * i, [counter(4002, RATE)], b"", -2) for i in range(5)]))
    v1_shape("run-cut", lambda rng: b"".join(run(1, lambda t: few(rng, t))[:-16] for _ in range(1500)))
    v1_shape("run-names-long-change", lambda rng: run(30, lambda t: [perf_object(4000, [counter(4002 + 2 * i, RATE) for i in range(300)], b"".join(instance(wide("%d %d" % (t, i) + "\x01" * 1000), fill(rng, 4)) for i in range(10)), 10)]))
    v1_shape("run-text-long", lambda rng: run(10, lambda t: [perf_object(4000, [counter(4002 + 2 * i, TEXT, 60000, 4) for i in range(800)], block(fill(rng, 60000)))]))


def add_titles():
    """Adds title databases, alone and with blobs that use them."""
    def named(name, pairs, files=None, form=title_text, file="counter-009.txt", **options):
        SHAPES[name] = lambda rng: Input("titles", {file: form(pairs(rng)) if form else files(rng)}, **options)
    named("titles-many", lambda rng: [(2 * i, "t") for i in range(1, 90000)])
    named("titles-many-sz", lambda rng: [(2 * i, "t") for i in range(1, 50000)], form=multi_sz, file="Counter 009.bin")
    named("titles-equal-index", lambda rng: [(2, "t%d" % i) for i in range(90000)])
    named("titles-equal-text", lambda rng: [(2 * i, "equal title") for i in range(1, 45000)])
    named("titles-equal-but-case", lambda rng: [(2 * i, "".join(c.upper() if i >> k & 1 else c for k, c in enumerate("abcdefghijklmnop"))) for i in range(1, 40000)])
    named("titles-back", lambda rng: [(200000 - 2 * i, "t%d" % i) for i in range(70000)])
    named("titles-shuffled", lambda rng: [(rng.randrange(1 << 31), "t%d" % i) for i in range(50000)])
    named("titles-blank", lambda rng: [(2 * i, "") for i in range(1, 100000)], form=lambda p: multi_sz(p)[:900000], file="Counter 009.bin")
    named("titles-blank-lines", None, lambda rng: b"\n" * 1000000, None)
    named("titles-no-number", lambda rng: [("x%d" % i, "t") for i in range(90000)])
    named("titles-huge-number", lambda rng: [(str(10**19 + i), "t") for i in range(40000)])
    named("titles-control", lambda rng: [(2 * i, "\x01\x02\x1b\x7f\u202e") for i in range(1, 60000)])
    named("titles-lone-surrogates", lambda rng: [(2 * i, "\udc00\ud800" * 20) for i in range(1, 9000)], form=multi_sz, file="Counter 009.bin")
    named("titles-one-long", lambda rng: [(2, "\u202e" * 340000)])
    named("titles-one-long-a", lambda rng: [(2, "a" * 1000000)], find="*a*a*a*a*a*a*b")
    named("titles-find-slow", lambda rng: [(2 * i, "a" * 100) for i in range(1, 9000)], find="*a" * 40 + "b")
    named("titles-find-slow-2", lambda rng: [(2 * i, "a" * 9000) for i in range(1, 110)], find="*" + "a" * 4000 + "*" + "a" * 4000 + "b")
    named("titles-find-slow-3", lambda rng: [(2, "a" * 1000000)], find="*" + "a" * 60000 + "b")
    named("titles-find-questions", lambda rng: [(2 * i, "a" * 100) for i in range(1, 9000)], find="*" + "?a" * 40 + "*b")
    named("titles-utf16-be", None, lambda rng: b"\xfe\xff" + title_text([(2 * i, "t") for i in range(1, 50000)]).decode().encode("utf-16-be"), None)
    named("titles-utf16-bom", None, lambda rng: b"\xff\xfe" + title_text([(2 * i, "t") for i in range(1, 50000)]).decode().encode("utf-16-le"), None)
    named("titles-random", None, lambda rng: fill(rng, 1000000), None)
    named("titles-same-line", None, lambda rng: b"".join(b"%d t%d\n" % (2 * i, i) for i in range(70000)), None)
    named("titles-digits", None, lambda rng: b"1" * 1000000, None)
    named("titles-invalid-utf8", None, lambda rng: b"".join(b"%d\n\xc3\xff\xe2\x80\n" % (2 * i) for i in range(70000)), None)
    key = PERFLIB + "\\009"
    named("reg-one-value", None, lambda rng: reg_file([(key, ['"Counter"=' + hex7(multi_sz([(2 * i, "t") for i in range(1, 10000)]))])])[:1040000], None, "perflib.reg")
    named("reg-many-keys", None, lambda rng: reg_file([("HKEY_LOCAL_MACHINE\\K%d" % i, []) for i in range(15000)]), None, "perflib.reg")
    named("reg-many-languages", None, lambda rng: reg_file([(PERFLIB + "\\%03X" % i, ['"Counter"=' + hex7(multi_sz([(2, "t")]))]) for i in range(1500)]), None, "perflib.reg")
    named("reg-many-values", None, lambda rng: reg_file([(key, ['"V%d"=dword:00000001' % i for i in range(19000)])]), None, "perflib.reg")
    named("reg-same-value", None, lambda rng: reg_file([(key, ['"Counter"=' + hex7(multi_sz([(2, "t")])) for i in range(4500)])]), None, "perflib.reg")
    named("reg-deep-key", None, lambda rng: reg_file([("HKEY_LOCAL_MACHINE" + "\\a" * 240000, [])]), None, "perflib.reg")
    named("reg-continued", None, lambda rng: reg_file([(key, ['"Counter"=hex(7):\\'] + ["  32,00,\\"] * 45000 + ["  00"])]), None, "perflib.reg")
    named("reg-unclosed", None, lambda rng: reg_file([(key, ['"' + "\\\"" * 240000])]), None, "perflib.reg")
    named("reg-last-counter", None, lambda rng: reg_file([(PERFLIB, ['"Last Counter"=dword:ffffffff', '"Last Help"=dword:00000000'] * 2000), (key, ['"Counter"=' + hex7(multi_sz([(2 * i, "t") for i in range(1, 7000)])), '"Help"=' + hex7(multi_sz([(2 * i, "t") for i in range(1, 5000)]))])])[:1040000], None, "perflib.reg")

    def used(name, pairs, make, **options):
        SHAPES[name] = lambda rng: Input("v1", {"x.bin": make(rng), "counter-009.txt": title_text(pairs(rng))}, titles=["counter-009.txt"], **options)
    one = lambda rng, n=9000: blob([perf_object(4000, [counter(4002, RATE)] * n, block())])
    used("title-long-counters", lambda rng: [(4000, "o"), (4002, "c" * 500000)], one)
    used("title-long-counters-bidi", lambda rng: [(4000, "o"), (4002, "\u202e" * 160000)], one)
    used("title-long-object", lambda rng: [(4000, "o" * 500000), (4002, "c")], one)
    used("title-long-both", lambda rng: [(4000, "o" * 250000), (4002, "\x01" * 250000)], lambda rng: b"".join(one(rng, 4000) for _ in range(2)))
    used("title-long-quotes", lambda rng: [(4000, "o"), (4002, "\"" * 500000)], one)
    used("title-1k-grid", lambda rng: [(4000, "o" * 1000)] + [(4002 + 2 * i, "c" * 1000) for i in range(300)], lambda rng: grid(rng, 1000, 1000, (RATE,), (4,), samples=2))
    used("title-2k-instances", lambda rng: [(4000, "o" * 2000), (4002, "c" * 2000)], lambda rng: grid(rng, 1, 14000, (RATE,), (4,), samples=2))
    used("title-help-long", lambda rng: [(4001, "h" * 250000), (4003, "h" * 250000)], one)
    used("title-equal", lambda rng: [(2 * i, "equal") for i in range(1, 20000)], lambda rng: blob([perf_object(2 + 2 * i, [counter(4 + 2 * i, RATE)], block()) for i in range(4500)]))
    used("title-equal-case", lambda rng: [(2 * i, "".join(c.upper() if i >> k & 1 else c for k, c in enumerate("abcdefghijklmn"))) for i in range(1, 15000)], lambda rng: blob([perf_object(2 + 2 * i, [counter(4 + 2 * i, RATE)], block()) for i in range(4500)]))
    used("title-equal-two", lambda rng: [(2 * i, "equal") for i in range(1, 20000)], lambda rng: b"".join(blob([perf_object(2, [counter(4 + 2 * i, RATE) for i in range(9000)], block())], tick=t) for t in range(2)))
    used("title-metrics-equal", lambda rng: [(2 * i, "%" * (i % 40 + 1)) for i in range(1, 9000)], lambda rng: b"".join(blob([perf_object(2, [counter(4 + 2 * i, RATE) for i in range(9000)], block())], tick=t) for t in range(2)))
    used("title-metrics-suffix", lambda rng: [(2 * i, "x" + "_total" * (i % 50)) for i in range(1, 3800)], lambda rng: b"".join(blob([perf_object(2, [counter(4 + 2 * i, RATE) for i in range(5000)], block())], tick=t) for t in range(2)))


def add_v2():
    """Adds V2 blocks with identifiers and registrations."""
    def add(name, make):
        def build(rng):
            data, query, registration = make(rng)
            files = {"x.v2": data}
            if query is not None:
                files["x.query"] = query
            for number, part in enumerate(registration):
                files[f"r{number}.bin"] = part
            return Input("v2", files, v2=["x.v2"], identifiers=["x.query"] if query is not None else [],
                         registration=[f for f in files if f.startswith("r")])
        SHAPES[name] = build
    single = lambda rng: v2_result(1, v2_data(fill(rng, 8)))
    star = lambda n, name="*": b"".join(v2_identifier(guid(i), i, name=name) for i in range(n))
    add("v2-errors", lambda rng: (v2_block([v2_result(0, status=5)] * 40000), None, []))
    add("v2-errors-identified", lambda rng: (v2_block([v2_result(0, status=5)] * 15000), star(14000, None), []))
    add("v2-singles", lambda rng: (v2_block([single(rng) for _ in range(30000)]), None, []))
    add("v2-singles-identified", lambda rng: (v2_block([single(rng) for _ in range(12000)]), b"".join(v2_identifier(guid(1), i, counter_id=i, name=None) for i in range(12000)), []))
    add("v2-singles-one-index", lambda rng: (v2_block([single(rng) for _ in range(12000)]), b"".join(v2_identifier(guid(1), 0, counter_id=i, name=None) for i in range(12000)), []))
    add("v2-singles-named", lambda rng: (v2_block([single(rng) for _ in range(8000)]), b"".join(v2_identifier(guid(i % 7), i, counter_id=1, name="equal") for i in range(8000)), []))
    add("v2-index-back", lambda rng: (v2_block([single(rng) for _ in range(12000)]), b"".join(v2_identifier(guid(1), 11999 - i, counter_id=i, name=None) for i in range(12000)), []))
    add("v2-index-huge", lambda rng: (v2_block([single(rng) for _ in range(12000)]), b"".join(v2_identifier(guid(1), ANY - i, counter_id=i, name=None) for i in range(12000)), []))
    add("v2-identifier-name-long", lambda rng: (v2_block([v2_result(2, v2_counters(list(range(4000))) + b"".join(v2_data(fill(rng, 8)) for _ in range(4000)))]), v2_identifier(guid(1), 0, name="\u202e" * 1000), []))
    add("v2-counters", lambda rng: (v2_block([v2_result(2, v2_counters(list(range(45000))) + b"".join(v2_data(fill(rng, 8)) for _ in range(45000)))]), star(1, None), []))
    add("v2-counters-equal-ids", lambda rng: (v2_block([v2_result(2, v2_counters([7] * 45000) + b"".join(v2_data(fill(rng, 8)) for _ in range(45000)))]), star(1, None), []))
    add("v2-counters-no-data", lambda rng: (v2_block([v2_result(2, v2_counters(list(range(200000))))]), star(1, None), []))
    add("v2-instances-no-counters", lambda rng: (v2_block([v2_result(6, v2_counters([]) + v2_instances([(wide("a"), b"")] * 50000))]), star(1), []))
    add("v2-instances-many-ids", lambda rng: (v2_block([v2_result(6, v2_counters(list(range(100000))) + v2_instances([(wide("a"), b"")] * 30000))]), star(1), []))
    add("v2-instances-unnamed", lambda rng: (v2_block([v2_result(4, v2_instances([(b"", v2_data(fill(rng, 8))) for _ in range(40000)]))]), star(1), []))
    add("v2-instances-equal", lambda rng: (v2_block([v2_result(4, v2_instances([(wide("eq"), v2_data(fill(rng, 8))) for _ in range(30000)]))]), star(1), []))
    add("v2-instances-zero-data", lambda rng: (v2_block([v2_result(6, v2_counters([1, 2, 3]) + v2_instances([(wide("eq"), v2_data(b"") * 3) for _ in range(20000)]))]), star(1), []))
    add("v2-instances-long", lambda rng: (v2_block([v2_result(6, v2_counters(list(range(300))) + v2_instances([(wide("\u202e" * 1000), b"".join(v2_data(fill(rng, 8)) for _ in range(300))) for _ in range(120)]))]), star(1), []))
    add("v2-data-size-0", lambda rng: (v2_block([v2_result(6, v2_counters(list(range(9000))) + v2_instances([(wide("n%d" % i), v2_data(b"", size=0)) for i in range(25000)]))]), star(1), []))
    add("v2-data-text", lambda rng: (v2_block([v2_result(1, v2_data(fill(rng, 60000))) for _ in range(15)]), star(15, None), []))
    add("v2-size-0", lambda rng: (v2_block([v2_result(2, b"", size=0)] * 50000), None, []))
    add("v2-counts-huge", lambda rng: (v2_block([v2_result(4, struct.pack("<II", 8, ANY)), v2_result(2, struct.pack("<II", 8, ANY))] * 15000, count=ANY), None, []))
    regular = lambda n, base=lambda i: i: v2_set(guid(0), [(i, ALL_TYPES[i % len(ALL_TYPES)], base(i)) for i in range(n)])
    data = lambda rng, n: v2_block([v2_result(6, v2_counters(list(range(n))) + v2_instances([(wide("i"), b"".join(v2_data(fill(rng, 8)) for _ in range(n)))]))])
    add("v2-registration", lambda rng: (data(rng, 4000), star(1), [regular(4000)]))
    add("v2-registration-base-one", lambda rng: (data(rng, 4000), star(1), [regular(4000, lambda i: 3999)]))
    add("v2-registration-base-chain", lambda rng: (data(rng, 4000), star(1), [regular(4000, lambda i: i + 1)]))
    add("v2-registration-equal-ids", lambda rng: (data(rng, 4000), star(1), [v2_set(guid(0), [(1, RATE, ANY)] * 4000)]))
    add("v2-registration-large", lambda rng: (data(rng, 10), star(1), [regular(20000)]))
    add("v2-strings-shared", lambda rng: (data(rng, 4000), star(1), [regular(4000), v2_strings([(i, 0) for i in range(4000)], wide("s" * 40000))]))
    add("v2-strings-shared-large", lambda rng: (data(rng, 10), star(1), [regular(10), v2_strings([(i, 0) for i in range(60000)], wide("s" * 250000))]))
    add("v2-strings-suffixes", lambda rng: (data(rng, 10), star(1), [regular(10), v2_strings([(i, 2 * i) for i in range(60000)], wide("s" * 250000))]))
    add("v2-strings-bidi", lambda rng: (data(rng, 4000), star(1), [regular(4000), v2_strings([(i, 0) for i in range(4000)], wide("\u202e" * 40000))]))
    add("v2-strings-equal-ids", lambda rng: (data(rng, 10), star(1), [regular(10), v2_strings([(1, 0)] * 60000, wide("s" * 200000))]))
    add("v2-strings-invalid", lambda rng: (data(rng, 10), star(1), [regular(10), v2_strings([(i, 4 * i + 1) for i in range(60000)], fill(rng, 400000))]))
    add("v2-set-name-long", lambda rng: (data(rng, 4000), star(1), [regular(4000), wide("\x01" * 200000)]))
    add("v2-sets-many", lambda rng: (v2_block([v2_result(4, v2_instances([(wide("i"), v2_data(fill(rng, 8)))])) for _ in range(5000)]), star(5000), [v2_set(guid(i), [(1, RATE, ANY)]) for i in range(300)]))
    add("v2-registration-random", lambda rng: (data(rng, 10), star(1), [fill(rng, 1000) for _ in range(200)]))
    add("v2-registration-repeated", lambda rng: (data(rng, 10), star(1), [v2_set(guid(0), [(i, RATE, ANY) for i in range(60)]) for _ in range(300)]))

    def many(name, files, identifiers=True):
        def build(rng):
            made = files(rng)
            return Input("v2", made, v2=[f for f in made if f.endswith(".v2")], identifiers=[f for f in made if f.endswith(".query")],
                         registration=[f for f in made if f.startswith("r")])
        SHAPES[name] = build
    many("v2-blocks", lambda rng: {**{f"{t:03}.v2": v2_block([v2_result(6, v2_counters(list(range(20))) + v2_instances([(wide("n%d" % i), b"".join(v2_data(fill(rng, 8)) for _ in range(20))) for i in range(10)]))], tick=t) for t in range(200)}, "x.query": star(1), "r.bin": regular(20)})
    many("v2-blocks-change", lambda rng: {**{f"{t:03}.v2": v2_block([v2_result(6, v2_counters(list(range(t, t + 20))) + v2_instances([(wide("n%d" % (i + t * 10)), b"".join(v2_data(fill(rng, 8)) for _ in range(20))) for i in range(10)]))], tick=t) for t in range(200)}, "x.query": star(1), "r.bin": regular(220)})
    many("v2-blocks-two", lambda rng: {**{f"{t:03}.v2": v2_block([v2_result(6, v2_counters(list(range(2000))) + v2_instances([(wide("n%d" % i), b"".join(v2_data(fill(rng, 8)) for _ in range(2000))) for i in range(10)]))], tick=t) for t in range(2)}, "x.query": star(1), "r.bin": regular(2000)})


def add_logs():
    """Adds performance logs."""
    def add(name, make):
        SHAPES[name] = lambda rng: Input("blg", {"x.blg": make(rng)})
    strings = wide("M") + wide("o") + wide("i") + wide("c")
    entry = lambda kind=RATE, flags=0, more=b"": catalogue_entry(flags, kind, strings + more, (0, 4, 8, -1), 12)
    table = lambda entries: log_events(0x20, catalogue(entries))
    names = log_events(0x24, wide("\\\\M") + multi_sz([(4000, "object"), (4002, "counter")]))
    rows = lambda n, make: [e for t in range(n) for e in row(t, make(t))]
    add("blg-rows", lambda rng: log_file(table([entry()]) + rows(4000, lambda t: [raw_counter(t, t)])))
    add("blg-entries", lambda rng: log_file(table([entry() for _ in range(4200)]) + rows(3, lambda t: [raw_counter(t, t)] * 4200)))
    add("blg-entries-differ", lambda rng: log_file(table([catalogue_entry(0, RATE, wide("M") + wide("o%d" % i) + wide("c%d" % i), (0, 4, -1, -1), 4) for i in range(3500)]) + rows(3, lambda t: [raw_counter(t, t)] * 3500)))
    add("blg-entries-no-rows", lambda rng: log_file(table([entry() for _ in range(10000)])))
    add("blg-entry-long", lambda rng: log_file(table([catalogue_entry(0, RATE, wide("s" * 1000), (0, 0, 0, 0), 0)]) + rows(500, lambda t: [raw_counter(t, t)])))
    add("blg-entries-long", lambda rng: log_file(table([catalogue_entry(0, RATE, wide("\u202e" * 1000), (0, 0, 0, 0), 0)] * 150) + rows(60, lambda t: [raw_counter(t, t)] * 150)))
    add("blg-catalogues", lambda rng: log_file([e for t in range(1000) for e in table([entry()] * 3) + row(t, [raw_counter(t, t)] * 3)]))
    add("blg-list", lambda rng: log_file(table([entry(flags=1)]) + rows(2, lambda t: raw_instances(t, [(i, 8 * i) for i in range(9000)], b"".join(wide("%03d" % (i % 1000)) for i in range(9000))) and [raw_instances(t, [(i, 8 * i) for i in range(9000)], b"".join(wide("%03d" % (i % 1000)) for i in range(9000)))])))
    add("blg-list-shared-name", lambda rng: log_file(table([entry(flags=1)]) + rows(2, lambda t: [raw_instances(t, [(i, 0) for i in range(9000)], wide("s" * 1000))])))
    add("blg-list-suffixes", lambda rng: log_file(table([entry(flags=1)]) + rows(2, lambda t: [raw_instances(t, [(i, 2 * (i % 1000)) for i in range(9000)], wide("s" * 1000))])))
    add("blg-list-shared-1k", lambda rng: log_file(table([entry(flags=1)]) + rows(10, lambda t: [raw_instances(t, [(i, 0) for i in range(3000)], wide("\u202e" * 1000))])))
    add("blg-lists", lambda rng: log_file(table([entry(flags=1) for _ in range(2000)]) + rows(4, lambda t: [raw_instances(t, [(1, 0)], wide("n"))] * 2000)))
    add("blg-list-count-huge", lambda rng: log_file(table([entry(flags=1) for _ in range(2000)]) + rows(4, lambda t: [raw_instances(t, [(1, 0)], wide("n"), count=ANY)] * 2000)))
    add("blg-list-change", lambda rng: log_file(table([entry(flags=1)]) + rows(60, lambda t: [raw_instances(t, [(i, 16 * i) for i in range(300)], b"".join(wide("%07d" % (t * 300 + i)) for i in range(300)))])))
    add("blg-blocks", lambda rng: log_file(names + table([entry(flags=0x10)]) + rows(2, lambda t: [log_record(0x503, grid(rng, 3000, 8000, (RATE,), (4,)))])))
    add("blg-blocks-many", lambda rng: log_file(names + table([entry(flags=0x10)] * 1000) + rows(4, lambda t: [log_record(0x503, blob([perf_object(4000, [counter(4002, RATE)], block(fill(rng, 4)))], tick=t))] * 800)))
    add("blg-blocks-grids", lambda rng: log_file(names + table([entry(flags=0x10)]) + rows(60, lambda t: [log_record(0x503, grid(rng, 150, 100, (RATE,), (4,)))])))
    add("blg-records-empty", lambda rng: log_file(table([entry()]) + rows(2, lambda t: [log_record(0x103, b"")] * 50000)))
    add("blg-records-unknown", lambda rng: log_file(table([entry()]) + rows(2, lambda t: [log_record(0x777, b"")] * 50000)))
    add("blg-rows-empty", lambda rng: log_file(table([entry()]) + rows(9000, lambda t: [])))
    add("blg-fragments-missing", lambda rng: log_file([e for t in range(9000) for e in log_events(0x22, b"BL\3\0\x08\0\0\0", t, first=1, total=2)]))
    add("blg-fragments-huge", lambda rng: log_file([e for t in range(9000) for e in log_events(0x22, b"BL\3\0\x08\0\0\0", t, first=t + 1, total=ANY)]))
    add("blg-fragments-tiny", lambda rng: log_file([e for e in log_events(0x20, catalogue([entry()] * 70), piece=1)]))
    add("blg-titles", lambda rng: log_file(log_events(0x24, wide("\\\\M") + multi_sz([(2 * i, "t") for i in range(1, 40000)])) + table([entry()]) + rows(2, lambda t: [raw_counter(t, t)])))
    add("blg-titles-many", lambda rng: log_file([e for i in range(7000) for e in log_events(0x24, wide("\\\\M%d" % i) + multi_sz([(2, "t")]))]))
    add("blg-logs", lambda rng: log_file([e for t in range(2000) for e in log_events(0x20, catalogue([entry()]), log=guid(t)) + log_events(0x22, log_record(3, raw_counter(t, t)), t, log=guid(t))]))
    add("blg-files", lambda rng: log_file(table([entry()]) + rows(1, lambda t: [raw_counter(t, t)]), buffer_size=1024) * 300)
    add("blg-buffers-small", lambda rng: log_file([e for e in log_events(0x22, bytes(8), 1)] * 1800, buffer_size=512))
    add("blg-machines", lambda rng: log_file(table([catalogue_entry(0, RATE, wide("M%d" % i) + wide("o") + wide("c"), (0, 2 * len("M%d" % i) + 2, -1, -1), 2 * len("M%d" % i) + 6) for i in range(3000)]) + rows(3, lambda t: [raw_counter(t, t)] * 3000)))
    add("blg-statuses", lambda rng: log_file(table([entry() for _ in range(500)]) + rows(20, lambda t: [raw_counter(t, t, status=0xC0000BBA + t) for _ in range(500)])))


def text_head(paths):
    """Returns the first line of a text log."""
    return b'"(PDH-CSV 4.0) (UTC)(0)",' + b",".join(b'"' + p.encode() + b'"' for p in paths) + b"\n"


def text_row(second, cells):
    return b'"05/14/2024 %02d:%02d:%02d.000",' % (second // 3600 % 24, second // 60 % 60, second % 60) + b",".join(cells) + b"\n"


def add_text_logs():
    """Adds text logs (CSV)."""
    def add(name, make):
        SHAPES[name] = lambda rng: Input("blg", {"x.csv": make(rng)})
    paths = lambda n: ["\\\\M\\o(%d)\\c" % i for i in range(n)]
    add("text-rows", lambda rng: text_head(paths(1)) + b"".join(text_row(t, [b"1"]) for t in range(30000)))
    add("text-columns", lambda rng: text_head(paths(20000)) + b"".join(text_row(t, [b"1"] * 20000) for t in range(15)))
    add("text-columns-differ", lambda rng: text_head(["\\o%d\\c" % i for i in range(30000)]) + b"".join(text_row(t, [b"1"] * 30000) for t in range(5)))
    add("text-columns-no-rows", lambda rng: text_head(["\\o\\%d" % i for i in range(70000)]))
    add("text-columns-repeated", lambda rng: text_head(["\\o\\c"] * 60000) + text_row(0, [b"1"] * 60000) * 2)
    add("text-columns-bad", lambda rng: text_head(["x"] * 150000) + text_row(0, [b"1"] * 150000))
    add("text-cells-empty", lambda rng: text_head(["\\o\\%d" % i for i in range(20000)]) + b"".join(text_row(t, [b""] * 20000) for t in range(30)))
    add("text-rows-short", lambda rng: text_head(["\\o\\%d" % i for i in range(20000)]) + b"".join(text_row(t, [b"1"]) for t in range(20000)))
    add("text-cells-bad", lambda rng: text_head(paths(10)) + b"".join(text_row(t, [b"x"] * 10) for t in range(15000)))
    add("text-line-long", lambda rng: text_head(paths(1)) + b'"' + b"1" * 900000)
    add("text-quotes", lambda rng: text_head(paths(1)) + b'"' * 900000)
    add("text-names-long", lambda rng: text_head(["\\o(%s%d)\\c" % ("a" * 2000, i) for i in range(400)]) + b"".join(text_row(t, [b"1"] * 400) for t in range(100)))
    add("text-machines", lambda rng: text_head(["\\\\M%d\\o\\c" % i for i in range(20000)]) + b"".join(text_row(t, [b"1"] * 20000) for t in range(5)))
    # Its capture has three records of each log. An export creates a file of each record, which takes the system 90 us.
    add("text-logs", lambda rng: b"".join(text_head(["\\o(%d)\\c" % t]) + text_row(t, [b"1"]) for t in range(5000)))
    add("text-blank-lines", lambda rng: text_head(paths(1)) + b"\n" * 900000)
    add("text-lines-other", lambda rng: text_head(paths(1)) + b"x\n" * 450000)
    add("text-wide", lambda rng: b"\xff\xfe" + wide((text_head(paths(1000)) + text_row(0, [b"1"] * 1000) * 100).decode())[:-2])
    # Samples of Get-Counter: a log has a cell for each path at each time.
    sample = lambda i: b'"\\\\a\\m\\%d","1","2026-12-01 %02d:%02d:%02d"\n' % (i, i // 3600, i // 60 % 60, i % 60)
    add("get-counter-sparse", lambda rng: b'"Path","CookedValue","Timestamp"\n' + b"".join(map(sample, range(20000))))
    add("get-counter-deep", lambda rng: b'{"Path":"\\\\a","CookedValue":1,"a":' * 20000 + b"1" + b"}" * 20000)
    time = b'{"Timestamp":"' + b"1" * 300000 + b'","CounterSamples":['
    add("get-counter-time-long", lambda rng: time + b",".join([b'{"Path":"\\\\a","CookedValue":1}'] * 15000) + b"]}")
    add("text-random", lambda rng: text_head(paths(5)) + fill(rng, 900000))


def add_archives():
    """Adds compressed inputs: those that expand much, are nested, or hold many files."""
    def add(name, make, file="x"):
        SHAPES[name] = lambda rng: Input("blg", {file: make(rng)})
    zeros = lambda n: gzip.compress(bytes(n), 9)

    def archive(files, method=zipfile.ZIP_DEFLATED):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as made:
            for name, content in files:
                made.writestr(name, content)
        return out.getvalue()

    def nested(content, depth):
        for _ in range(depth):
            content = archive([("x.zip", content)])
        return content
    log = text_head(["\\o\\c"]) + text_row(0, [b"1"])
    small = lambda rng: blob([perf_object(4000, [counter(4002, RATE)], block(fill(rng, 4)))])
    add("gzip-bomb", lambda rng: zeros(1 << 28))
    add("gzip-bomb-beyond", lambda rng: zeros(1 << 28) * 4)
    add("gzip-members", lambda rng: gzip.compress(log) * 9000)
    add("gzip-members-empty", lambda rng: gzip.compress(b"") * 40000)
    add("gzip-nested", lambda rng: functools.reduce(lambda content, _: gzip.compress(content), range(100), log))
    add("gzip-text", lambda rng: gzip.compress(text_head(["\\o\\c"]) + b"".join(text_row(t, [b"1"]) for t in range(60000))))
    add("zip-bomb", lambda rng: archive([("x", bytes(1 << 28))]))
    add("zip-bombs", lambda rng: archive([("%d" % i, bytes(1 << 24)) for i in range(40)]))
    add("zip-nested", lambda rng: nested(log, 100))
    add("zip-files", lambda rng: archive([("%05d" % i, small(rng)) for i in range(3000)]))
    add("zip-files-empty", lambda rng: archive([("%05d" % i, b"") for i in range(9000)]))
    add("zip-files-random", lambda rng: archive([("%05d" % i, fill(rng, 50)) for i in range(4000)]))
    add("zip-names", lambda rng: archive([("a" * 60000 + str(i), log) for i in range(7)]))
    add("zip-titles", lambda rng: archive([("counter-%03x.txt" % i, title_text([(2 * t, "t") for t in range(1, 30)])) for i in range(1000)] + [("x.bin", small(rng))]))
    add("zip-end-missing", lambda rng: b"PK\3\4" + b"PK\5\6" * 200000)


def add_captures():
    """Adds MCAP files."""
    def add(name, make, **options):
        SHAPES[name] = lambda rng: Input("mcap", {"x.mcap": make(rng)}, **options)
    tiny = blob([perf_object(4000, [counter(4002, RATE)], block())])
    small = lambda rng, t: blob([perf_object(4000, [counter(4002, RATE)], block(fill(rng, 4)))], tick=t)
    add("mcap-channels", lambda rng: mcap(b"".join(v1_channel(i, "M%d" % i) for i in range(12000)) + message(1, tiny)))
    add("mcap-channels-same", lambda rng: mcap(b"".join(v1_channel(1, "M%d" % i) for i in range(12000)) + message(1, tiny)))
    add("mcap-channels-used", lambda rng: mcap(b"".join(v1_channel(i, "M%d" % i) + message(i, small(rng, i), i) for i in range(2500))))
    add("mcap-channel-long", lambda rng: mcap(v1_channel(1, "\u202e" * 150000) + b"".join(message(1, small(rng, i), i) for i in range(500))))
    add("mcap-channel-metadata", lambda rng: mcap(channel(1, "v1/M", "x-hkpd-v1", [("k%d" % i, "v") for i in range(60000)]) + message(1, tiny)))
    add("mcap-channel-metadata-same", lambda rng: mcap(channel(1, "v1/M", "x-hkpd-v1", [("machine", "v%d" % i) for i in range(45000)]) + message(1, tiny)))
    add("mcap-schemas", lambda rng: mcap(b"".join(record(3, struct.pack("<H", i % 65535 + 1) + text32("s") + text32("") + text32("")) for i in range(36000)) + v1_channel() + message(1, tiny)))
    add("mcap-attachments", lambda rng: mcap(b"".join(record(9, struct.pack("<QQ", 0, 0) + text32("a") + text32("t") + struct.pack("<QI", 0, 0)) for i in range(18000)) + v1_channel() + message(1, tiny)))
    add("mcap-metadata", lambda rng: mcap(b"".join(record(12, text32("hkpd") + map32([("machine", "M%d" % i)])) for i in range(18000)) + v1_channel() + message(1, tiny)))
    add("mcap-metadata-collection", lambda rng: mcap(b"".join(record(12, text32("collection") + map32([("machine", "M%d" % (i % 90)), ("v1_samples", "9" * 20)])) for i in range(9000)) + v1_channel() + message(1, tiny)))
    add("mcap-metadata-large", lambda rng: mcap(record(12, text32("hkpd") + map32([("k%d" % i, "\x1b" * 5) for i in range(45000)])) + v1_channel() + message(1, tiny)))
    add("mcap-metadata-long", lambda rng: mcap(record(12, text32("hkpd") + map32([("machine", "\u202e" * 150000), ("os", "\u202e" * 150000)])) + v1_channel() + message(1, tiny)))
    add("mcap-chunks-empty", lambda rng: mcap(v1_channel() + message(1, tiny) + chunk(b"") * 18000))
    add("mcap-chunks-tiny", lambda rng: mcap(b"".join(chunk((v1_channel() if i == 0 else b"") + message(1, small(rng, i), i)) for i in range(3200))))
    add("mcap-chunks-nested", lambda rng: mcap(v1_channel() + message(1, tiny) + (lambda r: [r := chunk(r) for _ in range(2000)][-1])(message(1, tiny))))
    add("mcap-chunk-sizes-false", lambda rng: mcap(v1_channel() + b"".join(chunk(message(1, tiny), size=1 << 28) for i in range(3000))))
    add("mcap-chunks-zstd-false", lambda rng: mcap(v1_channel() + b"".join(chunk(bytes.fromhex("28b52ffd") + fill(rng, 60), "zstd", 1 << 27) for i in range(5000))))
    raw_block = lambda size: bytes.fromhex("28b52ffd") + b"\xa0" + struct.pack("<I", size) + b"".join(
        struct.pack("<I", (int(left <= 131072)) | 1 << 1 | min(left, 131072) << 3)[:3] + b"\0" for left in range(size, 0, -131072))
    add("mcap-chunks-zstd-zeros", lambda rng: mcap(v1_channel() + b"".join(chunk(raw_block(1 << 20), "zstd", 1 << 20) for i in range(100))))
    add("mcap-chunk-zstd-zeros", lambda rng: mcap(v1_channel() + chunk(raw_block(200 << 20), "zstd", 200 << 20) * 8))
    add("mcap-chunks-lz4", lambda rng: mcap(v1_channel() + b"".join(chunk(fill(rng, 60), "lz4", 1 << 20) for i in range(5000))))
    add("mcap-messages-zero", lambda rng: mcap(v1_channel() + message(1, b"") * 30000))
    add("mcap-messages-zero-chunk", lambda rng: mcap(v1_channel() + chunk(message(1, b"") * 30000)))
    add("mcap-messages-short", lambda rng: mcap(v1_channel() + message(1, b"PERF") * 28000))
    add("mcap-messages-no-channel", lambda rng: mcap(v1_channel() + b"".join(message(i % 65536, b"") for i in range(30000))))
    add("mcap-messages-other-encoding", lambda rng: mcap(channel(1, "t", "json") + message(1, b"{}") * 28000))
    add("mcap-messages-header", lambda rng: mcap(v1_channel() + b"".join(message(1, blob([], tick=i), i) for i in range(7500))))
    add("mcap-messages-same-sequence", lambda rng: mcap(v1_channel() + b"".join(message(1, small(rng, i), 7) for i in range(3500))))
    add("mcap-messages-many-blobs", lambda rng: mcap(v1_channel() + message(1, b"".join(small(rng, i) for i in range(4000)))))
    add("mcap-messages-indexes", lambda rng: mcap(v1_channel() + chunk(message(1, tiny)) + record(7, struct.pack("<HI", 1, 16) + struct.pack("<QQ", 1, 0)) * 20000))
    add("mcap-message-index-large", lambda rng: mcap(v1_channel() + chunk(message(1, tiny)) + record(7, struct.pack("<HI", 1, 16 * 60000) + struct.pack("<QQ", 1, 0) * 60000)))
    index = lambda at, size: record(8, struct.pack("<QQQQI", NANOSECONDS, NANOSECONDS + 10**12, at, size, 0) + struct.pack("<Q", 0) + text32("") + struct.pack("<QQ", 1, 1))
    add("mcap-chunk-indexes", lambda rng: mcap(v1_channel() + chunk(message(1, tiny)), summary=index(0, 100) * 10000))
    add("mcap-chunk-indexes-same", lambda rng: (lambda head, data: mcap(head + data, summary=v1_channel() + index(len(MAGIC) + 9 + 20 + len(head) - 9 + 5, len(data)) * 10000))(v1_channel(), chunk(b"".join(message(1, small(rng, i), i) for i in range(40)))))
    add("mcap-summary-at-start", lambda rng: mcap(v1_channel() + b"".join(message(1, small(rng, i), i) for i in range(3000)), summary=b"\x0e" + struct.pack("<Q", 17) + bytes(17), summary_start=8))
    add("mcap-no-end", lambda rng: mcap(v1_channel() + b"".join(message(1, small(rng, i), i) for i in range(3000)), end=False))
    add("mcap-unknown-records", lambda rng: mcap(v1_channel() + record(0x80, b"") * 100000 + message(1, tiny)))
    add("mcap-empty-records", lambda rng: mcap(v1_channel() + b"".join(record(i % 15 + 3, b"") for i in range(100000))))
    add("mcap-headers", lambda rng: mcap(record(1, text32("x-hkpd") + text32("h")) * 40000 + v1_channel() + message(1, tiny)))
    add("mcap-footers", lambda rng: mcap(record(2, bytes(20)) * 30000))
    add("mcap-titles", lambda rng: mcap(b"".join(titles_channel(i, "counter-%03x.txt" % i) + message(i, title_text([(2, "t")])) for i in range(4500)) + v1_channel(9000) + message(9000, tiny)))
    add("mcap-titles-one-channel", lambda rng: mcap(titles_channel(2) + b"".join(message(2, title_text([(2 * i, "t")])) for i in range(20000)) + v1_channel() + message(1, tiny)))
    add("mcap-titles-between", lambda rng: mcap(titles_channel(2) + v1_channel() + b"".join(message(2, title_text([(4002, "t%d" % i)]), i) + message(1, small(rng, i), i) for i in range(2500))))
    add("mcap-titles-large-between", lambda rng: mcap(titles_channel(2) + v1_channel() + b"".join(message(2, title_text([(4000 + 2 * k, "t%d" % i) for k in range(900)]), i) + message(1, small(rng, i), i) for i in range(80))))
    add("mcap-title-long", lambda rng: mcap(titles_channel(2) + message(2, title_text([(4000, "o" * 200000), (4002, "\u202e" * 100000)])) + v1_channel() + b"".join(message(1, small(rng, i), i) for i in range(1200))))
    add("mcap-titles-machines", lambda rng: mcap(b"".join(titles_channel(i, machine="M%d" % i) + message(i, title_text([(2, "t")])) for i in range(4500)) + v1_channel(9000) + message(9000, tiny)))
    registration = lambda i, n=0: channel(n or i, "v2-registration/M/x", "x-hkpd-v2-registration", [("machine", "M"), ("counterset", "{%08x-1234-4321-1122-334455667788}" % i), ("request", "1"), ("language", "009")])
    add("mcap-registrations", lambda rng: mcap(b"".join(registration(i) + message(i, v2_set(guid(i), [(1, RATE, ANY)])) for i in range(3000)) + channel(9000, "v2/M", "x-hkpd-v2", [("machine", "M")]) + message(9000, v2_block([v2_result(1, v2_data())]))))
    add("mcap-registrations-same", lambda rng: mcap(registration(1) + message(1, v2_set(guid(1), [(1, RATE, ANY)])) * 8000))
    add("mcap-queries", lambda rng: mcap(channel(1, "v2-query/M", "x-hkpd-v2-query", [("machine", "M")]) + b"".join(message(1, v2_identifier(guid(1), 0), i) for i in range(10000))))
    add("mcap-v2", lambda rng: mcap(channel(1, "v2-query/M", "x-hkpd-v2-query", [("machine", "M")]) + channel(2, "v2/M", "x-hkpd-v2", [("machine", "M")]) + b"".join(message(1, v2_identifier(guid(1), 0, 1, None), i) + message(2, v2_block([v2_result(1, v2_data(fill(rng, 8)))], i), i) for i in range(4000))))
    add("mcap-v2-same-sequence", lambda rng: mcap(channel(2, "v2/M", "x-hkpd-v2", [("machine", "M")]) + b"".join(message(2, v2_block([v2_result(1, v2_data(fill(rng, 8)))], 1), 1) for i in range(7000))))
    add("mcap-v2-machines", lambda rng: mcap(b"".join(channel(i, "v2/M%d" % i, "x-hkpd-v2", [("machine", "M%d" % i)]) + message(i, v2_block([v2_result(1, v2_data(fill(rng, 8)))], i), i) for i in range(1, 4000))))

    def both(rng, samples, sets, instances, equal=True):
        head = channel(1, "v2-query/M", "x-hkpd-v2-query", [("machine", "M")]) + channel(2, "v2/M", "x-hkpd-v2", [("machine", "M")]) + v1_channel(3) + titles_channel(4)
        head += message(4, title_text([(4000 + 2 * i, "o%d" % i) for i in range(sets + 2)]))
        for i in range(sets):
            made = channel(10 + 2 * i, "v2-registration/M/x", "x-hkpd-v2-registration", [("machine", "M"), ("counterset", "{%08x-1234-4321-1122-334455667788}" % i), ("request", "1")])
            named = channel(11 + 2 * i, "v2-registration/M/y", "x-hkpd-v2-registration", [("machine", "M"), ("counterset", "{%08x-1234-4321-1122-334455667788}" % i), ("request", "3"), ("language", "009"), ("title_index", str(4000 + 2 * i))])
            head += made + named + message(10 + 2 * i, v2_set(guid(i), [(1, RATE, ANY)])) + message(11 + 2 * i, wide("o%d" % i))
        for t in range(samples):
            name = lambda k: wide("equal" if equal else "n%d" % k)
            head += message(1, b"".join(v2_identifier(guid(i), i) for i in range(sets)), t)
            head += message(2, v2_block([v2_result(6, v2_counters([1]) + v2_instances([(name(k), v2_data(fill(rng, 4))) for k in range(instances)])) for i in range(sets)], t), t)
            head += message(3, blob([perf_object(4000 + 2 * i, [counter(4002 + 2 * i, RATE)], b"".join(instance(name(k), fill(rng, 4)) for k in range(instances)), instances) for i in range(sets)], tick=t), t)
        return mcap(head)
    add("both-instances-equal", lambda rng: both(rng, 2, 1, 5500))
    add("both-instances", lambda rng: both(rng, 2, 1, 5500, False))
    add("both-sets", lambda rng: both(rng, 1, 1000, 2))
    add("both-samples", lambda rng: both(rng, 600, 2, 4))
    logs = lambda i: [("log", "{%08x-1234-4321-1122-334455667788}" % i)]
    add("mcap-log-rows", lambda rng: mcap(channel(1, "log-catalogue/x", "x-hkpd-log-catalogue", logs(1)) + channel(2, "log/x", "x-hkpd-log", logs(1)) + message(1, catalogue([catalogue_entry(0, RATE, wide("M") + wide("o") + wide("i") + wide("c"), (0, 4, 8, -1), 12)] * 20)) + b"".join(message(2, log_record(3, raw_counter(t, t) * 20), t) for t in range(900))))
    add("mcap-log-catalogues", lambda rng: mcap(b"".join(channel(2 * i + 1, "log-catalogue/x", "x-hkpd-log-catalogue", logs(i)) + channel(2 * i + 2, "log/x", "x-hkpd-log", logs(i)) + message(2 * i + 1, catalogue([catalogue_entry(0, RATE, wide("M") + wide("o") + wide("c"), (0, 4, -1, -1), 8)])) + message(2 * i + 2, log_record(3, raw_counter(i, i))) for i in range(1500))))
    add("mcap-log-no-catalogue", lambda rng: mcap(channel(2, "log/x", "x-hkpd-log", logs(1)) + b"".join(message(2, log_record(3, raw_counter(t, t)), t) for t in range(9000))))


def add_packed():
    """Adds blobs that are first made a capture, which compresses them: the capture stays under 1 MiB, its content does not."""
    def add(name, make):
        SHAPES[name] = lambda rng: Input("v1", {"x.bin": make(rng)}, packed=True)
    add("packed-grid", lambda rng: grid(rng, 9000, 300000, values=b"\7\0\0\0"))
    add("packed-names", lambda rng: b"".join(blob([perf_object(4000, [counter(4002, RATE)], b"".join(instance(wide("a" * 2000 + str(i)), b"\7\0\0\0") for i in range(100)), 100)], tick=t) for t in range(30)))
    add("packed-names-change", lambda rng: b"".join(blob([perf_object(4000, [counter(4002, RATE)], b"".join(instance(wide("a" * 2000 + str(i + 100 * t)), b"\7\0\0\0") for i in range(100)), 100)], tick=t) for t in range(30)))
    add("packed-instances", lambda rng: b"".join(blob([perf_object(4000, [counter(4002, RATE)], b"".join(instance(wide(str(i)), b"\7\0\0\0") for i in range(40000)), 40000)], tick=t) for t in range(6)))
    add("packed-samples", lambda rng: b"".join(blob([perf_object(4000, [counter(4002, RATE)], block())], tick=t) for t in range(15000)))
    add("packed-objects", lambda rng: b"".join(blob([perf_object(4000 + 2 * i, [counter(4002, RATE)], block()) for i in range(40000)], tick=t) for t in range(3)))
    add("packed-series", lambda rng: b"".join(blob([perf_object(4000, [counter(4002 + 2 * i, RATE) for i in range(100)], b"".join(instance(b"", b"\7\0\0\0", unique=100 * t + i) for i in range(100)), 100)], tick=t) for t in range(100)))


def add_filters():
    """Adds lists of counter paths, filters and directories."""
    def add(name, blob_of, lines, filters=()):
        def build(rng):
            files = {"x.bin": blob_of(rng)}
            if lines:
                files["paths.txt"] = lines(rng)
            return Input("v1", files, paths="paths.txt" if lines else None, filters=list(filters))
        SHAPES[name] = build
    rows = lambda rng, n=6000, size=20: b"".join(blob([perf_object(238, [counter(6, TIMER, 8, 8), counter(4002, RATE, 4, 4)], b"".join(instance(wide("a" * size + "%d" % i), fill(rng, 12)) for i in range(n)), n)], tick=t) for t in range(2))
    join = lambda texts: "\r\n".join(texts).encode("utf-8", "surrogatepass")
    add("paths-wild", lambda rng: rows(rng, 3000), lambda rng: join("\\Processor(*%d)\\*" % i for i in range(10000)))
    add("paths-wild-slow", lambda rng: rows(rng, 2000, 60), lambda rng: join("\\Processor(*a*a*a*a*a*a*%db)\\*" % i for i in range(8000)))
    add("paths-all", lambda rng: rows(rng, 3000), lambda rng: join("\\*(*)\\*" for i in range(10000)))
    add("paths-exact", lambda rng: rows(rng, 2500), lambda rng: join("\\Processor(%s%d)\\%% Processor Time" % ("a" * 20, i) for i in range(9000)))
    add("paths-hash", lambda rng: b"".join(blob([perf_object(238, [counter(6, TIMER, 8, 4)], b"".join(instance(wide("a"), fill(rng, 12)) for i in range(5000)), 5000)], tick=t) for t in range(2)), lambda rng: join("\\Processor(a#%d)\\%% Processor Time" % i for i in range(9000)))
    add("paths-hash-wild", lambda rng: b"".join(blob([perf_object(238, [counter(6, TIMER, 8, 4)], b"".join(instance(wide("a"), fill(rng, 12)) for i in range(5000)), 5000)], tick=t) for t in range(2)), lambda rng: join("\\Processor(a*#%d)\\*" % i for i in range(9000)))
    add("paths-parents", lambda rng: b"".join(blob([perf_object(238, [counter(6, TIMER, 8, 4)], b"".join(instance(wide("a%d" % i), fill(rng, 12), parent=238, parent_instance=i) for i in range(5000)), 5000)], tick=t) for t in range(2)), lambda rng: join("\\Processor(a*/a%d)\\*" % i for i in range(9000)))
    add("paths-parentheses", lambda rng: rows(rng, 2000), lambda rng: join("(" * 2000 for i in range(300)))
    add("paths-slashes", lambda rng: rows(rng, 2000), lambda rng: join("\\Processor(" + "/" * 1900 + ")\\*" for i in range(300)))
    add("paths-hashes", lambda rng: rows(rng, 2000), lambda rng: join("\\Processor(" + "#1" * 900 + ")\\*" for i in range(300)))
    add("paths-objects", lambda rng: blob([perf_object(4000 + 2 * i, [counter(4002, RATE)], block()) for i in range(5000)]), lambda rng: join("\\%d\\%d" % (4000 + 2 * i, 4002) for i in range(20000)))
    add("paths-objects-wild", lambda rng: blob([perf_object(4000 + 2 * i, [counter(4002, RATE)], block()) for i in range(5000)]), lambda rng: join("\\*%d\\*" % i for i in range(20000)))
    add("paths-machines", lambda rng: rows(rng, 3000), lambda rng: join("\\\\M%d\\Processor(*)\\*" % i for i in range(9000)))
    add("paths-counters", lambda rng: blob([perf_object(238, [counter(4002 + 2 * i, RATE) for i in range(12000)], block())]), lambda rng: join("\\Processor\\*%d" % i for i in range(9000)))
    add("paths-bad", lambda rng: rows(rng, 100), lambda rng: join("\\" * (i % 50) for i in range(30000)))
    add("paths-blank", lambda rng: rows(rng, 100), lambda rng: b"\r\n" * 400000)
    add("paths-long-line", lambda rng: rows(rng, 100), lambda rng: b"\\Processor(*)\\" + b"a" * 900000)
    add("paths-random", lambda rng: rows(rng, 100), lambda rng: fill(rng, 900000))
    add("filter-slow", lambda rng: rows(rng, 2900, 60), None, ["--instance", "*a" * 50 + "b"])
    add("filter-many", lambda rng: rows(rng, 5000, 20), None, [a for i in range(1000) for a in ("--instance", "*%d" % i)])
    add("filter-long-names", lambda rng: blob([perf_object(238, [counter(6, TIMER, 8, 4)], b"".join(instance(wide("a" * 1000), fill(rng, 12)) for i in range(400)), 400)]), None, ["--instance", "*" + "a" * 500 + "*" + "a" * 400 + "b"])
    add("filter-parents", lambda rng: b"".join(blob([perf_object(238, [counter(6, TIMER, 8, 4)], b"".join(instance(wide("a" * 400), fill(rng, 12), parent=238, parent_instance=max(i - 1, 0)) for i in range(500)), 500)], tick=t) for t in range(2)), None, ["--instance", "*a" * 50 + "b"])

    def directory(name, files, kind="v1"):
        SHAPES[name] = lambda rng: Input(kind, {"d/" + k: v for k, v in files(rng).items()}, main="d")
    small = lambda rng, t: blob([perf_object(4000, [counter(4002, RATE)], block(fill(rng, 4)))], tick=t)
    directory("dir-blobs", lambda rng: {f"{t:04}.bin": small(rng, t) for t in range(1000)})
    directory("dir-empty-files", lambda rng: {f"{t:04}.bin": b"" for t in range(2000)})
    directory("dir-random-files", lambda rng: {f"{t:04}.bin": fill(rng, 300) for t in range(1000)})
    directory("dir-titles", lambda rng: {"x.bin": small(rng, 0), **{f"counter-{t:03x}.txt": title_text([(2 * i, "t") for i in range(1, 30)]) for t in range(1000)}})
    directory("dir-reg", lambda rng: {"x.bin": small(rng, 0), **{f"{t:04}.reg": reg_file([(PERFLIB + "\\%03X" % t, ['"Counter"=' + hex7(multi_sz([(2, "t")]))])]) for t in range(900)}})
    directory("dir-captures", lambda rng: {f"{t:04}.mcap": mcap(v1_channel() + message(1, small(rng, t), t)) for t in range(800)})
    directory("dir-v2", lambda rng: {f"{t:04}.v2": v2_block([v2_result(1, v2_data(fill(rng, 8)))], t) for t in range(1000)})
    directory("dir-deep", lambda rng: {"d/" * t + "x.bin": small(rng, t) for t in range(200)})
    directory("dir-titles-only", lambda rng: {f"counter-{t:03x}.txt": title_text([(2 * i, "t%d" % t) for i in range(1, 60)]) for t in range(1000)}, "titles")

    def services(name, text):
        SHAPES[name] = lambda rng: Input("v1", {"x.bin": blob([perf_object(4000 + 2 * i, [counter(4002, RATE, 4, 1 << 20)], block()) for i in range(1500)]), "services.reg": text(rng)}, services="services.reg")
    key = "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\%s\\Performance"
    services("services-many", lambda rng: reg_file([(key % i, ['"First Counter"=dword:%08x' % (4000 + 2 * i)]) for i in range(3200)]))
    services("services-overlap", lambda rng: reg_file([(key % i, ['"First Counter"=dword:00000000', '"Last Counter"=dword:ffffffff']) for i in range(2300)]))
    services("services-lists", lambda rng: reg_file([(key % "s", ['"Object List"="' + "4000 " * 80000 + '"'])]))


for add_family in (add_objects, add_titles, add_v2, add_captures, add_logs, add_text_logs, add_archives, add_filters, add_parents, add_runs, add_names, add_packed, add_grids):
    add_family()


# --- forms ---------------------------------------------------------------------------------------------------------

SAMPLES = ("v1", "v2", "mcap", "blg")


def sample_arguments(data, place):
    """Returns the arguments that name the input of a subcommand that reads samples."""
    arguments = []
    if data.v2:
        arguments += ["--v2", *(place(f) for f in data.v2)]
    else:
        arguments += [place(data.main)]
    if data.identifiers:
        arguments += ["--identifiers", *(place(f) for f in data.identifiers)]
    if data.registration:
        arguments += ["--registration", *(place(f) for f in data.registration)]
    for titles in data.titles:
        arguments += ["--titles", place(titles)]
    return arguments


def forms():
    """Returns a list of name, kinds of input, and function that returns the arguments."""
    made = []

    def add(name, kinds, arguments):
        made.append((name, kinds, arguments))

    def samples(name, subcommand, *options, paths=False):
        def arguments(data, place):
            more = list(data.filters) if subcommand in ("dump", "replay", "top", "compare") else []
            if data.paths and subcommand in ("dump", "replay", "top", "compare"):
                more += ["-cf", place(data.paths)]
            if data.services and subcommand == "check":
                more += ["--services", place(data.services)]
            return [subcommand, *sample_arguments(data, place), *more, *(place(o[1:]) if o.startswith("@") else o for o in options)]
        add(name, SAMPLES, arguments)
    for word in ("text", "json", "jsonl", "csv"):
        samples(f"dump {word}", "dump", "--format", word)
        samples(f"summary {word}", "replay", "--summary", "--format", word)
    samples("summary sorted", "replay", "--summary", "--sort", "p95", "--top", "20")
    samples("top table", "top")
    samples("top json", "top", "--format", "json", "--all-instances", "--sort", "slope", "--top", "100000")
    for word in ("csv", "jsonl"):
        samples(f"buckets {word}", "replay", "--bucket", "1min", "--format", word)
    samples("buckets sqlite", "replay", "--bucket", "30s", "--format", "sqlite", "-o", "@out.db")
    samples("dump table -v", "dump", "-v", "--types", "--help-text")
    samples("dump json --help-text", "dump", "--format", "json", "--help-text")
    samples("dump --sample 3", "dump", "--sample", "3", "--format", "jsonl")
    for word in ("text", "json", "jsonl", "csv", "pdh-csv", "pdh-tsv"):
        samples(f"replay {word}", "replay", "--format", word)
        samples(f"replay {word} --raw", "replay", "--raw", "--format", word)
    samples("replay openmetrics", "replay", "--format", "openmetrics")
    samples("replay openmetrics --cooked", "replay", "--format", "openmetrics", "--cooked")
    samples("replay sqlite", "replay", "--format", "sqlite", "-o", "@out.db")
    samples("replay --textfile", "replay", "--textfile", "@out.prom")
    samples("replay --every --from", "replay", "--every", "3", "--from", "1", "--format", "csv")
    for word in ("text", "json", "sarif"):
        samples(f"check {word}", "check", "--format", word)
        add(f"check titles {word}", ("titles",), lambda data, place, w=word: ["check", place(data.main), "--format", w])
    samples("check -v", "check", "-v")
    samples("compare table", "compare", "--all")
    samples("compare json", "compare", "--format", "json")
    for word, options in (("text", ["--all"]), ("text at", ["--at", "0x100"]), ("json", ["--format", "json"]), ("text -v", ["-v"])):
        add(f"map {word}", ("v1", "v2", "mcap"), lambda data, place, o=options: ["map", *sample_arguments(data, place), *o] if data.main != "d" else None)

    def capture(data, place):
        arguments = sample_arguments(data, place)
        return ["capture", *["--from-v2" if a == "--v2" else a for a in arguments], "-o", place("out.mcap")]
    add("capture -o", SAMPLES, capture)
    for word, options in (("text", []), ("--all", ["--all"]), ("json", ["--format", "json"]), ("--counters", ["--counters"])):
        add(f"info {word}", (*SAMPLES, "titles"), lambda data, place, o=options: ["info", place(data.v2[0] if data.v2 else data.main), *o])
    add("capture --info", SAMPLES, lambda data, place: ["capture", "--info", place(data.main)] if data.kind == "mcap" else "made --info")
    add("capture --export", SAMPLES, lambda data, place: ["capture", "--export", place("out.d"), place(data.main)] if data.kind == "mcap" else "made --export")
    kinds = ("titles", "mcap", "blg")
    for word in ("text", "json", "multi_sz"):
        if word != "multi_sz":
            add(f"titles list {word}", kinds, lambda data, place, w=word: ["titles", "list", "--format", w, place(data.main)])
            add(f"titles find {word}", kinds, lambda data, place, w=word: ["titles", "find", "--format", w, data.find, place(data.main)])
        add(f"titles export {word}", kinds, lambda data, place, w=word: ["titles", "export", "--format", w, place(data.main)])
    add("titles used", ("titles",), lambda data, place: ["dump", place("use.bin"), "--titles", place(data.main)])
    add("titles used by path", ("titles",), lambda data, place: ["replay", place("use.bin"), "--titles", place(data.main), "--path", "\\*(*)\\t*"])
    return made


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (STOP_SECONDS, STOP_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_AS, (STOP_BYTES, STOP_BYTES))


def measure(command):
    """Returns exit status, seconds of processor time, MiB at most, and the beginning of the messages of a command."""
    with open(os.devnull, "wb") as nothing, open(WORK / "stderr", "w+b") as messages:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=nothing, stderr=messages, preexec_fn=limit, cwd=WORK)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        text = messages.read(400).decode(errors="replace")
    return process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, text


def slowness():
    """Returns how many times slower than usual the processor is now; at least 1. Measured is the compression of 8 MiB that
    takes USUAL_SECONDS, with the start of Python, on a quiet processor of 2.1 GHz."""
    code = "import zlib, random; zlib.compress(random.Random(1).randbytes(1 << 16) * 128, 9)"
    return max(1.0, min(measure([sys.executable, "-c", code])[1] for _ in range(3)) / USUAL_SECONDS)


def clear(place):
    """Removes what the forms write. Directories are only moved: after many files were deleted, ext4 is slow to create new
    ones, which would count as time of hkpd."""
    for name in ("out.db", "out.db-wal", "out.db-shm", "out.prom", "out.mcap", "out.mcap.part"):
        pathlib.Path(place(name)).unlink(missing_ok=True)
    if os.path.exists(place("out.d")):
        (WORK / "old").mkdir(exist_ok=True)
        os.rename(place("out.d"), WORK / "old" / str(len(os.listdir(WORK / "old"))))


def faults_of(code, seconds, mib, messages, slower=1.0):
    found = []
    if code == -24 or seconds > MOST_SECONDS * slower:
        found.append("time")
    if mib > MOST_MIB:
        found.append("memory")
    if code < 0 and code != -24:
        found.append(f"signal {-code}")
    if code > 3:
        found.append(f"exit code {code}")
    if code in (2, 3) and not messages.strip():
        found.append("no message")
    return found


WORK = ROOT / "build" / "hostile" / "work"
KEPT = ROOT / "build" / "hostile" / "kept"


def write_files(name, data):
    """Writes the files of a shape and returns the function that gives their paths."""
    folder = WORK / "input"
    if folder.exists():
        clear(lambda file: str(folder / file))
        shutil.rmtree(folder)
    total = 0
    for file, content in data.files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        total += len(content)
    if total > MOST_INPUT and not data.packed:
        sys.exit(f"hostile.py: {name} has {total} bytes")
    (folder / "use.bin").write_bytes(blob([perf_object(2 + 2 * i, [counter(4 + 2 * i, RATE)], block()) for i in range(50)]))
    return lambda file: str(folder / file)


def pack(hkpd, name, data, place):
    """Makes the main input a capture."""
    subprocess.run([hkpd, "capture", place(data.main), "-o", place("x.mcap")], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    os.unlink(place(data.main))
    if os.path.getsize(place("x.mcap")) > MOST_INPUT:
        sys.exit(f"hostile.py: {name} is too large as a capture")
    data.main, data.kind, data.packed = "x.mcap", "mcap", False


def kept_of(name):
    """Copies the input of a failure to a place where it stays."""
    kept = KEPT / name
    if not kept.exists():
        shutil.copytree(WORK / "input", kept, ignore=shutil.ignore_patterns("out.*", "made.mcap"))
    return str(kept.relative_to(ROOT))


def run_shape(hkpd, name, data, pairs, tally):
    """Runs the forms on a shape, adds the figures to the tally and prints the failures."""
    place = write_files(name, data)
    if data.packed:
        pack(hkpd, name, data, place)
    for form, kinds, arguments in pairs:
        command = arguments(data, place) if data.kind in kinds else None
        if command is None:
            continue
        if command in ("made --info", "made --export"):  # these read the capture that is made of the input
            made = place("made.mcap")
            if not os.path.exists(made):
                create = next(f[2] for f in forms() if f[0] == "capture -o")(data, place)[:-1]
                subprocess.run([hkpd, *create, made], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
                if not os.path.exists(made):
                    continue
            command = ["capture", "--info", made] if command == "made --info" else ["capture", "--export", place("out.d"), made]
        clear(place)
        figures = measure([hkpd, *command])
        found = faults_of(*figures)
        for _ in range(3):  # others use the processor and its memory too, for a while: the fastest run decides
            if found != ["time"] or figures[0] == -24:
                break
            time.sleep(5)
            clear(place)
            slower = slowness()
            figures = min(figures, measure([hkpd, *command]), key=lambda f: f[1])
            found = faults_of(*figures, slower)
        code, seconds, mib, _ = figures
        tally.add(form, name, seconds, mib, bool(found))
        if found:
            kept = kept_of(name)
            shown = " ".join(a if len(a) < 200 else a[:200] + "..." for a in command[:40]).replace(str(WORK / "input"), kept)
            print(f"FAILED {name}: {form}: {', '.join(found)}: {seconds:.2f} s, {mib:.0f} MiB, exit code {code}: hkpd {shown}",
                  flush=True)


class Tally:
    """Counts the runs and failures and knows the worst runs of each form."""

    def __init__(self):
        self.forms = {}  # form: [runs, (seconds, shape), (MiB, shape)]
        self.failures = 0

    def add(self, form, shape_name, seconds, mib, failed):
        entry = self.forms.setdefault(form, [0, (0, ""), (0, "")])
        entry[0] += 1
        entry[1] = max(entry[1], (seconds, shape_name))
        entry[2] = max(entry[2], (mib, shape_name))
        self.failures += failed

    def print(self):
        print(f"\n{'form':30} {'runs':>5} {'most s':>7}  {'shape':32} {'most MiB':>8}  shape")
        for form, (count, (seconds, slowest), (mib, largest)) in sorted(self.forms.items()):
            print(f"{form:30} {count:5} {seconds:7.2f}  {slowest:32} {mib:8.0f}  {largest}")
        print(f"{len(SHAPES)} shapes, {sum(entry[0] for entry in self.forms.values())} runs, {self.failures} failures")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hkpd", nargs="?")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="run one Nth of all pairs of a shape and a form")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the inputs and of the share (default 1)")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="only shapes whose name matches, such as 'blg-*'")
    parser.add_argument("--skip", default="", metavar="PATTERN", help="no shapes whose name matches")
    parser.add_argument("--forms", default="*", metavar="PATTERN", help="only forms whose name matches, such as 'replay *'")
    parser.add_argument("--list", action="store_true", help="list the shapes")
    options = parser.parse_args()
    if options.list:
        print("\n".join(SHAPES))
        return 0
    if options.hkpd is None:
        parser.error("the program to run is missing")
    hkpd = str(pathlib.Path(options.hkpd).resolve())
    chosen = random.Random(f"share {options.seed}")
    WORK.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    tally = Tally()
    try:
        for name, make in SHAPES.items():
            pairs = [f for f in forms() if chosen.randrange(options.share) == 0 and fnmatch.fnmatch(f[0], options.forms)]
            if pairs and fnmatch.fnmatch(name, options.only) and not fnmatch.fnmatch(name, options.skip):
                run_shape(hkpd, name, make(random.Random(f"{name} {options.seed}")), pairs, tally)
    except KeyboardInterrupt:
        print("interrupted")
    tally.print()
    shutil.rmtree(WORK, ignore_errors=True)
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
