#!/usr/bin/env python3
"""tools/capture_remote.py without a server: its buffers, its timeouts, its bytes on the wire."""

import os
import struct
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tools"))
import capture_remote as remote  # noqa: E402


def block(size, total=None):
    """Returns the beginning of a data block, and zeros."""
    head = "PERF".encode("utf-16-le") + struct.pack("<IIII", 1, 1, 1, size if total is None else total)
    return (head + bytes(size))[:size]


class Server:
    """Answers from a list: an error, bytes, or a function of the size of the buffer."""

    def __init__(self, *answers):
        self.answers, self.sizes, self.waits = list(answers), [], []

    def query(self, name, size):
        self.sizes.append(size)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            return answer(size)
        return (answer, b"") if isinstance(answer, int) else (0, answer)

    def reader(self, first=64, most=1 << 20):
        return remote.ValueReader(self.query, first, most, self.waits.append)


def windows(content):
    return lambda size: (0, content) if len(content) < size else (remote.ERROR_MORE_DATA, b"")


def samba(content):
    return lambda size: (0, content[:size])


class Buffers(unittest.TestCase):
    def read(self, server, first=64, most=1 << 20):
        return server.reader(first, most).read("Global", remote.missing_of_block)

    def test_grow_until_the_block_is_complete(self):
        for kind in (windows, samba):
            for size in (24, 63, 64, 65, 100, 127, 128, 1000, 4096, 100_000):
                status, data, missing = self.read(Server(kind(block(size))))
                self.assertEqual((status, data, missing), (0, block(size), None), (kind, size))

    def test_samba_leaves_the_header_out_of_the_length(self):
        whole = block(920, 808)
        for first in (24, 64, 807, 808, 809, 850, 919, 920, 921):
            self.assertEqual(self.read(Server(samba(whole)), first)[1], whole, first)

    def test_no_bytes_or_too_few_are_incomplete(self):
        incomplete = block(88, 0)
        for answer in (b"", b"PERF", incomplete, block(200, 1000)):
            server = Server(answer, answer, block(50))
            self.assertEqual(self.read(server, 300)[1], block(50))
            self.assertEqual(server.sizes, [300, 600, 1200])

    def test_growth_is_bounded(self):
        server = Server(remote.ERROR_MORE_DATA)
        self.assertEqual(self.read(server, 64, 1000), (remote.ERROR_MORE_DATA, b"", None))
        self.assertEqual(server.sizes, [64, 128, 256, 512, 1000])
        self.assertEqual(self.read(Server(block(88, 0)), 64, 1000), (0, block(88, 0), "its stated length is 0"))
        self.assertEqual(self.read(Server(samba(block(2000))), 64, 1000)[2], "it fills the buffer completely")

    def test_a_sufficient_size_is_kept(self):
        server = Server(windows(block(1000)))
        reader = server.reader()
        for _ in range(3):
            reader.read("Global", remote.missing_of_block)
        self.assertEqual(server.sizes, [64, 128, 256, 512, 1024, 1024, 1024])

    def test_other_errors_are_returned(self):
        self.assertEqual(self.read(Server(5)), (5, b"", None))


class Retries(unittest.TestCase):
    def test_busy_servers_are_asked_again(self):
        server = Server(remote.ERROR_BUSY, remote.ERROR_LOCK_FAILED, remote.ERROR_NOT_READY, block(50))
        self.assertEqual(server.reader().read("Global", remote.missing_of_block), (0, block(50), None))
        self.assertEqual(server.waits, [0.05, 0.1, 0.2])

    def test_not_for_ever(self):
        server = Server(remote.ERROR_BUSY)
        self.assertEqual(server.reader().read("Global", remote.missing_of_block)[0], remote.ERROR_BUSY)
        self.assertLess(sum(server.waits), 15)


class Wire(unittest.TestCase):
    def test_a_request_sends_no_buffer(self):
        request = remote.query_request(bytes(range(20)), "238", 1 << 20)
        self.assertEqual(len(request), 20 + 8 + 12 + 8 + 8 + 16 + 8 + 8)
        self.assertEqual(request[:20], bytes(range(20)))
        self.assertEqual(struct.unpack_from("<HH", request, 20), (8, 8))
        self.assertEqual(request[40:48].decode("utf-16-le"), "238\0")
        self.assertEqual(len(remote.query_request(bytes(20), "23", 1)) % 4, 0)

    def reply(self, data, status=0):
        body = struct.pack("<II", 1, 3) + struct.pack("<IIII", 1, 500, 0, len(data)) + data + bytes(-len(data) % 4)
        return body + struct.pack("<IIIII", 1, 12345, 1, 12345, status)

    def test_a_reply(self):
        for data in (b"", b"1", b"1234", b"12345"):
            self.assertEqual(remote.query_reply(self.reply(data)), (0, data))
        self.assertEqual(remote.query_reply(struct.pack("<IIIII", 0, 0, 0, 0, 5)), (5, b""))

    def test_a_reply_that_is_cut(self):
        whole = self.reply(b"12345678")
        for size in range(len(whole)):
            with self.assertRaises(remote.Fault):
                remote.query_reply(whole[:size])


class Samples(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def capture(self, query):
        return remote.Capture(remote.ValueReader(query), "HOST", self.folder.name)

    def test_by_the_clock(self):
        capture = self.capture(lambda name, size: (0, block(50)))
        begin = time.monotonic()
        capture.take_samples("Global", 5, 0.05)
        self.assertGreaterEqual(time.monotonic() - begin, 0.2)
        self.assertEqual(sorted(os.listdir(self.folder.name)), [f"{number:06}.bin" for number in range(5)])
        self.assertIn("5 samples, 250 bytes, without titles", capture.summary())

    def test_what_takes_too_long(self):
        def slow(name, size):
            time.sleep(0.05)
            return 0, block(50)

        capture = self.capture(slow)
        capture.take_samples("Global", 3, 0.02)
        self.assertGreaterEqual(capture.missed, 4)

    def test_titles(self):
        names = {value: b"2\0x\0\0\0" for value in ("Counter 009", "Help 009", "Counter 007", "Explain 007")}
        capture = self.capture(lambda name, size: (0, names[name]) if name in names else (2, b""))
        capture.take_titles("009")
        capture.take_titles("007")
        files = ["counter-007.multi_sz", "counter-009.multi_sz", "explain-007.multi_sz", "help-009.multi_sz"]
        self.assertEqual(sorted(os.listdir(self.folder.name)), files)


class Words(unittest.TestCase):
    def test_users(self):
        for text in ("D\\u", "D/u", "u@D"):
            self.assertEqual(remote.split_user(text), ("u", "D"))
        self.assertEqual(remote.split_user("u"), ("u", ""))

    def test_hashes(self):
        digits = "0123456789abcdefABCDEF0123456789"
        self.assertEqual(remote.split_hash(digits), ("", digits))
        self.assertEqual(remote.split_hash(":" + digits), ("", digits))
        self.assertEqual(remote.split_hash(f"{digits}:{digits}"), (digits, digits))
        for wrong in ("", "secret", digits + "0"):
            with self.assertRaises(remote.Fault):
                remote.split_hash(wrong)


unittest.main()
