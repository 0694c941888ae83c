"""Records that the program feeds: the same values as from files."""

import unittest

import support
import hkpd


def values_of(samples):
    return [
        (sample.machine, one.name, column.name, column.values.tolist(), repr(column.cooked().values.tolist()))
        for sample in samples
        for one in sample.objects
        for column in one.columns
    ]


def blocks_of_demo():
    """Returns the blocks of demo.bin, by TotalByteLength of PERF_DATA_BLOCK."""
    content, blocks = support.DEMO.read_bytes(), []
    while content:
        size = int.from_bytes(content[20:24], "little")
        blocks.append(content[:size])
        content = content[size:]
    return blocks


class Feeds(unittest.TestCase):
    def test_blocks_give_the_samples_of_the_file(self):
        with hkpd.open(support.DEMO) as reader:
            expected = values_of(reader)
        with hkpd.Feed() as feed:
            found = []
            for block in blocks_of_demo():
                self.assertEqual(list(feed), [])
                feed.add(block)
                found += values_of(feed)
        self.assertEqual(found, expected)
        self.assertIn("38", found[-1][-1] + repr(found))

    def test_several_records_at_once(self):
        feed = hkpd.Feed()
        for block in blocks_of_demo():
            feed.add(block)
        del block
        self.assertEqual([sample.number for sample in feed], [0, 1, 2])

    def test_bytes_that_change_are_copied(self):
        feed = hkpd.Feed()
        for block in blocks_of_demo():
            content = bytearray(block)
            feed.add(content)
            content[:] = bytes(len(content))
        self.assertEqual([sample.machine for sample in feed], ["DEMO"] * 3)

    def test_titles(self):
        feed = hkpd.Feed(languages=["007"])
        feed.add("238\0Prozessor\0\0".encode("utf-16-le"), hkpd.RecordKind.TITLES, machine="DEMO", language="007")
        self.assertEqual(list(feed), [])
        feed.add(blocks_of_demo()[0])
        self.assertIn("Prozessor", [one.name for one in next(feed).objects])

    def test_adding_ends_the_sample(self):
        feed = hkpd.Feed()
        blocks = blocks_of_demo()
        feed.add(blocks[0])
        sample = next(feed)
        view = memoryview(sample.objects[0].columns[0].values)
        self.assertRaises(BufferError, feed.add, blocks[1])
        del view
        feed.add(blocks[1])
        self.assertFalse(sample.is_current)

    def test_wrong_records_are_refused(self):
        feed = hkpd.Feed()
        self.assertRaises(ValueError, feed.add, b"", 2)
        self.assertRaises(ValueError, feed.add, b"", hkpd.RecordKind.TITLES, machine="a\0b")
        self.assertRaises(TypeError, feed.add, "text")
        self.assertRaises(AttributeError, hkpd.open(support.DEMO).__getattribute__, "add")
        feed.add(b"\xff" * 1000)
        self.assertEqual(list(feed), [])
        self.assertGreater(feed.fault_counts.errors, 0)
        feed.close()
        self.assertRaises(hkpd.StateError, feed.add, b"")


if __name__ == "__main__":
    unittest.main()
