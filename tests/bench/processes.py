"""hkpd as whole processes: their processor time, and their peak memory."""

import os
import subprocess
import tempfile

# Values of the machines, as in machine.hpp; samples of a replay, and how often a process is started.
MACHINES = {"small": (60_600, 64, 5), "large": (5_000_000, 4, 1)}
# Rows of each form of log, and values per row, as in logs.hpp.
LOGS = {"blocks": (16, 60_600), "raw": (200, 1_000), "instances": (16, 20_000)}


def run(command):
    """Returns processor time in seconds, and peak memory in bytes."""
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


def measure_logs(build, folder):
    """Measures replays of logs: of some rows, and of 8 times as many, which must not take more memory."""
    found = {}
    for form, (rows, values) in LOGS.items():
        peaks = []
        for times in (1, 8):
            log = os.path.join(folder, f"{form}.blg")
            subprocess.run([f"{build}/tests/bench/make_log", form, str(times * rows), log], check=True)
            of_log = figures([f"{build}/tools/hkpd", "replay", "--format", "jsonl", log], 3, times * rows * values, 1)
            peaks.append(of_log["peak"])
            os.remove(log)
        found[f"replay_log_{form}", "small"] = {"ns": of_log["ns"], "growth": peaks[1] / peaks[0]}
    return found


def measure(build):
    """Returns the figures of `hkpd dump` and `hkpd replay`, by (case, input)."""
    hkpd, make_machine = f"{build}/tools/hkpd", f"{build}/tests/bench/make_machine"
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (values, samples, times) in MACHINES.items():
            one, raw, capture = (os.path.join(folder, file) for file in ("one.bin", "raw.bin", "run.mcap"))
            subprocess.run([make_machine, str(values), "1", one], check=True)
            subprocess.run([make_machine, str(values), str(samples), raw], check=True)
            subprocess.run([hkpd, "capture", raw, "-o", capture], check=True, stdout=subprocess.DEVNULL)
            blob = os.path.getsize(one)
            jsonl = ["--format", "jsonl"]
            found["dump", name] = figures([hkpd, "dump", *jsonl, one], times, values, blob)
            for case, file in (("replay_capture", capture), ("replay_raw", raw)):
                found[case, name] = figures([hkpd, "replay", *jsonl, file], times, values * samples, blob)
            os.remove(capture)
        found |= measure_logs(build, folder)
    return found
