"""Reading samples: values, names, options, sources and errors."""

import datetime
import math
import mmap
import pathlib
import tempfile
import unittest
import uuid

import support
import hkpd

UTC = datetime.timezone.utc
SECOND = datetime.datetime(2024, 5, 14, 9, 30, 2, tzinfo=UTC)


def processor_times(source, **options):
    """Returns the cooked values of % Processor Time of each sample, and the number of the sample."""
    with hkpd.open(source, **options) as reader:
        return {
            sample.number: next(one for one in sample.objects if one.index == 238).column("% Processor Time").cooked().values.tolist()
            for sample in reader
        }


class Values(unittest.TestCase):
    def test_demo_has_known_values(self):
        found = processor_times(support.DEMO)
        self.assertEqual(list(found), [0, 1, 2])
        self.assertTrue(all(math.isnan(value) for value in found[0]))
        for number in (1, 2):  # as README.md shows
            for value, expected in zip(found[number], (38, 19, 28.5)):
                self.assertAlmostEqual(value, expected, places=9)

    def test_status_of_each_kind_of_cell_in_a_text_log(self):
        text = "\n".join(
            [
                r'"(PDH-CSV 4.0)","\\PC\Process(java)\% Processor Time"',
                '"07/26/2026 14:00:00.000","95.000000"',
                '"07/26/2026 14:00:10.000","-1"',  # as typeperf writes it where there is no value
                '"07/26/2026 14:00:20.000","9x"',
            ]
        )
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "typeperf.csv")
            log.write_text(text + "\n", encoding="ascii")
            with hkpd.open(log) as reader:
                columns = (sample.objects[0].columns[0] for sample in reader)
                found = [hkpd.ValueStatus(column.status[0] if column.status is not None else 0) for column in columns]
        self.assertEqual(found, [hkpd.ValueStatus.VALID, hkpd.ValueStatus.NOT_RECORDED, hkpd.ValueStatus.DAMAGED])

    def test_objects_instances_and_counters_are_described(self):
        with hkpd.open(support.DEMO) as reader:
            sample = next(reader)
            self.assertEqual((sample.machine, sample.source, sample.number), ("DEMO", hkpd.Source.V1, 0))
            self.assertEqual(sample.time, datetime.datetime(2024, 5, 14, 9, 30, tzinfo=UTC))
            self.assertEqual(sample.time_ns, 1_715_679_000_000_000_000)
            self.assertEqual([one.name for one in sample.objects], ["System", "Memory", "Processor", "Process", "Thread"])
            processor, process, thread = sample.objects[2:]
            self.assertEqual((processor.kind, processor.instance_count, len(processor.columns)), (hkpd.Kind.MULTI, 3, 15))
            self.assertIsNone(processor.counterset)
            self.assertEqual([one.name for one in processor.instances], ["0", "1", "_Total"])
            column = processor.columns[0]
            self.assertEqual((column.index, column.name, column.type_name), (6, "% Processor Time", "PERF_100NSEC_TIMER_INV"))
            self.assertEqual(column.type, 0x21510500)
            self.assertEqual(column.storage, hkpd.Storage.NUMBER)
            self.assertEqual(column.values[0], 1_698_180_000_000)  # as `hkpd map --at 0xd64` shows
            self.assertIsNone(column.status)
            numbers = [one.number for one in process.instances if one.name == "svchost"]
            self.assertEqual(numbers, list(range(len(numbers))))
            for one, pid in zip(process.instances, process.column("ID Process").values):
                self.assertEqual((one.pid, one.life), (None if one.name == "_Total" else pid, 1))
                self.assertEqual((one.parent, one.instance_id, one.instance), (None, None, one.name))
                self.assertEqual(one.pdh_instance, f"{one.name}#{one.number}" if one.number else one.name)
            for one in thread.instances:
                owner = process.instances[one.parent_instance]
                self.assertEqual((one.parent, one.pid), (owner.name, owner.pid))
            self.assertEqual((thread.instances[0].instance, thread.instances[0].pdh_instance), ("0", "Idle/0"))
            parent = thread.instances[0]
            self.assertEqual(sample.objects[parent.parent_object].name, "Process")
            self.assertIsNone(process.instances[0].parent_object)
            with self.assertRaises(KeyError):
                process.column("no such counter")

    def test_reasons_have_names(self):
        with hkpd.open(support.DEMO) as reader:
            cooked = next(reader).objects[2].columns[0].cooked()
            self.assertEqual([cooked.reason(row) for row in range(len(cooked))], ["first_sample"] * 3)
            next(reader)
        self.assertEqual((hkpd.reason_name(0), hkpd.reason_name(255)), ("", ""))
        self.assertEqual(hkpd.type_name(0x10410400), "PERF_COUNTER_COUNTER")

    def test_v2_objects_have_guids(self):
        with hkpd.open(support.SIMULATED) as reader:
            guids = {one.counterset for sample in reader for one in sample.objects if sample.source == hkpd.Source.V2}
        self.assertNotEqual(guids, set())
        self.assertTrue(all(isinstance(guid, uuid.UUID) for guid in guids))
        self.assertIn(uuid.UUID("b4fc721a-0378-476f-89ba-a5a79f810b36"), guids)  # Processor Information, of Windows' manifest

    def test_texts_and_bytes(self):
        found = []
        with hkpd.open(support.TESTDATA / "captures" / "text-and-bytes.bin") as reader:
            for sample in reader:
                for one in sample.objects:
                    for column in one.columns:
                        if column.storage != hkpd.Storage.NUMBER:
                            found += [column.text(row) for row in range(len(column.values))]
                            self.assertRaises(hkpd.ArgumentError, column.text, len(column.values))
                            self.assertRaises(IndexError, column.text, -1)
                        elif len(column.values) != 0:
                            self.assertRaises(hkpd.ArgumentError, column.text, 0)
        self.assertIn("Überlauf", found)
        self.assertTrue(any(isinstance(one, bytes) for one in found))


class Options(unittest.TestCase):
    def test_ranges(self):
        after = datetime.datetime(2024, 5, 14, 9, 30, 3, tzinfo=UTC)
        self.assertEqual(list(processor_times(support.DEMO, from_=SECOND)), [1, 2])
        self.assertEqual(list(processor_times(support.DEMO, to=SECOND)), [0, 1])
        self.assertEqual(list(processor_times(support.DEMO, from_=SECOND, to=after)), [1])
        self.assertEqual(list(processor_times(support.DEMO, from_=1_715_679_004_000_000_000)), [2])
        self.assertEqual(list(processor_times(support.DEMO, first=1)), [1, 2])
        self.assertEqual(list(processor_times(support.DEMO, count=2)), [0, 1])
        self.assertEqual(list(processor_times(support.DEMO, every=2)), [0, 2])
        # A time zone east of Greenwich, and a moment that pandas states to the nanosecond.
        east = SECOND.astimezone(datetime.timezone(datetime.timedelta(hours=5, minutes=30)))
        self.assertEqual(list(processor_times(support.DEMO, from_=east)), [1, 2])
        import pandas

        later = pandas.Timestamp("2024-05-14T09:30:02.000000001Z")
        self.assertEqual(list(processor_times(support.DEMO, from_=later)), [2])

    def test_wrong_options_are_refused(self):
        for options in (
            {"from_": datetime.datetime(2024, 5, 14)},  # which zone?
            {"count": 0},
            {"counters": [r"\Processor(*)"]},
            {"counters": ["\\Processor(*)\\%\0"]},
        ):
            with self.subTest(options), self.assertRaises(ValueError):
                hkpd.open(support.DEMO, **options)
        with self.assertRaises(TypeError):
            hkpd.open(support.DEMO, colour=True)
        with self.assertRaises(hkpd.ArgumentError) as raised:
            hkpd.open(support.DEMO, counters=[r"\Processor(*)"])
        self.assertLess(raised.exception.status, 0)
        self.assertIn("is not a counter path", str(raised.exception))

    def test_titles(self):
        titles = "238\0Prozessor\0" "6\0Prozessorzeit (%)\0\0".encode("utf-16-le")
        with hkpd.open(support.DEMO, titles=titles) as reader:
            processor = next(reader).objects[2]
            self.assertEqual((processor.name, processor.columns[0].name), ("Prozessor", "Prozessorzeit (%)"))

    def test_scale_multiplies(self):
        def pages(**options):
            with hkpd.open(support.DEMO, **options) as reader:
                return [(column.scale, column.cooked().values.tolist()) for column in list(next(reader).objects[1].columns)]

        scaled = 0
        for (scale, plain), (_, other) in zip(pages(), pages(scale=True)):
            for value, product in zip(plain, other):
                if value == value:
                    self.assertAlmostEqual(product, value * 10.0**scale, delta=abs(product) * 1e-12)
                    scaled += scale != 0 and value != 0
        self.assertGreater(scaled, 3)

    def test_raw_only_cooks_no_rates(self):
        for values in processor_times(support.DEMO, raw_only=True).values():
            self.assertTrue(all(math.isnan(value) for value in values))


class Sources(unittest.TestCase):
    def test_files_bytes_and_buffers_are_equal(self):
        content = support.DEMO.read_bytes()
        # The first value is NaN, which differs from itself.
        expected = repr(processor_times(support.DEMO))
        with open(support.DEMO, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            self.assertEqual(repr(processor_times(mapped)), expected)
        for source in (str(support.DEMO), content, bytearray(content), memoryview(content), [support.DEMO], (str(support.DEMO),)):
            with self.subTest(type(source)):
                self.assertEqual(repr(processor_times(source)), expected)

    def test_bytes_are_kept_as_long_as_the_reader(self):
        reader = hkpd.open(bytes(support.DEMO.read_bytes()))
        rest = [bytes(100_000) for _ in range(100)]  # overwrites memory that were freed
        self.assertEqual([sample.number for sample in reader], [0, 1, 2])
        del rest

    def test_bytes_that_change_are_copied(self):
        content = bytearray(support.DEMO.read_bytes())
        reader = hkpd.open(content)
        content[:] = b"\xff" * len(content)
        content.clear()  # nothing refers to it
        self.assertEqual([sample.machine for sample in reader], ["DEMO"] * 3)

    def test_several_paths_are_one_run(self):
        with hkpd.open([support.DEMO, support.DAMAGED]) as reader:
            self.assertEqual([sample.machine for sample in reader][:3], ["DEMO"] * 3)
            self.assertGreater(reader.fault_counts.errors, 0)

    def test_names_of_files_can_be_anything(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (b"\xff\xfe.bin", "Zähler 計.bin".encode(), b"new\nline.bin"):
                path = folder.encode() + b"/" + name
                pathlib.Path(support.os.fsdecode(path)).write_bytes(support.DEMO.read_bytes())
                with self.subTest(name), hkpd.open(pathlib.Path(support.os.fsdecode(path))) as reader:
                    self.assertEqual(next(reader).machine, "DEMO")


class Errors(unittest.TestCase):
    def test_missing_file(self):
        with self.assertRaises(hkpd.OpenError) as raised:
            hkpd.open("no such file.blg")
        self.assertIsInstance(raised.exception, OSError)
        self.assertIn("no such file.blg", str(raised.exception))
        self.assertEqual(raised.exception.errno, 2)
        self.assertEqual(raised.exception.status, -3)

    def test_what_is_no_input(self):
        for source in (b"", str(support.ROOT / "no such folder")):
            with self.subTest(source), self.assertRaises(hkpd.OpenError):
                hkpd.open(source)
        with hkpd.open(b"no performance data") as reader:
            self.assertEqual(list(reader), [])
            self.assertGreater(reader.fault_counts.errors, 0)
        with self.assertRaises(ValueError):
            hkpd.open([])
        with self.assertRaises(ValueError):
            hkpd.open("demo\0.bin")
        with self.assertRaises(TypeError):
            hkpd.open(1.5)
        with self.assertRaises(TypeError):
            hkpd.open([1.5])

    def test_faults_are_listed(self):
        with hkpd.open(support.DAMAGED) as reader:
            for _ in reader:
                pass
            counts, faults = reader.fault_counts, reader.faults
        self.assertEqual((counts.errors, counts.warnings, counts.notes), (2, 0, 0))
        # As `hkpd check testdata/captures/damaged.bin` shows in README.md.
        self.assertEqual([fault.offset for fault in faults], [0x668, 0x66C])
        first = faults[0]
        self.assertEqual((first.code, first.severity), ("object_length", hkpd.Severity.ERROR))
        self.assertEqual((first.structure, first.field), ("PERF_OBJECT_TYPE", "TotalByteLength"))
        self.assertEqual((first.expected, first.found), (256, 4294967295))
        self.assertIn("invalid object length", first.message)
        self.assertEqual(first.input, str(support.DAMAGED))
        self.assertEqual(reader.faults, faults)  # after close, too


if __name__ == "__main__":
    unittest.main()
