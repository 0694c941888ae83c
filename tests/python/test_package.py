"""The package as it is installed: types, a wheel that needs nothing else, the ways in which the library is found."""

import inspect
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import support
import hkpd

PACKAGE = support.ROOT / "tools" / "bindings" / "python"
LIBRARY = pathlib.Path(os.environ.get("HKPD_LIBRARY", "")).resolve()


def run(*arguments, **environment):
    """Runs Python with only these variables of the package in its environment."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HKPD_") and name != "PYTHONPATH"}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env={**kept, **environment}, cwd="/")


class Types(unittest.TestCase):
    @unittest.skipUnless(shutil.which("mypy") or "CI" in os.environ, "this machine has no mypy")
    def test_mypy_finds_nothing(self):
        with tempfile.TemporaryDirectory() as cache:
            result = subprocess.run(["mypy", "--cache-dir", cache], cwd=PACKAGE, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    @unittest.skipUnless(shutil.which("mypy") or "CI" in os.environ, "this machine has no mypy")
    def test_mypy_knows_the_keywords(self):
        program = 'import hkpd\nhkpd.open("a", counters=["b"], cap=True)\nhkpd.read("a", colour=1)\nhkpd.open("a", first="b")\n'
        program += 'for sample in hkpd.open("a"):\n    sample.objects[0].columns[0].name + 1\n'
        arguments = ["mypy", "--strict", "--enable-incomplete-feature=Unpack", "--ignore-missing-imports"]
        with tempfile.TemporaryDirectory() as cache:
            file = pathlib.Path(cache) / "uses.py"
            file.write_text(program)
            result = subprocess.run(
                [*arguments, "--follow-imports=silent", "--cache-dir", cache, str(file)],
                capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(PACKAGE)},
            )
        lines = [line.split(":")[1] for line in result.stdout.splitlines() if ": error:" in line]
        self.assertEqual(sorted(set(lines)), ["3", "4", "6"], result.stdout)

    def test_keywords_are_the_parameters(self):
        from hkpd import _reader

        parameters = list(inspect.signature(_reader.Options).parameters)
        self.assertEqual(list(_reader.Keywords.__annotations__), parameters)

    def test_all_names_exist_and_are_documented(self):
        for name in hkpd.__all__:
            self.assertTrue(getattr(hkpd, name).__doc__, name)
        self.assertTrue((PACKAGE / "hkpd" / "py.typed").is_file())


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        # A copy of what the build reads, as setuptools writes next to it.
        cls.tree = pathlib.Path(cls.folder.name) / "tree"
        shutil.copytree(PACKAGE, cls.tree / "tools" / "bindings" / "python", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        shutil.copy(support.ROOT / "CMakeLists.txt", cls.tree)
        (cls.tree / "lib" / "include").mkdir(parents=True)
        shutil.copy(support.ROOT / "lib" / "include" / "hkpd.h", cls.tree / "lib" / "include")

    def wheel(self, **environment):
        target = tempfile.mkdtemp(dir=self.folder.name)
        result = subprocess.run(
            [sys.executable, "setup.py", "-q", "bdist_wheel", "--dist-dir", target],
            cwd=self.tree / "tools" / "bindings" / "python", capture_output=True, text=True,
            env={**{name: value for name, value in os.environ.items() if name != "HKPD_LIBRARY"}, **environment},
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        shutil.rmtree(self.tree / "tools" / "bindings" / "python" / "build")
        return next(pathlib.Path(target).iterdir())

    def unpacked(self, wheel):
        target = tempfile.mkdtemp(dir=self.folder.name)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target)
        return target

    def test_a_wheel_with_the_library_needs_nothing_else(self):
        wheel = self.wheel(HKPD_LIBRARY=str(LIBRARY))
        self.assertRegex(wheel.name, rf"^hkpd-{hkpd.__version__}-py3-none-linux_\w+\.whl$")
        target = self.unpacked(wheel)
        program = "import hkpd, sys; print(hkpd.__file__, hkpd.__version__, len(hkpd.read(sys.argv[1])))"
        result = run("-c", program, str(support.DEMO), PYTHONPATH=target)
        self.assertEqual(result.returncode, 0, result.stderr)
        file, version, rows = result.stdout.split()
        self.assertTrue(file.startswith(target))
        self.assertEqual((version, int(rows)), (hkpd.__version__, len(hkpd.read(support.DEMO))))

    def test_a_wheel_without_the_library_finds_it(self):
        wheel = self.wheel()
        self.assertEqual(wheel.name, f"hkpd-{hkpd.__version__}-py3-none-any.whl")
        target = self.unpacked(wheel)
        self.assertTrue((pathlib.Path(target) / "hkpd" / "hkpd.h").is_file())
        metadata = next(pathlib.Path(target).glob("*.dist-info")) / "METADATA"
        for line in ("Name: hkpd", "License: Apache-2.0", "Requires-Dist: cffi", "Requires-Python: >=3.9", "Provides-Extra: pandas"):
            self.assertIn(line, metadata.read_text(encoding="utf-8"))
        program = "import hkpd; print(hkpd.__version__)"
        self.assertIn("set HKPD_LIBRARY", run("-c", program, PYTHONPATH=target).stderr)
        for environment in ({"HKPD_LIBRARY": str(LIBRARY)}, {"LD_LIBRARY_PATH": self.loader_folder()}):
            result = run("-c", program, PYTHONPATH=target, **environment)
            self.assertEqual(result.stdout.strip(), hkpd.__version__, result.stderr)
        result = run("-c", program, PYTHONPATH=target, HKPD_LIBRARY="/no/such/library.so")
        self.assertIn("ImportError", result.stderr)
        self.assertIn("/no/such/library.so", result.stderr)

    def loader_folder(self):
        folder = tempfile.mkdtemp(dir=self.folder.name)
        shutil.copy(LIBRARY, pathlib.Path(folder) / "libhkpd.so.1")
        return folder


if __name__ == "__main__":
    unittest.main()
