#!/usr/bin/env python3
"""compare.py HKPD OTHER [--system FOLDER] [--shared FOLDER] [--share N]: runs every command of commands.py with two builds of
hkpd, and compares output, messages and exit codes byte for byte. OTHER runs in the root directory FOLDER, where the tree
has the same path. Prints how many commands were compared and a line for each that differs; exits with 1 if one differs,
or if less than a tenth of them succeeded."""
import argparse
import concurrent.futures
import difflib
import hashlib
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # no cache of the next module in the tree
from commands import all_commands  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
MADE = "/tmp/hkpd-platform"  # what commands write; not the same folder in both systems
TIMEOUT_S = 900  # by qemu, on a busy machine
MOST_LINES = 12  # of each difference
MOST_KEPT = 1 << 17  # bytes


def enter(system):
    """Makes `system` the root directory of this process."""
    if system:
        os.chroot(system)
    os.chdir(ROOT)
    os.makedirs(MADE, exist_ok=True)


def kept(text):
    """Returns the digest of an output, and its beginning, which is what differences are shown of."""
    return hashlib.sha256(text).digest(), text[:MOST_KEPT]


def run(hkpd, number, commands):
    """Returns exit code, output and messages of each command, the latter two as `kept` returns them."""
    made = pathlib.Path(MADE, str(number))
    results = []
    environment = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/root", "PATH": "/usr/bin:/bin"}
    for words in commands:
        done = subprocess.run([hkpd, *(word.replace("{}", str(made)) for word in words)], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT_S, check=False, env=environment)
        results.append((done.returncode, *kept(done.stdout), *kept(done.stderr)))
    made.unlink(missing_ok=True)
    return results


def shown_difference(wanted, found):
    """Returns lines that show where two results of a command differ."""
    lines = [] if wanted[0] == found[0] else [f"exit code: expected {wanted[0]}, found {found[0]}"]
    for a, b in ((wanted[2], found[2]), (wanted[4], found[4])):
        pair = [text.decode(errors="backslashreplace").splitlines() for text in (a, b)]
        lines += [line[:300] for line in difflib.unified_diff(*pair, "x86-64", "here", lineterm="", n=0)]
    return lines[:MOST_LINES] or [f"after {MOST_KEPT} bytes"]


def differences(commands, wanted, found):
    """Returns the lines to print for the commands of a run that differ."""
    lines = []
    for words, a, b in zip(commands, wanted, found):
        if a != b:
            lines += ["differs: hkpd " + " ".join(words), *("    " + line for line in shown_difference(a, b))]
    return lines


def results_of(hkpd, system, runs):
    """Yields the results of each run, in order, from processes in the system."""
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count(), initializer=enter, initargs=(system,)) as pool:
        yield from pool.map(run, [hkpd] * len(runs), range(len(runs)), runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hkpd")
    parser.add_argument("other")
    parser.add_argument("--system", help="the root directory in which the other build runs")
    parser.add_argument("--shared", default="", help="the folder of the real data")
    parser.add_argument("--share", type=int, default=1, help="compare every N-th run of commands only")
    options = parser.parse_args()
    enter(None)
    hkpd, other = (str(ROOT / command) for command in (options.hkpd, options.other))
    runs = all_commands(options.shared)[::options.share]
    differing = succeeded = 0
    both = zip(runs, results_of(hkpd, None, runs), results_of(other, options.system, runs))
    for commands, wanted, found in both:
        succeeded += all(code in (0, 1) for code, *_ in wanted)
        lines = differences(commands, wanted, found)
        differing += sum(line.startswith("differs: ") for line in lines)
        if lines:
            print("\n".join(lines), flush=True)
    compared = sum(len(commands) for commands in runs)
    print(f"{compared} commands compared, {differing} differ")
    if succeeded * 10 < len(runs):
        print(f"only {succeeded} of {len(runs)} runs succeeded: these commands prove nothing")
        return 1
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
