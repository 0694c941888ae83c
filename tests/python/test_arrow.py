"""The Arrow PyCapsule interface, as a consumer in C uses it: names, moved structs, destructors, lifetimes."""

import ctypes
import gc
import shutil
import tempfile
import unittest

import support
import hkpd
from hkpd import _arrow
from hkpd._library import ffi

_api = ctypes.pythonapi
_pointer = _api["PyCapsule_GetPointer"]
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = _api["PyCapsule_IsValid"]
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def peek(capsule, name, struct):
    """Returns the struct of a capsule; the capsule owns it."""
    assert _is_valid(capsule, name), name
    return ffi.cast(f"struct {struct}*", _pointer(capsule, name))


def move(capsule, name, struct):
    """Moves the struct out of a capsule, as consumers do: the capsule's own is marked as released."""
    source = peek(capsule, name, struct)
    moved = ffi.new(f"struct {struct}*", source[0])
    source.release = ffi.NULL
    return moved


def batches(stream):
    """Reads and releases all batches. Returns their numbers of rows."""
    rows = []
    while True:
        array = ffi.new("struct ArrowArray*")
        assert stream.get_next(stream, array) == 0
        if array.release == ffi.NULL:
            return rows
        rows.append(array.length)
        array.release(array)
        assert array.release == ffi.NULL


def count_values(source, **options):
    with hkpd.open(source, **options) as reader:
        return [sum(len(column.values) for one in sample.objects for column in one.columns) for sample in reader]


class Samples(unittest.TestCase):
    def test_schema_and_array(self):
        with hkpd.open(support.DEMO) as reader:
            schema, array = (sample := next(reader)).__arrow_c_array__()
            expected = sum(len(column.values) for one in sample.objects for column in one.columns)
        described = peek(schema, b"arrow_schema", "ArrowSchema")
        self.assertEqual(ffi.string(described.format), b"+s")
        names = [ffi.string(described.children[i].name).decode() for i in range(described.n_children)]
        self.assertEqual(names, ["time", "machine", "object", "parent", "instance", "pid", "instance_id", "life", "pdh_instance", "counter",
                                 "type", "raw", "value", "reason"])
        content = peek(array, b"arrow_array", "ArrowArray")
        self.assertEqual((content.length, content.n_children), (expected, 14))
        # After the reader was closed: the memory belongs to the array.
        raw = ffi.cast("const uint64_t*", content.children[11].buffers[1])
        self.assertEqual(raw[0], 1204511)  # System, File Read Operations/sec, as `hkpd replay --format jsonl` shows

    def test_capsules_release_what_was_not_moved(self):
        before = len(_arrow._owned)
        with hkpd.open(support.DEMO) as reader:
            schema, array = next(reader).__arrow_c_array__()
        self.assertEqual(len(_arrow._owned), before + 2)
        kept = _arrow._owned[_pointer(array, b"arrow_array")]
        self.assertNotEqual(kept.release, ffi.NULL)
        del schema, array
        gc.collect()
        self.assertEqual(len(_arrow._owned), before)
        self.assertEqual(kept.release, ffi.NULL)

    def test_moved_structs_outlive_their_capsules(self):
        with hkpd.open(support.DEMO) as reader:
            schema, array = next(reader).__arrow_c_array__()
        moved = move(array, b"arrow_array", "ArrowArray")
        del schema, array
        gc.collect()
        self.assertGreater(moved.length, 1000)
        self.assertEqual(ffi.cast("const uint64_t*", moved.children[11].buffers[1])[0], 1204511)
        moved.release(moved)
        self.assertEqual(moved.release, ffi.NULL)


class Streams(unittest.TestCase):
    def test_all_values_are_in_it(self):
        expected = count_values(support.DEMO)
        reader = hkpd.open(support.DEMO, batch_rows=1)
        capsule = reader.__arrow_c_stream__()
        self.assertEqual(batches(peek(capsule, b"arrow_array_stream", "ArrowArrayStream")), expected)

    def test_kept_batches_do_not_change_when_others_are_released(self):
        """The library uses the memory of released batches again."""

        def raw_and_reason(batch):
            raw, reason = batch.children[11], batch.children[13]
            return (
                batch.length,
                ffi.buffer(raw.buffers[1], 8 * batch.length)[:],
                *(ffi.buffer(batch.children[i].buffers[1], 4 * batch.length)[:] for i in range(1, 11)),
                ffi.buffer(reason.buffers[1], 4 * batch.length)[:],
                *(batch.children[i].null_count for i in range(14)),
                reason.dictionary.length,
            )

        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        again = shutil.copy(support.DEMO, folder.name)  # the same file is read once

        def stream():
            capsule = hkpd.open([support.DEMO, support.SIMULATED, again], batch_rows=1).__arrow_c_stream__()
            source = move(capsule, b"arrow_array_stream", "ArrowArrayStream")
            while True:
                batch = ffi.new("struct ArrowArray*")
                self.assertEqual(source.get_next(source, batch), 0)
                if batch.release == ffi.NULL:
                    source.release(source)
                    return
                yield batch

        kept = list(stream())
        expected = [raw_and_reason(batch) for batch in kept]
        self.assertEqual(len(expected), 3 + 6 + 3)
        self.assertEqual(expected[-1][:2], expected[2][:2])
        held = []
        for position, batch in enumerate(stream()):
            self.assertEqual(raw_and_reason(batch), expected[position])
            if position % 3 == 0:
                held.append((position, batch))
            else:
                batch.release(batch)
        for position, batch in held:
            self.assertEqual(raw_and_reason(batch), expected[position])
        for batch in [*kept, *(batch for _, batch in held)]:
            batch.release(batch)

    def test_only_the_rest_is_in_it(self):
        reader = hkpd.open(support.DEMO, batch_rows=1)
        next(reader)
        capsule = reader.__arrow_c_stream__(None)
        self.assertEqual(len(batches(peek(capsule, b"arrow_array_stream", "ArrowArrayStream"))), 2)

    def test_streams_outlive_reader_and_capsule(self):
        for close in (True, False):
            with self.subTest(close=close):
                reader = hkpd.open(support.DEMO.read_bytes(), batch_rows=1)
                capsule = reader.__arrow_c_stream__()
                stream = move(capsule, b"arrow_array_stream", "ArrowArrayStream")
                if close:
                    reader.close()
                del reader, capsule
                gc.collect()
                rest = [list(hkpd.open(support.DEMO)) for _ in range(20)]  # would use memory that were freed
                schema = ffi.new("struct ArrowSchema*")
                self.assertEqual(stream.get_schema(stream, schema), 0)
                self.assertEqual(schema.n_children, 14)
                schema.release(schema)
                self.assertEqual(batches(stream), count_values(support.DEMO))
                self.assertEqual(stream.get_last_error(stream), ffi.NULL)
                stream.release(stream)
                self.assertEqual(stream.release, ffi.NULL)
                del rest

    def test_streams_block_their_reader_until_they_are_released(self):
        before = len(_arrow._exported)
        reader = hkpd.open(support.DEMO)
        capsule = reader.__arrow_c_stream__()
        self.assertRaises(hkpd.StateError, lambda: next(reader))
        self.assertRaises(hkpd.StateError, reader.__arrow_c_stream__)
        self.assertEqual(reader.fault_counts.errors, 0)
        del capsule
        gc.collect()
        self.assertEqual([sample.number for sample in reader], [0, 1, 2])
        self.assertEqual(len(_arrow._exported), before)

    def test_paths_select_rows(self):
        reader = hkpd.open(support.DEMO, counters=[r"\Processor(*)\% Processor Time", r"\System\Threads"])
        capsule = reader.__arrow_c_stream__()
        self.assertEqual(sum(batches(peek(capsule, b"arrow_array_stream", "ArrowArrayStream"))), 3 * (3 + 1))

    def test_damaged_inputs(self):
        """Every file of the corpora: a stream has the values that a reader has."""
        files = support.corpus()
        self.assertGreater(len(files), 1000)
        for path in files[::7]:
            with self.subTest(path):
                try:
                    expected = count_values(path)
                except hkpd.OpenError:
                    self.assertRaises(hkpd.OpenError, hkpd.open, path)
                    continue
                capsule = hkpd.open(path).__arrow_c_stream__()
                self.assertEqual(sum(batches(peek(capsule, b"arrow_array_stream", "ArrowArrayStream"))), sum(expected))


if __name__ == "__main__":
    unittest.main()
