#!/usr/bin/env python3
"""tidy.py BUILD_TREE REGEX: runs clang-tidy on the sources of a compilation database whose commands match REGEX.

A source that passed before, with the same text after preprocessing, the same checks and the same clang-tidy, is not checked
again; the list of those is kept in the user's cache directory. Exits with 1 if there is a finding.
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

# The commands are those of the compiler that builds, some of whose options Clang does not know.
TIDY = ["clang-tidy-19", "-quiet", "-extra-arg=-Wno-unused-command-line-argument"]
cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "hkpd" / "tidy"


def preprocessed(entry):
    """Returns the source with all that it includes and its comments, which may contain NOLINT, without paths."""
    command = shlex.split(entry["command"])
    output = command.index("-o")
    del command[output:output + 2]
    command.remove("-c")
    run = subprocess.run(command + ["-E", "-P", "-C"], cwd=entry["directory"], stdout=subprocess.PIPE, check=True)
    return run.stdout


def check(tree, entry, rules):
    """Returns the findings of clang-tidy in a source; nothing if it passes."""
    key = hashlib.sha256(rules + preprocessed(entry)).hexdigest()
    if (cache / key).exists():
        return None
    run = subprocess.run([*TIDY, "-p", tree, entry["file"]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode == 0:
        (cache / key).touch()
        return None
    return run.stdout


def main():
    tree, pattern = sys.argv[1:]
    cache.mkdir(parents=True, exist_ok=True)
    rules = pathlib.Path(".clang-tidy").read_bytes() + subprocess.check_output([*TIDY, "--version"])
    entries = [entry for entry in json.loads(pathlib.Path(tree, "compile_commands.json").read_text())
               if re.search(pattern, entry["command"])]
    if not entries:
        sys.exit(f"tidy.py: no command in {tree} matches {pattern}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [found for found in pool.map(lambda entry: check(tree, entry, rules), entries) if found is not None]
    print("\n".join(findings))
    print(f"{len(entries)} sources, {len(findings)} with findings")
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
