#!/usr/bin/env python3
"""columns.py BUILD [ROUNDS]: reads 64 samples of the machine of 60,600 values, and 4 of that of 5,000,000, with the Python
package, adds up all raw and all cooked values with numpy, and compares the processor time with that of
tests/bench/columns.cpp. Requires equal sums. Needs the system's Python with cffi, numpy and pandas."""

import ctypes
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def sum_columns(hkpd, numpy, path):
    """Adds up views of the library's memory, column by column."""
    raw, cooked, values = 0, 0.0, 0
    with hkpd.open(path) as reader:
        for sample in reader:
            for one in sample.objects:
                for column in one.columns:
                    raw += int(numpy.add.reduce(numpy.asarray(column.values)))
                    part = float(numpy.add.reduce(numpy.asarray(column.cooked().values)))
                    cooked += part if part == part else float(numpy.nansum(numpy.asarray(column.cooked().values)))
                    values += one.instance_count
    return raw, cooked, values


def sum_tables(hkpd, numpy, path):
    """Adds up the columns `raw` and `value` of Arrow tables, as a library with Arrow's interface does."""
    from hkpd._library import ffi

    pointer = ctypes.pythonapi["PyCapsule_GetPointer"]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = hkpd.open(path).__arrow_c_stream__()
    stream = ffi.cast("struct ArrowArrayStream*", pointer(capsule, b"arrow_array_stream"))
    raw, cooked, values = 0, 0.0, 0
    while True:
        batch = ffi.new("struct ArrowArray*")
        if stream.get_next(stream, batch) != 0 or batch.release == ffi.NULL:
            return raw, cooked, values
        rows = batch.length

        def column(number, dtype, rows=rows, batch=batch):
            return numpy.frombuffer(ffi.buffer(batch.children[number].buffers[1], 8 * rows), dtype)

        raw += int(column(11, "uint64").sum())
        part = float(column(12, "float64").sum())
        cooked += part if part == part else float(numpy.nansum(column(12, "float64")))
        values += rows
        batch.release(batch)


def sum_frame(hkpd, _numpy, path):
    """Makes a data frame of all samples, and adds up two columns."""
    frame = hkpd.read(path)
    return int(frame["raw"].sum()), float(frame["value"].sum()), len(frame)


def measure(what, rounds, *arguments):
    """Returns the processor time of the fastest round in milliseconds, and the sums."""
    fastest = math.inf
    for _ in range(rounds):
        before = time.process_time()
        sums = what(*arguments)
        fastest = min(fastest, (time.process_time() - before) * 1e3)
    return fastest, sums


def compare(hkpd, numpy, build, machine, samples, rounds):
    """Prints the processor time of each way to read samples of a machine, and its ratio to that of C++."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "machine.bin")
        subprocess.run([build / "tests/bench/make_machine", str(machine), str(samples), path], check=True)
        program = [build / "tests/bench/columns", path, str(rounds)]
        printed = subprocess.run(program, check=True, capture_output=True, text=True).stdout.split()
        base, raw, cooked, values = float(printed[0]), int(printed[1]), float(printed[2]), int(printed[3])
        print(f"{samples} samples of {machine} values")
        print(f"{'  C++, columns':30} {base:8.1f} ms   1.0")
        for name, what in {"columns": sum_columns, "Arrow tables": sum_tables, "data frame": sum_frame}.items():
            took, sums = measure(what, rounds, hkpd, numpy, path)
            if sums[0] % 2**64 != raw or not math.isclose(sums[1], cooked, rel_tol=1e-9) or sums[2] != values:
                sys.exit(f"{name}: the sums are {sums}: expected {raw}, {cooked}, {values}")
            print(f"{'  Python, ' + name:30} {took:8.1f} ms {took / base:5.1f}")


def main():
    build, rounds = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 7
    os.environ.setdefault("HKPD_LIBRARY", str(build / "lib" / "libhkpd.so.1"))
    sys.path.insert(0, str(ROOT / "tools" / "bindings" / "python"))
    import hkpd
    import numpy

    for machine, samples in ((60_600, 64), (5_000_000, 4)):
        compare(hkpd, numpy, build, machine, samples, rounds)


if __name__ == "__main__":
    main()
