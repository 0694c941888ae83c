"""The examples of tools/bindings/python/README.md."""

import doctest
import os
import unittest

import support  # finds the package
import hkpd  # noqa: F401


class Readme(unittest.TestCase):
    def test_the_examples(self):
        folder = os.getcwd()
        self.addCleanup(os.chdir, folder)
        os.chdir(support.ROOT)
        result = doctest.testfile(str(support.ROOT / "tools" / "bindings" / "python" / "README.md"), module_relative=False)
        self.assertGreater(result.attempted, 7)
        self.assertEqual(result.failed, 0)


if __name__ == "__main__":
    unittest.main()
