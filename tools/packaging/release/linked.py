#!/usr/bin/env python3
"""Lists the packages of which code is in a linked file: linked.py BUILD_TREE FILE.

FILE is a path in the build tree, linked with -Map=FILE.map; an archive (.a) is not linked and has no map. Prints a JSON
list of components: name, version, source package, architecture, home page, file with its copyright, and `use`:
"static" if the linker took objects of it, "headers" if only its headers were compiled, "dynamic" if FILE loads it.
All of it comes from the linker's map, the compiler's dependencies in Ninja's log, and dpkg's database, or from
build/windows-dependencies/versions.txt for libraries that were built from source packages."""

import json
import pathlib
import re
import subprocess
import sys

COMMAND_OBJECTS = re.compile(r"(lib/CMakeFiles/hkpd\w*|tools/CMakeFiles/hkpd_command)\.dir/")
LIBRARY_OBJECTS = re.compile(r"lib/CMakeFiles/hkpd\w*\.dir/")
ORDER = ["static", "dynamic", "headers"]


def output_of(*command, check=True):
    return subprocess.run(command, check=check, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def compiled_headers(tree, objects):
    """Returns the absolute paths of all files that the objects were compiled from."""
    found, wanted = set(), False
    for line in output_of("ninja", "-C", str(tree), "-t", "deps").splitlines():
        if line.startswith("    "):
            if wanted:
                found.add((tree / line.strip()).resolve())
        elif line and not line.startswith("ninja:"):
            wanted = objects.match(line) is not None
    if not found:
        sys.exit(f"linked.py: {tree}: Ninja's log has no dependencies of {objects.pattern}")
    return found


def linked_files(tree, path):
    """Returns the static archives and objects of which parts are in the file, and the shared libraries that it loads."""
    lines = pathlib.Path(f"{(tree / path).resolve()}.map").read_text(encoding="utf-8", errors="replace").splitlines()
    if "Linker script and memory map" not in lines:
        sys.exit(f"linked.py: {path}.map is not a map of GNU ld")
    static, shared = set(), {}
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-dW", str(tree / path), check=False)))
    for line in lines:
        # Members of archives that were included are named at the beginning of a line.
        if member := re.match(r"(\S+\.a)\(.*\)$|(\S+\.a)\(\S+\)\s", line):
            static.add((tree / (member[1] or member[2])).resolve())
        elif (loaded := re.match(r"LOAD (\S+)$", line)) and (file := tree / loaded[1]).is_file():
            if re.search(r"\.s?o$", file.name) and not file.name.endswith(".so"):
                static.add(file.resolve())
            elif re.search(r"\.so(\.[0-9]+)*$", file.name):
                name = re.search(r"\(SONAME\).*\[(.*)\]", output_of("readelf", "-dW", str(file), check=False))
                if name and name[1] in needed:
                    shared[name[1]] = file.resolve()
    if missing := needed - shared.keys():
        sys.exit(f"linked.py: {path} needs {', '.join(sorted(missing))}, which the map does not load")
    return static, set(shared.values())


class Packages:
    """The packages that files come from."""

    def __init__(self, root):
        self.root = root
        self.built = root / "build/windows-dependencies"
        self.sources = {}
        if (versions := self.built / "versions.txt").is_file():
            for name, version in re.findall(r"^source (\S+) version (\S+)$", versions.read_text(), re.M):
                self.sources[name] = version

    def source_of(self, file):
        """Returns the source package that a file of windows-dependencies was built from: lib/libfmt.a is of fmtlib,
        include/pugiconfig.hpp of pugixml."""
        first = file.relative_to(self.built).parts[1].removeprefix("lib")
        stems = {re.sub(r"^lib|lib$|xml$|[0-9.]+$", "", name): name for name in self.sources}
        found = [name for stem, name in stems.items() if first.startswith(stem)]
        if len(set(found)) != 1:
            sys.exit(f"linked.py: {file} is of none or several of {', '.join(self.sources)}")
        return found[0]

    def of(self, files):
        """Returns the components that the files belong to; none for the project's own files."""
        installed = set()
        found = {}
        for file in files:
            if file.is_relative_to(self.built):
                name = self.source_of(file)
                copyright = self.built / "copyright" / name
                found[name] = {"name": name, "version": self.sources[name], "source": name,
                               "source_version": self.sources[name], "architecture": "source", "homepage": "",
                               "copyright": str(copyright)}
            elif not file.is_relative_to(self.root):
                installed.add(str(file))
        for package in self.owners(installed):
            form = "\t".join(f"${{{field}}}" for field in
                             ["Package", "Version", "source:Package", "source:Version", "Architecture", "Homepage"])
            fields = output_of("dpkg-query", "-W", "-f", form, package).split("\t")
            names = ["name", "version", "source", "source_version", "architecture", "homepage"]
            found[package] = dict(zip(names, fields)) | {"copyright": f"/usr/share/doc/{fields[0]}/copyright"}
        return found

    @staticmethod
    def owners(files):
        """Returns the installed packages that own the files; a file in /usr/lib may be registered as in /lib."""
        registered = {name for file in files for name in (file, file.removeprefix("/usr"), "/usr" + file)}
        owners, owned = set(), set()
        listed = sorted(registered)
        for begin in range(0, len(listed), 500):
            for line in output_of("dpkg", "-S", *listed[begin : begin + 500], check=False).splitlines():
                package, _, file = line.partition(": ")
                if not package.startswith("diversion by"):
                    owners.add(package.split(", ")[0])
                    owned |= {file, "/usr" + file, file.removeprefix("/usr")}
        if unknown := files - owned:
            sys.exit(f"linked.py: no package owns {', '.join(sorted(unknown)[:5])}")
        return owners


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: linked.py BUILD_TREE FILE")
    tree, path = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    packages = Packages(tree.parents[1])
    files = {"headers": compiled_headers(tree, LIBRARY_OBJECTS if path.startswith("lib/") else COMMAND_OBJECTS)}
    if not path.endswith(".a"):
        files["static"], files["dynamic"] = linked_files(tree, path)
    components = {}
    for use in reversed(ORDER):  # the stronger use of a package is the last one written
        for name, component in packages.of(files.get(use, set())).items():
            components[name] = component | {"use": use}
    print(json.dumps([components[name] for name in sorted(components)], indent=1))


main()
