"""Views of the library's memory: nothing that outlives a sample, a reader or a stream can read memory that is gone."""

import array
import gc
import threading
import tracemalloc
import unittest

import numpy
import support
import hkpd


def resident_kilobytes():
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def first_column(reader):
    return next(reader).objects[2].columns[0]


class Stale(unittest.TestCase):
    def test_views_are_released_by_the_next_sample(self):
        with hkpd.open(support.DEMO) as reader:
            column = first_column(reader)
            values, cooked = column.values, column.cooked().values
            self.assertEqual(len(values), 3)
            self.assertIs(column.values, values)
            next(reader)
            for view in (values, cooked):
                self.assertRaises(ValueError, lambda view=view: view[0])
                self.assertRaises(ValueError, view.tolist)

    def test_samples_raise_when_they_are_over(self):
        with hkpd.open(support.DEMO) as reader:
            old = next(reader)
            processor = old.objects[2]
            column = processor.columns[0]
            cooked = column.cooked()
            kept = processor.instances
            next(reader)
            uses = [
                lambda: column.values,
                lambda: column.name,
                lambda: column.cooked(),
                lambda: column.to_numpy(),
                lambda: column.text(0),
                lambda: cooked.values,
                lambda: cooked.reason(0),
                lambda: processor.name,
                lambda: old.objects[1].columns,
                lambda: old.objects[1].instances,
                lambda: old.__arrow_c_array__(),
            ]
            for position, use in enumerate(uses):
                with self.subTest(position):
                    self.assertRaises(hkpd.StateError, use)
            self.assertFalse(old.is_current)
            # What was copied stays.
            self.assertEqual([one.name for one in kept], ["0", "1", "_Total"])
            self.assertEqual((column.type_name, column.index, old.machine), ("PERF_100NSEC_TIMER_INV", 6, "DEMO"))
            repr(old), repr(processor), repr(column)

    def test_closed_readers_raise(self):
        reader = hkpd.open(support.DEMO)
        column = first_column(reader)
        values = column.values
        reader.close()
        reader.close()
        self.assertTrue(reader.closed)
        self.assertRaises(ValueError, lambda: values[0])
        self.assertRaises(hkpd.StateError, lambda: column.values)
        self.assertRaises(hkpd.StateError, lambda: next(reader))
        self.assertRaises(hkpd.StateError, reader.__arrow_c_stream__)
        self.assertEqual(reader.faults, [])

    def test_after_the_last_sample(self):
        with hkpd.open(support.DEMO) as reader:
            samples = list(reader)
            self.assertRaises(hkpd.StateError, lambda: samples[-1].objects[0].name)
            self.assertRaises(StopIteration, lambda: next(reader))


class Views(unittest.TestCase):
    def test_numpy_shares_the_memory(self):
        with hkpd.open(support.DEMO) as reader:
            column = first_column(reader)
            one, other = numpy.asarray(column.values), numpy.frombuffer(column.values, "uint64")
            self.assertTrue(numpy.shares_memory(one, other))
            self.assertEqual(one.dtype, numpy.dtype("uint64"))
            self.assertFalse(one.flags.writeable or other.flags.writeable)
            self.assertRaises(TypeError, lambda: column.values.__setitem__(0, 1))
            self.assertFalse(numpy.shares_memory(one, column.to_numpy()))
            del one, other

    def test_next_refuses_while_arrays_or_slices_exist(self):
        makers = {
            "asarray": lambda values: numpy.asarray(values),
            "frombuffer": lambda values: numpy.frombuffer(values, "uint64"),
            "slice of an array": lambda values: numpy.asarray(values)[1:],
            "other type": lambda values: numpy.asarray(values).view("uint8")[3:5],
            "slice": lambda values: values[1:],
            "cast": lambda values: values.cast("B"),
            "view of an array": lambda values: memoryview(numpy.asarray(values)),
        }
        for name, make in makers.items():
            with self.subTest(name), hkpd.open(support.DEMO) as reader:
                column = first_column(reader)
                expected = make(memoryview(array.array("Q", column.values))).tolist()
                held = make(column.values)
                with self.assertRaises(BufferError) as raised:
                    next(reader)
                self.assertIn("to_numpy", str(raised.exception))
                self.assertRaises(BufferError, reader.__arrow_c_stream__)
                # The sample is still the current one, and can be read.
                self.assertEqual(held.tolist(), expected)
                self.assertEqual(column.name, "% Processor Time")
                self.assertEqual(len(column.values), 3)
                del held
                self.assertEqual(next(reader).number, 1)

    def test_arrays_in_cycles_are_collected(self):
        with hkpd.open(support.DEMO) as reader:
            cycle = [numpy.asarray(first_column(reader).values)]
            cycle.append(cycle)
            del cycle
            self.assertEqual(next(reader).number, 1)

    def test_arrays_outlive_a_closed_reader(self):
        reader = hkpd.open(support.DEMO.read_bytes())
        values = numpy.asarray(first_column(reader).values)
        expected = values.tolist()
        reader.close()
        rest = [hkpd.open(support.DEMO) for _ in range(50)]  # would use memory that were freed
        for other in rest:
            next(other)
        self.assertEqual(values.tolist(), expected)

    def test_arrays_outlive_a_lost_reader(self):
        def made():
            reader = hkpd.open(support.DEMO.read_bytes())
            column = first_column(reader)
            return numpy.asarray(column.values), column.to_numpy().tolist(), numpy.asarray(column.cooked().values)

        values, expected, cooked = made()
        gc.collect()
        rest = [list(hkpd.open(support.DEMO)) for _ in range(50)]
        self.assertEqual(values.tolist(), expected)
        self.assertEqual(len(cooked), 3)
        del rest

    def test_columns_keep_their_reader(self):
        column = first_column(hkpd.open(support.DEMO))
        gc.collect()
        self.assertEqual((column.name, len(column.values)), ("% Processor Time", 3))

    def test_views_that_the_program_released(self):
        with hkpd.open(support.DEMO) as reader:
            column = first_column(reader)
            with column.values as values:
                expected = values.tolist()
            self.assertEqual(column.values.tolist(), expected)

    def test_leaving_with_an_exception_keeps_it(self):
        with self.assertRaises(ZeroDivisionError), hkpd.open(support.DEMO) as reader:
            held = numpy.asarray(first_column(reader).values)
            len(held) / 0


class Threads(unittest.TestCase):
    def test_two_threads_with_one_reader(self):
        """Reads while another thread goes on: each call either succeeds or raises, and nothing crashes."""
        content = support.DEMO.read_bytes() * 100
        reader = hkpd.open(content)
        seen, unexpected, end = [], [], threading.Event()

        def read():
            while not end.is_set():
                if (current := reader._current) is None:
                    continue
                try:
                    for one in current.objects:
                        for column in one.columns:
                            sum(column.values.tolist()) + len(column.cooked().values.tolist())
                            seen.append(column.index)
                except (hkpd.StateError, ValueError):  # the sample or its view was over
                    pass
                except BaseException as error:  # noqa: B902
                    unexpected.append(error)

        other = threading.Thread(target=read)
        other.start()
        count = 0
        while True:
            try:
                sample = next(reader)
                count += 1
                sum(len(column.to_numpy()) for one in sample.objects for column in one.columns)  # time for the other
                del sample
            except BufferError:  # the other thread was using a view
                continue
            except StopIteration:
                break
        end.set()
        other.join()
        self.assertEqual((count, unexpected), (300, []))
        self.assertNotEqual(seen, [])


class Leaks(unittest.TestCase):
    def read_once(self):
        content = support.DEMO.read_bytes()
        with hkpd.open(content) as reader:
            for sample in reader:
                for one in sample.objects:
                    one.instances
                    for column in one.columns[:4]:
                        column.values, column.cooked().values
        hkpd.open(support.DEMO).__arrow_c_stream__()
        next(hkpd.open(support.DEMO)).__arrow_c_array__()
        hkpd.read(support.DEMO)
        try:
            hkpd.open(b"nothing")
        except hkpd.OpenError:
            pass

    def read(self, times):
        for _ in range(times):
            self.read_once()
        gc.collect()

    def test_ten_thousand_readers(self):
        """Compares the second hundred and thousand with later ones: what caches and allocators keep is theirs by then."""
        self.read(100)
        tracemalloc.start()
        self.read(10)
        before = tracemalloc.get_traced_memory()[0]
        self.read(100)
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        self.assertLess(grown, 50_000)
        self.read(2_000)
        before = resident_kilobytes()
        self.read(8_000)
        self.assertLess(resident_kilobytes() - before, 6_000)  # a reader of demo.bin has hundreds


if __name__ == "__main__":
    unittest.main()
