"""The session of README.md, from a log of Windows to a picture: it runs as it is shown."""

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


@unittest.skipUnless(LOG.is_file() or os.environ.get("HKPD_REQUIRE_SHARED") == "1", "needs the real data of ../shared")
class Session(unittest.TestCase):
    def test_it_is_in_the_readme(self):
        shown = (support.ROOT / "README.md").read_text(encoding="utf-8")
        session = "```python tools/examples/busiest.py\n" + SESSION.read_text(encoding="utf-8").partition("\n")[2] + "```\n"
        self.assertTrue(session in shown)
        self.assertTrue("](testdata/pictures/busiest.png)" in shown)

    def test_it_makes_the_picture(self):
        import matplotlib.image

        with tempfile.TemporaryDirectory() as folder:
            shutil.copyfile(LOG, pathlib.Path(folder) / "perf.blg")
            environment = {**os.environ, "MPLBACKEND": "Agg", "MPLCONFIGDIR": folder}
            environment["PYTHONPATH"] = str(pathlib.Path(hkpd.__file__).parents[1])
            subprocess.run([sys.executable, str(SESSION)], cwd=folder, env=environment, check=True)
            made = matplotlib.image.imread(pathlib.Path(folder) / "busiest.png")
        kept = matplotlib.image.imread(support.TESTDATA / "pictures" / "busiest.png")
        # Fonts and versions of matplotlib differ; the size is about equal, and so are the colours of the lines.
        self.assertLess(abs(made.shape[1] - kept.shape[1]), 60)
        for name, colour in {"mmc": (31, 119, 180), "taskeng": (255, 127, 14), "rundll32#1": (148, 103, 189)}.items():
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
