#!/usr/bin/env python3
"""run.py [TEST...]: runs the tests of the Python package with the library HKPD_LIBRARY. Exits with 77 if a module that they
need is not installed."""

import importlib.util
import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import missing

NEEDED = {"cffi": "python3-cffi", "numpy": "python3-numpy", "pandas": "python3-pandas", "matplotlib": "python3-matplotlib",
          "setuptools": "python3-setuptools", "wheel": "python3-wheel"}


def main():
    absent = [package for module, package in NEEDED.items() if importlib.util.find_spec(module) is None]
    if absent:
        return missing.report(" ".join(absent))
    sys.dont_write_bytecode = True
    folder = str(pathlib.Path(__file__).resolve().parent)
    sys.path.insert(0, folder)
    loader = unittest.defaultTestLoader
    tests = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(folder)
    result = unittest.TextTestRunner(verbosity=2).run(tests)
    for reason in sorted({reason for _, reason in result.skipped}):
        print(f"skipped: {reason}")
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
