"""Data frames: equal to what the command prints for the same input, for every value, and correct for any Arrow table."""

import collections
import json
import math
import subprocess
import sys
import unittest
import warnings

import numpy
import pandas
import support
import hkpd
from hkpd import _frame
from hkpd._library import ffi

DOUBLE_RAW = "PERF_DOUBLE_RAW"


def rows_of_command(path):
    """Returns what `hkpd replay --format jsonl` prints, as rows of a data frame."""
    printed = subprocess.run([support.command(), "replay", "--format", "jsonl", path], capture_output=True, check=False)
    assert printed.returncode in (0, 1), printed.stderr
    for text in printed.stdout.splitlines():
        line = json.loads(text)
        name = line["object"] if line["object"] is not None else f"#{line['object_index']}"
        unnamed = "id {}" if line["source"] == "v2" else "#{}"
        counter = line["counter"] if line["counter"] is not None else unnamed.format(line["counter_index"])
        raw = line["raw"] if isinstance(line["raw"], int) and line["type"] != DOUBLE_RAW else None
        identity = (line["parent"], line["instance"], line["pid"], line["instance_id"], line["life"], line["pdh_instance"])
        if line["instance"] is None:
            identity = (line["parent"], *[None] * 5)  # a damaged name
        yield (line["time"], line["machine"], name, *identity, counter, line["type"], raw, line["value"], line["reason"])


def rows_of_frame(frame):
    """Returns the rows in the same form. Times have the digits of the command's."""
    times = frame["time"].dt.strftime("%Y-%m-%dT%H:%M:%S.%f").str.slice(0, 23) + "Z"
    names = ("machine", "object", "parent", "instance", "pid", "instance_id", "life", "pdh_instance", "counter", "type", "raw",
             "value", "reason")
    columns = [times, *(frame[name] for name in names)]
    lists = [column.astype(object).where(column.notna(), None).tolist() for column in columns]
    yield from zip(*lists)


def inputs():
    yield from (path for path in (support.TESTDATA / "captures").iterdir())
    yield support.LOG
    if (support.SHARED / "data").is_dir():
        yield from sorted((support.SHARED / "data" / "blg").glob("win10*.blg"))
        yield from sorted((support.SHARED / "data" / "v1").rglob("s0[01]*.bin"))


class Frames(unittest.TestCase):
    @unittest.skipUnless(support.command(), "this build has no command")
    def test_every_value_is_that_of_the_command(self):
        compared = 0
        for path in inputs():
            with self.subTest(path), warnings.catch_warnings():
                warnings.simplefilter("ignore", hkpd.DamageWarning)
                expected = collections.Counter(rows_of_command(path))
                found = collections.Counter(rows_of_frame(hkpd.read(path)))
                self.assertEqual(list((found - expected).items())[:5], [])
                self.assertEqual(list((expected - found).items())[:5], [])
                compared += expected.total()
        self.assertGreater(compared, 10_000)

    def test_types_of_columns(self):
        for frame in (hkpd.read(support.DEMO), hkpd.read(support.DEMO, from_=2**62)):  # the second is empty
            self.assertEqual(
                [str(one) for one in frame.dtypes],
                ["datetime64[ns, UTC]", *["category"] * 4, "UInt32", "Int32", "UInt32", *["category"] * 3, "UInt64", "float64",
                 "category"],
            )
        self.assertEqual(len(frame), 0)

    def test_paths_select_rows(self):
        frame = hkpd.read(support.DEMO, counters=[r"\Processor(_Total)\% Processor Time"])
        self.assertEqual(frame["instance"].tolist(), ["_Total"] * 3)
        self.assertEqual(frame["value"].round(6).tolist()[1:], [28.5, 28.5])
        self.assertTrue(math.isnan(frame["value"][0]))
        self.assertEqual(frame["reason"][0], "first_sample")
        single = hkpd.read(support.DEMO, counters=r"\Processor(_Total)\% Processor Time")
        pandas.testing.assert_frame_equal(frame, single)
        table = hkpd.read(support.DEMO, counters=[r"\Processor(*)\*"]).pivot_table(
            index="time", columns=["instance", "counter"], values="value", observed=True
        )
        self.assertAlmostEqual(table[("0", "% Processor Time")].iloc[-1], 38)

    def test_batches_of_any_size_are_equal(self):
        expected = hkpd.read(support.SIMULATED, batch_rows=10**9)
        for rows in (1, 100, 3000):
            pandas.testing.assert_frame_equal(hkpd.read(support.SIMULATED, batch_rows=rows), expected)

    def test_damage_is_a_warning(self):
        with self.assertWarnsRegex(hkpd.DamageWarning, "damaged.bin.*2 errors.*object_length"):
            frame = hkpd.read(support.DAMAGED)
        self.assertGreater(len(frame), 0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            hkpd.read(support.DEMO)

    def test_every_damaged_input(self):
        for path in support.corpus()[::5]:
            with self.subTest(path), warnings.catch_warnings():
                warnings.simplefilter("ignore", hkpd.DamageWarning)
                try:
                    frame = hkpd.read(path)
                except hkpd.OpenError:
                    continue
                without = frame["value"].isna() & frame["reason"].isna()
                self.assertEqual(without.sum(), 0)  # where there is no value, there is a reason

    def test_frames_own_their_memory(self):
        frame = hkpd.read(support.DEMO)
        copy = frame.copy(deep=True)
        for _ in range(20):
            hkpd.read(support.SIMULATED)
        pandas.testing.assert_frame_equal(frame, copy)

    def test_without_pandas(self):
        program = "import sys; sys.modules['pandas'] = None\nimport hkpd\nhkpd.open(sys.argv[1])\nhkpd.read(sys.argv[1])"
        folder = str(support.pathlib.Path(hkpd.__file__).parents[1])
        environment = {**support.os.environ, "PYTHONPATH": folder}
        result = subprocess.run([sys.executable, "-c", program, str(support.DEMO)], capture_output=True, text=True, env=environment)
        self.assertEqual(result.returncode, 1)
        self.assertIn("ImportError: hkpd.read needs pandas", result.stderr)
        self.assertIn("hkpd.open", result.stderr.splitlines()[-1])


class Labels(unittest.TestCase):
    def frame(self, *instances):
        """Returns a data frame with a row for each (machine, object, parent, instance, pid, instance_id, life)."""
        columns = list(zip(*instances))
        kinds = ["category"] * 4 + ["UInt32", "Int32", "UInt32"]
        series = [pandas.Series(values, dtype=object).astype(kind) for values, kind in zip(columns, kinds)]
        return pandas.concat(series, axis=1, keys=_frame._IDENTITY)

    def test_ids_are_added_where_a_name_is_ambiguous(self):
        for expected, *rows in (
            (["a", "b", "a"], ("M", "Process", None, "a", 1, None, 1), ("M", "Process", None, "b", 2, None, 1),
             ("M", "Process", None, "a", 1, None, 1)),
            (["a:1", "A:2", "b"], ("M", "Process", None, "a", 1, None, 1), ("M", "Process", None, "A", 2, None, 1),
             ("M", "Process", None, "b", 1, None, 1)),
            (["a:1:1", "a:1:2"], ("M", "Process", None, "a", 1, None, 1), ("M", "Process", None, "a", 1, None, 2)),
            (["p/0", "p/1"], ("M", "Thread", "p", "0", 1, None, 1), ("M", "Thread", "p", "1", 1, None, 1)),
            (["p:1/0", "p:2/0"], ("M", "Thread", "p", "0", 1, None, 1), ("M", "Thread", "p", "0", 2, None, 1)),
            (["x:7", "x:-9", "p/x"], ("M", "O", None, "x", None, 7, 1), ("M", "O", None, "x", None, -9, 1),
             ("M", "O", "p", "x", None, 7, 1)),
            (["a", "a#1", "_Total"], ("M", "O", None, "a", None, None, 1), ("M", "O", None, "a#1", None, None, 1),
             ("M", "O", None, "_Total", None, None, 1)),
            (["a", "a"], ("M", "O", None, "a", 1, None, 1), ("M", "P", None, "a", 2, None, 1)),
            (["M: a", "N: a"], ("M", "O", None, "a", 1, None, 1), ("N", "O", None, "a", 1, None, 1)),
            (["a", None], ("M", "O", None, "a", 1, None, 1), ("M", "O", None, None, None, None, None)),
        ):
            with self.subTest(expected):
                found = hkpd.labels(self.frame(*rows))
                self.assertEqual(found.astype(object).where(found.notna(), None).tolist(), expected)
        self.assertEqual(len(hkpd.labels(hkpd.read(support.DEMO, from_=2**62))), 0)

    def test_labels_are_those_of_identities(self):
        frame = hkpd.read(support.SIMULATED)
        labels = hkpd.labels(frame)
        keys = frame[_frame._IDENTITY].astype(object).fillna(-1)
        self.assertEqual(labels.isna().sum(), 0)
        of_label = keys.groupby([frame["object"].astype(object), labels.astype(object)])
        self.assertEqual((of_label.nunique() > 1).to_numpy().sum(), 0)  # no two instances have the same label
        self.assertEqual(of_label.ngroups, len(keys.drop_duplicates()))
        self.assertEqual(labels.index.tolist(), frame.index.tolist())


class Tables(unittest.TestCase):
    """Arrow tables that the library does not make, but the format allows: offsets, unused values, other dictionaries."""

    def setUp(self):
        self.kept = []

    def new(self, kind, *value):
        self.kept.append(ffi.new(kind, *value))
        return self.kept[-1]

    def array(self, length, offset, valid, buffers, dictionary=ffi.NULL):
        """Returns an array. `valid`: whether each element of the buffers, also before the offset, has a value; None: all."""
        bits = ffi.NULL
        if valid is not None:
            bits = self.new("uint8_t[]", numpy.packbits(valid, bitorder="little").tobytes())
        pointers = self.new("const void*[]", [bits, *buffers])
        nulls = 0 if valid is None else -1  # -1: not counted
        return self.new(
            "struct ArrowArray*",
            {"length": length, "offset": offset, "null_count": nulls, "n_buffers": len(buffers) + 1, "buffers": pointers,
             "dictionary": dictionary},
        )

    def dictionary(self, texts, offset=0):
        content = "".join(texts).encode()
        ends = numpy.cumsum([0, *(len(one.encode()) for one in texts)]).astype("int32")
        return self.array(len(texts) - offset, offset, None, [self.new("int32_t[]", ends.tolist()), self.new("char[]", content)])

    def batch(self, length, offset, *children):
        pointers = self.new("struct ArrowArray*[]", list(children))
        return self.new(
            "struct ArrowArray*", {"length": length, "offset": offset, "n_children": len(children), "children": pointers}
        )

    def table(self, *described):
        schemas = []
        for name, form, dictionary in described:
            schemas.append(
                self.new(
                    "struct ArrowSchema*",
                    {"name": self.new("char[]", name.encode()), "format": self.new("char[]", form.encode()),
                     "dictionary": self.new("struct ArrowSchema*") if dictionary else ffi.NULL},
                )
            )
        children = self.new("struct ArrowSchema*[]", schemas)
        return _frame.Table(numpy, self.new("struct ArrowSchema*", {"n_children": len(schemas), "children": children}))

    def test_offsets_of_arrays_and_of_the_table(self):
        table = self.table(("raw", "L", False), ("reason", "i", True))
        raw = self.new("uint64_t[]", list(range(100, 130)))
        present = [i % 3 != 0 for i in range(30)]
        positions = self.new("int32_t[]", [0, 1, 2, 1, 0, 2, 99, 1, 0, 1])
        texts = self.dictionary(["unused", "a", "ü", "c"], offset=1)
        table.add(
            self.batch(
                4, 2,
                self.array(10, 9, present, [raw]),
                self.array(6, 3, [True] * 6 + [False] * 4, [positions], texts),
            )
        )
        values, valid = table.join()
        self.assertEqual(values["raw"].tolist(), [111, 112, 113, 114])
        self.assertEqual(valid["raw"].tolist(), [i % 3 != 0 for i in (11, 12, 13, 14)])
        # Positions 5 to 8: c, and three without a value, whatever the position in the buffer is.
        self.assertEqual(values["reason"].tolist(), [table.dictionaries["reason"].texts.index("c"), -1, -1, -1])
        self.assertEqual(table.dictionaries["reason"].texts, ["a", "ü", "c"])

    def test_dictionaries_that_grow_and_start_anew(self):
        table = self.table(("object", "i", True))
        found = []
        for texts in (["a", "b"], ["a", "b", "c"], ["c", "d"], [], ["x", "", "a"], ["x", "", "a", "x"]):
            positions = self.new("int32_t[]", list(range(len(texts))) + [0])
            valid = [True] * len(texts) + [False]
            table.add(self.batch(len(valid), 0, self.array(len(valid), 0, valid, [positions], self.dictionary(texts))))
            found += [*texts, None]
        values, _ = table.join()
        texts = table.dictionaries["object"].texts
        self.assertEqual([None if i < 0 else texts[i] for i in values["object"]], found)
        self.assertEqual(len(set(texts)), len(texts))

    def test_no_batches(self):
        values, valid = self.table(("raw", "L", False), ("value", "g", False), ("object", "i", True)).join()
        self.assertEqual([str(one.dtype) for one in values.values()], ["uint64", "float64", "int32"])
        self.assertEqual((len(values["raw"]), len(valid["raw"])), (0, 0))

    def test_validity_at_every_offset(self):
        present = [bool(i * i % 7 & 1) for i in range(40)]
        for offset in range(20):
            for count in (0, 1, 7, 8, 9, 20):
                array = self.array(count, offset, present, [ffi.NULL])
                self.assertEqual(_frame.valid_rows(numpy, array, offset, count).tolist(), present[offset : offset + count])


if __name__ == "__main__":
    unittest.main()
