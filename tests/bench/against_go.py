#!/usr/bin/env python3
"""hkpd against a Go program as an agent's author writes it (go/): both as processes, from start to end, in one run."""

import json
import os
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

VALUES = 60_600
ROUNDS = 21
PIPE_READ = 1 << 18


def seconds(command, piped):
    """Runs a command. Returns its wall and processor time in seconds. Its output goes to /dev/null or into a pipe."""
    read, write = os.pipe() if piped else (None, os.open(os.devnull, os.O_WRONLY))
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)])
    os.close(write)
    if piped:
        while os.read(read, PIPE_READ):
            pass
        os.close(read)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    if status != 0:
        raise subprocess.CalledProcessError(os.waitstatus_to_exitcode(status), command)
    return wall, usage.ru_utime + usage.ru_stime


def medians(commands, piped=False):
    """Runs the commands in turn, ROUNDS times. Returns the median wall and processor time of each, by name."""
    runs = {name: [] for name in commands}
    for i in range(ROUNDS + 1):
        for name, command in commands.items():
            run = seconds(command, piped)
            if i > 0:  # the first round reads the programs from disk
                runs[name].append(run)
    return {name: [statistics.median(part) for part in zip(*of_one)] for name, of_one in runs.items()}


def lines(command):
    return map(json.loads, subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines())


def require_same_values(hkpd, go):
    """Fails unless both programs print the same values with the same names, in the same order."""
    fields = ("time", "machine", "object", "instance", "counter", "counter_index", "raw")
    def name_alone(line):
        """Returns the name as the object states it, as the Go program prints it: without `#n`, which hkpd adds where no
        id distinguishes instances."""
        name = line["instance"] or ""
        return name if line["pid"] is not None else re.sub("#[0-9]+$", "", name)

    of_hkpd = [tuple(name_alone(line) if name == "instance" else line[name] for name in fields) for line in lines(hkpd)]
    of_go = [tuple(line[name] for name in fields) for line in lines(go)]
    if of_hkpd != of_go or len(of_go) != VALUES:
        pairs = zip(of_hkpd, of_go)
        first = next(((one, other) for one, other in pairs if one != other), (len(of_hkpd), len(of_go)))
        sys.exit(f"against_go.py: expected the same {VALUES} values of both programs; first difference: {first}")


def write_small_blob(machine, path):
    """Writes the header and the first objects of a machine's blob, 5 KB, as a blob of its own."""
    with open(machine, "rb") as file:
        blob = bytearray(file.read())
    (end,) = struct.unpack_from("<I", blob, 24)  # HeaderLength
    objects = 0
    while end < 5000:
        end += struct.unpack_from("<I", blob, end)[0]  # TotalByteLength of an object
        objects += 1
    struct.pack_into("<III", blob, 20, end, struct.unpack_from("<I", blob, 24)[0], objects)
    with open(path, "wb") as file:
        file.write(blob[:end])


def build_go(folder):
    """Builds the Go program. Returns its path; none, and prints why, without a Go compiler."""
    if shutil.which("go") is None:
        print("against_go.py: no figures of the Go program: there is no `go` (Debian: golang-go)", file=sys.stderr)
        return None
    path = os.path.join(folder, "dump")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "go")
    environment = dict(os.environ, GOFLAGS="-mod=mod", GOPROXY="off", GOCACHE=os.path.join(folder, "cache"))
    subprocess.run(["go", "build", "-o", path, "."], check=True, cwd=source, env=environment)
    return path


def compared(commands, go, piped):
    """Returns how many times as much time the Go program takes: (wall, processor) by name."""
    times = medians(commands | {"go": go}, piped)
    wall, cpu = times.pop("go")
    ratios = {name: (wall / one[0], cpu / one[1]) for name, one in times.items()}
    return ratios, times, (wall, cpu)


def measure(build, commands):
    """Returns the figures by (case, input). `commands`: the path of each hkpd to measure, by name."""
    found = {}
    hkpd = next(iter(commands.values()))
    with tempfile.TemporaryDirectory() as folder:
        blob, small, titles = (os.path.join(folder, name) for name in ("one.bin", "small.bin", "Counter"))
        subprocess.run([f"{build}/tests/bench/make_machine", str(VALUES), "1", blob], check=True)
        subprocess.run([hkpd, "titles", "export", "--format", "multi_sz", "-o", titles], check=True)
        write_small_blob(blob, small)
        dump = ["dump", "--format", "jsonl"]
        for name, command in commands.items():
            starts = medians({"version": [command, "--version"], "blob": [command, *dump, small]})
            found[f"start_{name}", "small"] = {
                "version": starts["version"][0] * 1e3,
                "version_cpu": starts["version"][1] * 1e3,
                "blob_cpu": starts["blob"][1] * 1e3,
            }
        go = build_go(folder)
        if go is None:
            return found
        of_go = [go, titles, blob]
        require_same_values([hkpd, *dump, blob], of_go)
        decoding = subprocess.run([go, "-decode", "51", titles, blob], check=True, stdout=subprocess.PIPE).stdout
        found["go", "small"] = {"decode": float(decoding)}
        dumps = {name: [command, *dump, blob] for name, command in commands.items()}
        for to, piped in (("null", False), ("pipe", True)):
            ratios, times, (wall, cpu) = compared(dumps, of_go, piped)
            found["go", "small"] |= {f"{to}_wall": wall * 1e3, f"{to}_cpu": cpu * 1e3}
            for name, (of_wall, of_cpu) in ratios.items():
                found.setdefault((f"against_go_{name}", "small"), {}).update(
                    {
                        f"{to}_wall": of_wall,
                        f"{to}_cpu": of_cpu,
                        f"{to}_wall_ms": times[name][0] * 1e3,
                        f"{to}_cpu_ms": times[name][1] * 1e3,
                    }
                )
    return found


if __name__ == "__main__":
    # against_go.py BUILD NAME=HKPD...: the same without the other benchmarks.
    of_all = measure(sys.argv[1], dict(one.split("=", 1) for one in sys.argv[2:]))
    for (case, _), figures in of_all.items():
        for counter, figure in figures.items():
            print(f"{case} {counter}: {figure:.3g}")
