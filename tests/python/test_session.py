"""The session of README.md, from a log of Windows to a picture: it runs as it is shown."""

import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import support
import hkpd

LOG = support.SHARED / "data" / "blg" / "vista-2007-wildcards.blg"
SESSION = support.ROOT / "tools" / "examples" / "busiest.py"
TIMES = [r"\Process(*)\% Processor Time"]
HAS_LOG = LOG.is_file() or os.environ.get("HKPD_REQUIRE_SHARED") == "1"


def run(session, log, folder):
    """Runs a session on a log in a folder. Returns what it prints."""
    shutil.copyfile(log, pathlib.Path(folder) / "perf.blg")
    environment = {**os.environ, "MPLBACKEND": "Agg", "MPLCONFIGDIR": folder}
    environment["PYTHONPATH"] = str(pathlib.Path(hkpd.__file__).parents[1])
    return subprocess.run([sys.executable, "-c", session], cwd=folder, env=environment, check=True, capture_output=True, text=True)


class Readme(unittest.TestCase):
    def test_the_session_is_in_it(self):
        shown = (support.ROOT / "README.md").read_text(encoding="utf-8")
        session = "```python tools/examples/busiest.py\n" + SESSION.read_text(encoding="utf-8").partition("\n")[2] + "```\n"
        self.assertTrue(session in shown)
        self.assertTrue("](testdata/pictures/busiest.png)" in shown)


class Processes(unittest.TestCase):
    """The log of Windows Vista, real or made: rundll32 3320 ends at 19:47, and rundll32 580 starts. Windows calls both
    rundll32#1."""

    def logs(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        found = [log for log in (LOG if HAS_LOG else None, support.made_vista_log(folder.name)) if log]
        if not found:
            self.skipTest("this build makes no log of Vista, and ../shared is missing")
        return found

    def test_a_label_is_one_process(self):
        for log in self.logs():
            with self.subTest(log):
                frame = hkpd.read(log, counters=[r"\Process(*)\ID Process"])
                frame = frame[frame["instance"] != "_Total"].assign(label=hkpd.labels)
                ids = frame.astype(object).groupby("label")["raw"].unique()
                self.assertTrue(all(len(one) == 1 for one in ids))
                self.assertEqual(len(ids), len(set(frame["raw"])))
                for label, one in ids.items():
                    if ":" in label:
                        self.assertEqual(label.rpartition(":")[2], str(one[0]))
                # Names alone are no key, and neither are PerfMon's.
                self.assertGreater(frame.astype(object).groupby("pdh_instance")["raw"].nunique().max(), 1)
                names = collections.Counter(label.partition(":")[0] for label in ids.index)
                for label in ids.index:
                    self.assertEqual(":" in label, names[label.partition(":")[0]] > 1, label)

    def test_each_process_has_its_own_line(self):
        for log in self.logs():
            with self.subTest(log):
                frame = hkpd.read(log, counters=TIMES).assign(process=hkpd.labels)
                shown = frame[frame["process"].isin(["rundll32:580", "rundll32:3320"])].astype({"pdh_instance": str})
                self.assertEqual(set(shown["pid"]), {580, 3320})
                self.assertEqual(set(shown["pdh_instance"]), {"rundll32#1"})
                by_id = shown.astype({"process": str}).groupby("process")["time"]
                self.assertEqual(str(by_id.min()["rundll32:580"])[11:19], "19:47:38")
                self.assertLess(by_id.max()["rundll32:3320"], by_id.min()["rundll32:580"])

    def test_the_picture_has_five_processes(self):
        session = SESSION.read_text(encoding="utf-8") + "print('\\n'.join(table.columns), len(busiest), len(axes.get_lines()))\n"
        for log in self.logs():
            with self.subTest(log), tempfile.TemporaryDirectory() as folder:
                *columns, last = run(session, log, folder).stdout.splitlines()
                columns.append(last.split()[0])
                self.assertEqual(last.split()[1:], ["5", "5"])
                # rundll32 3320 was there once, so that it has no value.
                self.assertLessEqual({"rundll32:580", "rundll32:2624"}, set(columns))
                self.assertEqual({"Idle", "_Total"} & set(columns), set())
                self.assertTrue((pathlib.Path(folder) / "busiest.png").is_file())


@unittest.skipUnless(HAS_LOG, "needs the real data of ../shared")
class Session(unittest.TestCase):
    def test_it_makes_the_picture(self):
        import matplotlib.image

        with tempfile.TemporaryDirectory() as folder:
            run(SESSION.read_text(encoding="utf-8"), LOG, folder)
            made = matplotlib.image.imread(pathlib.Path(folder) / "busiest.png")
        kept = matplotlib.image.imread(support.TESTDATA / "pictures" / "busiest.png")
        # Fonts and versions of matplotlib differ; the size is about equal, and so are the colours of the lines.
        self.assertLess(abs(made.shape[1] - kept.shape[1]), 60)
        for name, colour in {"mmc": (31, 119, 180), "taskeng": (255, 127, 14), "fifth": (148, 103, 189)}.items():
            for picture in (made, kept):
                pixels = (abs(picture[:, :, :3] * 255 - colour).max(axis=2) < 2).sum()
                self.assertGreater(pixels, 100, name)

    def test_its_values(self):
        frame = hkpd.read(LOG, counters=[r"\Process(mmc)\% Processor Time"])
        self.assertEqual(len(frame), 11)
        self.assertEqual(frame["reason"].tolist()[0], "first_sample")
        # What `hkpd replay` shows, and the picture: 36 % in the minute before 15:45:38.
        highest = frame.loc[frame["value"].idxmax()]
        self.assertAlmostEqual(highest["value"], 35.9635, places=3)
        self.assertEqual(str(highest["time"])[:19], "2007-08-14 19:45:38")


if __name__ == "__main__":
    unittest.main()
