"""hkpd as whole processes: their processor time, and their peak memory."""

import os
import subprocess
import tempfile

# Values of the machines, as machine.hpp has them; samples of a replay, and how often a process is started.
MACHINES = {"small": (60_600, 64, 5), "large": (5_000_000, 4, 1)}


def run(command):
    """Seconds on a processor, and bytes of the most memory it ever had."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def figures(command, times, values, blob):
    runs = sorted(run(command) for _ in range(times))
    return {
        "ns": runs[times // 2][0] * 1e9 / values,
        "peak": max(peak for _, peak in runs) / blob,
    }


def measure(build):
    """The figures of `hkpd dump` and `hkpd replay`, by (case, input)."""
    hkpd, make_machine = f"{build}/tools/hkpd", f"{build}/tests/bench/make_machine"
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (values, samples, times) in MACHINES.items():
            one, raw, capture = (os.path.join(folder, file) for file in ("one.bin", "raw.bin", "run.mcap"))
            subprocess.run([make_machine, str(values), "1", one], check=True)
            subprocess.run([make_machine, str(values), str(samples), raw], check=True)
            subprocess.run([hkpd, "capture", "--from", raw, "-o", capture], check=True, stdout=subprocess.DEVNULL)
            blob = os.path.getsize(one)
            jsonl = ["--format", "jsonl"]
            found["dump", name] = figures([hkpd, "dump", *jsonl, one], times, values, blob)
            for case, file in (("replay_capture", capture), ("replay_raw", raw)):
                found[case, name] = figures([hkpd, "replay", *jsonl, file], times, values * samples, blob)
            os.remove(capture)
    return found
