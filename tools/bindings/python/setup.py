"""Builds the package with the header of the C library, and with the library itself if HKPD_LIBRARY is its path: that wheel
needs nothing else, and is for one platform. All metadata is in pyproject.toml."""

import os
import pathlib
import re
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LIBRARY = os.environ.get("HKPD_LIBRARY")


def source(packaged, in_tree):
    """Returns a file of the source tree or, if this is a source package, its copy in the package."""
    return HERE / packaged if (HERE / packaged).is_file() else ROOT / in_tree


def version():
    """Returns the version of the project, which CMakeLists.txt states."""
    information = HERE / "PKG-INFO"
    if information.is_file():
        return re.search(r"^Version: (.+)$", information.read_text(encoding="utf-8"), re.MULTILINE)[1]
    return re.search(r"project\(\s*hkpd\s+VERSION\s+([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


class BuildPackage(build_py):
    """Copies the header and the library into the built package."""

    def run(self):
        super().run()
        folder = pathlib.Path(self.build_lib) / "hkpd"
        shutil.copyfile(source("hkpd/hkpd.h", "lib/include/hkpd.h"), folder / "hkpd.h")
        if LIBRARY:
            shutil.copyfile(LIBRARY, folder / "libhkpd.so.1")


class PlatformDistribution(Distribution):
    """Contains a library, but no module that depends on the version of Python."""

    def has_ext_modules(self):
        return True


def options():
    """Returns the arguments of `setup` that depend on whether the library is in the package."""
    commands = {"build_py": BuildPackage}
    if not LIBRARY:
        return {"cmdclass": commands}
    from wheel.bdist_wheel import bdist_wheel

    class PlatformWheel(bdist_wheel):
        """A wheel for any Python 3 on this platform."""

        def get_tag(self):
            return "py3", "none", super().get_tag()[2]

    return {"cmdclass": {**commands, "bdist_wheel": PlatformWheel}, "distclass": PlatformDistribution}


setup(version=version(), **options())
