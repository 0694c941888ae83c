#!/usr/bin/env python3
"""tidy.py [BUILD_TREE]: clang-tidy for each source of the library and of the command, two at a time on two cores.

What was found clean is remembered, in the user's cache directory, by what clang-tidy has seen: its version and settings,
the command, and the source with all files of the system and of ours that the compiler read for it. The tree must be built.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

TIDY = "clang-tidy-19"
ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "hkpd" / "tidy"


def sources(tree):
    """Path and compile command of each source that is ours to check."""
    for entry in json.loads((tree / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if not path.is_relative_to(ROOT) or path.name == "builtin_titles.cpp":
            continue
        if re.match(r"lib/src/|tools/(posix/)?[^/]*\.cpp", str(path.relative_to(ROOT))):
            yield path, entry["command"]


def dependencies(tree):
    """The files that the compiler read for each source, as ninja has noted them."""
    listing = subprocess.run(["ninja", "-C", tree, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found = {}
    for block in listing.split("\n\n"):
        files = [(tree / line.strip()).resolve() for line in block.splitlines()[1:]]
        if files:
            found[files[0]] = files
    return found


class Hashes:
    """Of files, each read once."""

    def __init__(self):
        self.known = {}

    def of(self, path):
        if path not in self.known:
            self.known[path] = hashlib.sha256(path.read_bytes()).digest()
        return self.known[path]


def key(path, command, files, hashes, common):
    # The place of the tree and of what is built in it is nothing that clang-tidy would speak of.
    flags = [word for word in shlex.split(command) if str(ROOT) not in word]
    seen = hashlib.sha256(common + shlex.join(flags).encode() + str(path.relative_to(ROOT)).encode())
    for file in files:
        seen.update(hashes.of(file))
    return seen.hexdigest()


def check(tree, path, mark):
    """What clang-tidy finds in a source; nothing where that is known to be nothing."""
    if mark and mark.exists():
        return ""
    run = subprocess.run([TIDY, "--quiet", "-p", tree, path], capture_output=True, text=True)
    if run.returncode == 0:
        if mark:
            mark.touch()
        return ""
    return run.stdout + run.stderr


def main():
    tree = (ROOT / (sys.argv[1] if len(sys.argv) > 1 else "build/release")).resolve()
    CACHE.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    known, hashes = dependencies(tree), Hashes()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {}
        for path, command in sources(tree):
            mark = CACHE / key(path, command, known[path], hashes, common) if path in known else None
            runs[pool.submit(check, tree, path, mark)] = path
        failed = 0
        for run in concurrent.futures.as_completed(runs):
            if said := run.result():
                failed += 1
                print(f"{runs[run].relative_to(ROOT)}:\n{said}")
    print(f"{len(runs)} sources, {failed} with findings")
    return failed != 0 or not runs


if __name__ == "__main__":
    sys.exit(main())
