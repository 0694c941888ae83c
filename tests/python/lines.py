#!/usr/bin/env python3
"""lines.py FILE...: prints all that the package hkpd reads from each file, in the lines of tests/abi/README.md."""

import itertools
import sys

import hkpd

NO_INDEX = 0xFFFFFFFF


def text(value):
    if value is None:
        return "-"
    content = value.encode() if isinstance(value, str) else value
    return content.hex() or '""'


def optional(value, absent="-"):
    return absent if value is None else value


def instance_lines(one):
    for instance in one.instances:
        yield (
            f"instance {text(instance.name)} {instance.number} {optional(instance.id)} "
            f"{optional(instance.parent_object, NO_INDEX)} {optional(instance.parent_instance, NO_INDEX)} {instance.offset} "
            f"{text(instance.parent)} {optional(instance.pid)} {optional(instance.instance_id)} {optional(instance.life)}"
        )


def column_lines(column, rows):
    positions = (column.base, column.time, column.frequency, column.multi)
    yield (
        f"column {optional(column.index, NO_INDEX)} {column.help_index} {text(column.name)} {text(column.help)} "
        f"{optional(column.type, NO_INDEX)} {column.type_name or '-'} {column.storage:d} {column.attributes} "
        f"{column.value_size} {column.offset} {column.scale} {column.detail_level} "
        f"{' '.join(str(optional(position, -1)) for position in positions)} {optional(column.time_base)}"
    )
    for name in ("values", "second", "status", "multi_count", "taken"):
        array = getattr(column, name)
        if array is not None and len(array) != 0:
            yield f"{name} {array.tobytes().hex()}"
    if column.storage != hkpd.Storage.NUMBER:
        for row in range(rows):
            yield f"text {text(column.text(row))}"
    cooked = column.cooked()
    yield f"cooked {cooked.values.tobytes().hex()}"
    runs = ((hkpd.reason_name(reason) or "none", len(list(group))) for reason, group in itertools.groupby(cooked.reasons))
    yield "reasons " + ",".join(f"{name}*{count}" for name, count in runs)


def sample_lines(sample):
    yield (
        f"sample {sample.number} {sample.source:d} {optional(sample.time_ns)} {text(sample.machine)} {sample.perf_time} "
        f"{sample.perf_frequency} {sample.perf_time_100ns} {sample.bytes} {sample.default_object}"
    )
    for one in sample.objects:
        counterset = "-" if one.counterset is None else one.counterset.bytes_le.hex()
        yield (
            f"object {one.index} {one.help_index} {text(one.name)} {text(one.help)} {counterset} {one.kind:d} "
            f"{one.detail_level} {one.code_page} {one.perf_time} {one.perf_frequency}"
        )
        yield from instance_lines(one)
        for column in one.columns:
            yield from column_lines(column, len(column.values))


def fault_lines(reader):
    for fault in reader.faults:
        where = [fault.sample, fault.record, fault.object, fault.instance]
        yield (
            f"fault {fault.severity:d} {fault.code} {' '.join(str(optional(one, NO_INDEX)) for one in where)} "
            f"{optional(fault.offset)} {fault.expected} {fault.found} {text(fault.input)} {text(fault.structure)} "
            f"{text(fault.field)} {text(fault.message)}"
        )
    counts = reader.fault_counts
    yield f"faults {counts.notes} {counts.warnings} {counts.errors}"


def file_lines(path):
    yield f"file {path}"
    try:
        reader = hkpd.open(path)
    except hkpd.OpenError as error:
        yield f"open failed: {error}"
        return
    with reader:
        for sample in reader:
            yield from sample_lines(sample)
        yield from fault_lines(reader)


def main():
    out = open(sys.stdout.fileno(), "w", encoding="utf-8", errors="surrogateescape", newline="\n", closefd=False)
    for path in sys.argv[1:]:
        for line in file_lines(path):
            out.write(line + "\n")
    out.flush()


if __name__ == "__main__":
    main()
