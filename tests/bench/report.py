#!/usr/bin/env python3
"""report.py HKPD [SAMPLES...]: time and peak memory of `hkpd report` against `hkpd replay --format csv`, for captures of a
simulated machine with these numbers of samples (default: 5760 23040 86400). Prints a line for each size: processor times
(the best of three), their ratio, and peak memory. Fails if the time of the largest is more than 1.2 times that of replay
plus the time of the smallest, if its memory is more than that of replay plus 256 MiB, or if a page has more than 2 MB."""

import os
import pathlib
import subprocess
import sys
import tempfile

MACHINE = ["--simulate", "--v1", "--processes", "25", "--threads", "50", "--interval", "1"]
MOST_MEMORY = 256  # MiB, for curves and statistics, however long the run is
MOST_PAGE = 2_000_000


def measure(command, attempts=3):
    """Returns the processor time in seconds and the peak memory in MiB of the best of several runs."""
    best = None
    for _ in range(attempts):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{' '.join(command)} failed")
        result = (used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
        best = min(best or result, result)
    return best


def main():
    hkpd = sys.argv[1]
    sizes = sorted(int(size) for size in sys.argv[2:]) or [5760, 23040, 86400]
    rows, failed = [], False
    with tempfile.TemporaryDirectory() as folder:
        for samples in sizes:
            run, page = pathlib.Path(folder, "run.mcap"), pathlib.Path(folder, "report.html")
            subprocess.run([hkpd, "capture", *MACHINE, "--count", str(samples), "-o", run], check=True)
            replay = measure([hkpd, "replay", run, "--format", "csv"])
            report = measure([hkpd, "report", run, "-o", page])
            rows.append((samples, *replay, *report, page.stat().st_size))
            print(f"{samples:6} samples: replay {replay[0]:6.2f} s {replay[1]:4.0f} MiB; report {report[0]:6.2f} s "
                  f"{report[1]:4.0f} MiB; ratio {report[0] / replay[0]:.2f}; page {rows[-1][-1] / 1e6:.2f} MB", flush=True)
            failed |= rows[-1][-1] > MOST_PAGE
    constant = rows[0][3]
    _, replay_time, replay_memory, report_time, report_memory, _ = rows[-1]
    failed |= report_time > 1.2 * replay_time + constant or report_memory > 1.2 * replay_memory + MOST_MEMORY
    print("MISSED" if failed else "held")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
