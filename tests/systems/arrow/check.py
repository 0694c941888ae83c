#!/usr/bin/env python3
"""check.py LIBHKPD HKPD LIBDUCKDB FILE...: DuckDB reads hkpd's Arrow tables through the C stream interface, without a
copy by us, and compares every row with what `hkpd replay --format jsonl` prints for the same file."""

import ctypes
import os
import subprocess
import sys
import tempfile


class DuckResult(ctypes.Structure):
    _fields_ = [("reserved", ctypes.c_uint64 * 3), ("error", ctypes.c_char_p), ("internal", ctypes.c_void_p)]


class ArrowStream(ctypes.Structure):
    _fields_ = [("members", ctypes.c_void_p * 5)]  # get_schema, get_next, get_last_error, release, private_data


class Duck:
    """A database in memory."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.duckdb_value_varchar.restype = ctypes.c_void_p
        self.library.duckdb_result_error.restype = ctypes.c_char_p
        self.database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.library.duckdb_open(None, ctypes.byref(self.database)) == 0
        assert self.library.duckdb_connect(self.database, ctypes.byref(self.connection)) == 0

    def query(self, text):
        """Returns the first value of a query as text; None if there is none."""
        result = DuckResult()
        if self.library.duckdb_query(self.connection, text.encode(), ctypes.byref(result)) != 0:
            raise SystemExit(f"{text}\n{self.library.duckdb_result_error(ctypes.byref(result)).decode()}")
        value = self.library.duckdb_value_varchar(ctypes.byref(result), ctypes.c_uint64(0), ctypes.c_uint64(0))
        text = ctypes.string_at(value).decode() if value else None
        self.library.duckdb_destroy_result(ctypes.byref(result))
        return text

    def take(self, name, stream):
        assert self.library.duckdb_arrow_scan(self.connection, name.encode(), ctypes.byref(stream)) == 0


# A row of the Arrow table, from a line of JSON: the names that the two forms spell in different ways.
FROM_LINES = """
create or replace table expected as select
    strptime(time, '%Y-%m-%dT%H:%M:%S.%fZ')::timestamp_ms as time, machine, object,
    parent, instance, pid, instance_id, if(instance is null, null, life) as life, pdh_instance, counter, type,
    try_cast(raw as ubigint) as raw, value, reason
from read_json('{lines}', format = 'newline_delimited', columns = {{
    time: 'varchar', machine: 'varchar', object: 'varchar', parent: 'varchar', instance: 'varchar', pid: 'uinteger',
    instance_id: 'integer', life: 'uinteger', pdh_instance: 'varchar', counter: 'varchar', type: 'varchar',
    raw: 'varchar', value: 'double', reason: 'varchar'}})
"""
FROM_ARROW = """
create or replace table found as select
    (time at time zone 'UTC')::timestamp_ms as time, machine::varchar as machine, object::varchar as object,
    parent::varchar as parent, instance::varchar as instance, pid, instance_id, life,
    pdh_instance::varchar as pdh_instance, counter::varchar as counter, type::varchar as type, raw, value,
    reason::varchar as reason
from arrow
"""


def main():
    library, hkpd, duck_path, *files = sys.argv[1:]
    hkpd_library, duck = ctypes.CDLL(library), Duck(duck_path)
    duck.query("set timezone = 'UTC'")
    rows = 0
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            lines = os.path.join(folder, "lines.jsonl")
            with open(lines, "wb") as out:
                subprocess.run([hkpd, "replay", "--format", "jsonl", file], stdout=out, stderr=subprocess.DEVNULL, check=False)
            duck.query(FROM_LINES.format(lines=lines))
            reader, stream = ctypes.c_void_p(), ArrowStream()
            path = (ctypes.c_char_p * 1)(file.encode())
            assert hkpd_library.hkpd_open(path, ctypes.c_size_t(1), None, ctypes.byref(reader), None) == 0
            assert hkpd_library.hkpd_arrow_stream(reader, ctypes.byref(stream)) == 0
            duck.take("arrow", stream)
            duck.query(FROM_ARROW)
            duck.query("drop view arrow")
            parquet = os.path.join(folder, "table.parquet")
            duck.query(f"copy found to '{parquet}' (format parquet)")
            count = int(duck.query("select count(*) from found"))
            for one, other in (("found", "expected"), ("expected", "found")):
                difference = duck.query(f"select d from (from {one} except all from {other}) as d limit 1")
                if difference is not None:
                    raise SystemExit(f"{file}: only in {one}: {difference}")
            assert count == int(duck.query(f"select count(*) from '{parquet}'"))
            if stream.members[3]:
                ctypes.CFUNCTYPE(None, ctypes.c_void_p)(stream.members[3])(ctypes.addressof(stream))
            hkpd_library.hkpd_close(reader)
            print(f"{file}: {count} rows, equal")
            rows += count
    assert rows > 0


if __name__ == "__main__":
    main()
