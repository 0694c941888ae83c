"""Inputs of the tests."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.environ.get("HKPD_PACKAGE", str(ROOT / "tools" / "bindings" / "python")))

TESTDATA = ROOT / "testdata"
DEMO = TESTDATA / "captures" / "demo.bin"
SIMULATED = TESTDATA / "captures" / "simulated.mcap"
DAMAGED = TESTDATA / "captures" / "damaged.bin"
LOG = TESTDATA / "corpus" / "blg" / "raw"
SHARED = pathlib.Path(os.environ.get("HKPD_SHARED_DIR", ROOT.parent / "shared"))


def made_vista_log(folder):
    """Makes a log like that of Windows Vista in a folder, with values of its own. Returns its path; None if the build has no
    program that makes it."""
    if not os.environ.get("HKPD_MAKE_VISTA_LOG"):
        return None
    made = pathlib.Path(folder) / "made-vista.blg"
    subprocess.run([os.environ["HKPD_MAKE_VISTA_LOG"], made], check=True)
    return made


def command():
    """Returns the command hkpd; None if the build has none."""
    return os.environ.get("HKPD_COMMAND") or None


def corpus():
    """Returns all files of testdata that are inputs, valid and damaged ones."""
    return sorted(path for folder in ("captures", "corpus") for path in (TESTDATA / folder).rglob("*") if path.is_file())
