#!/usr/bin/env python3
"""by_hand.py HKPD: thresholds of PAL's three files on two real logs, worked out here by plain arithmetic from the values
that `hkpd replay` prints, against the findings of `hkpd check --rules FILE --format json`. No rule file is read here: the
limits are numbers that a person took from the files, and so is what each threshold finds. Exits with 77 if HKPD_SHARED_DIR
(or ../shared) has no logs, with 1 for each difference."""

import json
import math
import os
import pathlib
import subprocess
import sys

import replayed

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))
import missing

SHARED = pathlib.Path(os.environ.get("HKPD_SHARED_DIR") or ROOT.parent / "shared") / "data"
QUICK, SYSTEM, SQL = "QuickSystemOverview.xml", "SystemOverview.xml", "SQLServer2012.xml"
VISTA, WIN10 = "vista-2007-wildcards.blg", "win10-14393-counters.blg"
MB, GB = 1024 * 1024, 1024 * 1024 * 1024
ABOVE, AT_LEAST, BELOW = "above", "at least", "below"
NONE = {}

# File, log, rule, begin of the threshold's name, \object\counter, how and with which number values are compared, and the
# findings: for each instance the number of values beyond the limit.
LIMITS = [
    # The file's default for physical memory is 16 GB, in MB; the log has no counters of it.
    (QUICK, VISTA, "Memory Available MBytes", "Less than 10 percent", r"\Memory\Available MBytes", BELOW, 16 * 1024 * 0.10, {"": 11}),
    (QUICK, VISTA, "Memory Available MBytes", "Less than 5 percent", r"\Memory\Available MBytes", BELOW, 16 * 1024 * 0.05, {"": 11}),
    (QUICK, VISTA, "Processor % Processor Time", "More than 50%", r"\Processor\% Processor Time", ABOVE, 50, {"0": 4, "_Total": 4}),
    (QUICK, VISTA, "Processor % Processor Time", "More than 80%", r"\Processor\% Processor Time", ABOVE, 80, {"0": 2, "_Total": 2}),
    (QUICK, VISTA, "Processor % Privileged Time", "More than 20%", r"\Processor\% Privileged Time", ABOVE, 20, {"0": 7, "_Total": 7}),
    (QUICK, VISTA, "Processor % Privileged Time", "More than 30%", r"\Processor\% Privileged Time", ABOVE, 30, {"0": 5, "_Total": 5}),
    # One processor without _Total: the script subtracts one more and takes 1 instead of 0.
    (QUICK, VISTA, "System Processor Queue Length", "More than 2 ready", r"\System\Processor Queue Length", ABOVE, 2 * 1, {"": 2}),
    # The largest value is 10: not more than 10.
    (QUICK, VISTA, "System Processor Queue Length", "More than 10 ready", r"\System\Processor Queue Length", ABOVE, 10 * 1, NONE),
    (QUICK, VISTA, "PhysicalDisk Read Latency Analysis", "Greater than 15 ms", r"\PhysicalDisk\Avg. Disk sec/Read", ABOVE, 0.015, {"0 C:": 4}),
    (QUICK, VISTA, "PhysicalDisk Read Latency Analysis", "Greater than 25 ms", r"\PhysicalDisk\Avg. Disk sec/Read", ABOVE, 0.025, {"0 C:": 3}),
    (QUICK, VISTA, "PhysicalDisk Write Latency Analysis", "Greater than 15 ms", r"\PhysicalDisk\Avg. Disk sec/Write", ABOVE, 0.015, {"0 C:": 2}),
    (QUICK, VISTA, "PhysicalDisk Write Latency Analysis", "Greater than 25 ms", r"\PhysicalDisk\Avg. Disk sec/Write", ABOVE, 0.025, NONE),
    (QUICK, VISTA, "LogicalDisk Bytes/Write", "Greater than or equal to 64 KB", r"\LogicalDisk\Avg. Disk Bytes/Write", AT_LEAST, 64 * 1024, {"C:": 3}),
    (QUICK, VISTA, "LogicalDisk Avg. Disk Queue Length", "More than 2 IOs", r"\LogicalDisk\Avg. Disk Queue Length", ABOVE, 2, {"C:": 1}),
    # The other interface states 9,223,372,036,854,775,807 bits a second.
    (QUICK, VISTA, "Network Interface Current Bandwidth", "Less than 1 Gbps", r"\Network Interface\Current Bandwidth", BELOW, 1000000000,
     {"VIA Rhine II Fast Ethernet Adapter": 11}),
    (QUICK, WIN10, "Memory % Committed Bytes In Use", "More than 80%", r"\memory\% committed bytes in use", ABOVE, 80, {"": 25}),
    (QUICK, WIN10, "Memory % Committed Bytes In Use", "More than 90%", r"\memory\% committed bytes in use", ABOVE, 90, NONE),
    (QUICK, WIN10, "Processor % Processor Time", "More than 50%", r"\processor\% processor time", ABOVE, 50, NONE),
    (SYSTEM, VISTA, "Process IO Data Operations/sec", "More than 100 ", r"\Process\IO Data Operations/sec", ABOVE, 100, {"AppSvc32": 1}),
    (SYSTEM, VISTA, "Process IO Data Operations/sec", "More than 1000 ", r"\Process\IO Data Operations/sec", ABOVE, 1000, NONE),
    # Two instances of Processor with _Total, less one: one processor, of whose time 10 % is the limit.
    (SYSTEM, VISTA, "Process % Privileged Time", "More than 10%", r"\Process\% Privileged Time", ABOVE, (2 - 1) * 10, {"mmc": 1}),
    (SYSTEM, VISTA, "Process % Processor Time", "More than 50%", r"\Process\% Processor Time", ABOVE, (2 - 1) * 50, NONE),
    (SYSTEM, VISTA, "Process Private Bytes", "More than 1 GB", r"\Process\Private Bytes", ABOVE, 1 * GB, NONE),
    (SYSTEM, VISTA, "Process Thread Count", "More than 1000", r"\Process\Thread Count", ABOVE, 1000, NONE),
    # Inherited twice: SQLServer2012.xml has SystemOverview.xml, which has QuickSystemOverview.xml.
    (SQL, WIN10, "Memory % Committed Bytes In Use", "More than 80%", r"\memory\% committed bytes in use", ABOVE, 80, {"": 25}),
    (SQL, VISTA, "LogicalDisk Avg. Disk sec/Transfer", "Greater than 25 ms", r"\LogicalDisk\Avg. Disk sec/Transfer", ABOVE, 0.025, {"C:": 2}),
]

# The same for trends: the limit in units per hour, and the slope of each finding, rounded.
TRENDS = [
    (SYSTEM, VISTA, "Process Handle Count", "Increasing trend", r"\Process\Handle Count", 100,
     {"SearchIndexer": 220, "WmiPrvSE": 198, "rundll32:580": 990}),
    (SYSTEM, VISTA, "Process Thread Count", "Increasing trend", r"\Process\Thread Count", 100, NONE),
    (SYSTEM, VISTA, "Process Private Bytes", "Increasing trend", r"\Process\Private Bytes", 100 * MB, NONE),
    (SQL, VISTA, "Process Handle Count", "Increasing trend", r"\Process\Handle Count", 100,
     {"SearchIndexer": 220, "WmiPrvSE": 198, "rundll32:580": 990}),
    # The slope of a counter that stays at 0 is 0.
    (QUICK, VISTA, "TCPv4 Connection Failures", "More than 10 TCP", r"\TCPv4\Connection Failures", 10, NONE),
]

EXCLUDED = {"\\Process": {"_Total", "Idle"}, "\\LogicalDisk": {"_Total"}, "\\PhysicalDisk": {"_Total"}, "\\Network Interface": {"_Total"}}
# QuickSystemOverview.xml asks for _Total of Process alone, SystemOverview.xml for all others.
HOUR = 3600 * 1000


class Check:
    def __init__(self, hkpd):
        self.hkpd, self.runs, self.results, self.differ, self.compared = hkpd, {}, {}, 0, 0

    def run(self, log):
        if log not in self.runs:
            self.runs[log] = replayed.Run(self.hkpd, [SHARED / "blg" / log])
        return self.runs[log]

    def result(self, file, log):
        if (file, log) not in self.results:
            command = [self.hkpd, "check", "--rules", str(SHARED / "pal" / file), "--format", "json", str(SHARED / "blg" / log)]
            found = subprocess.run(command, capture_output=True, check=False)
            if found.returncode not in (0, 1):
                sys.exit(f"{' '.join(command)} ends with {found.returncode}: {found.stderr.decode()}")
            (rules,) = json.loads(found.stdout)["rules"]  # one for each input
            if (found.returncode == 1) != bool(rules["findings"]):
                self.differ += 1
                print(f"{file}, {log}: exit code {found.returncode} with {len(rules['findings'])} findings")
            self.results[(file, log)] = rules["findings"]
        return self.results[(file, log)]

    def equal(self, what, found, expected, tolerance=0.0):
        self.compared += 1
        if found == expected:
            return
        if isinstance(found, (int, float)) and isinstance(expected, (int, float)) and abs(found - expected) <= tolerance:
            return
        self.differ += 1
        print(f"{what}: {found!r}, expected {expected!r}")

    def findings(self, file, log, rule, threshold):
        """Returns the findings of one threshold by instance."""
        chosen = [f for f in self.result(file, log) if f["rule"] == rule and f["threshold"].startswith(threshold)]
        self.equal(f"{file}, {log}: {rule}, {threshold}: findings", len(chosen), len({f["instance"] for f in chosen}))
        return {f["instance"] or "": f for f in chosen}

    def values(self, log, path):
        """Returns the times and values of a counter for each instance, without totals. A name may be that of two instances
        one after the other: processes with equal names."""
        _, name, counter = path.split("\\")
        found = []
        for series in self.run(log).series.values():
            if (series.object, series.counter) == (name, counter) and series.instance not in EXCLUDED.get("\\" + name, ()):
                found.append((series.instance, series.present()))
        assert found, f"{log} has no {path}"
        return found

    def limit(self, file, log, rule, threshold, path, how, limit, fires):
        what = f"{file}, {log}: {rule}, {threshold}"
        beyond = {}
        for instance, values in self.values(log, path):
            over = [(time, value) for time, value in values
                    if (how == ABOVE and value > limit) or (how == AT_LEAST and value >= limit) or (how == BELOW and value < limit)]
            if over:
                assert instance not in beyond, f"{what}: two instances {instance}"
                beyond[instance] = (values, over)
        self.equal(f"{what}: worked out", {instance: len(over) for instance, (_, over) in beyond.items()}, fires)
        found = self.findings(file, log, rule, threshold)
        self.equal(f"{what}: instances", sorted(found), sorted(beyond))
        for instance in found.keys() & beyond.keys():
            self.numbers(f"{what}: {instance or 'the counter'}", log, found[instance], limit, how, *beyond[instance])

    def numbers(self, what, log, found, limit, how, values, over):
        (times,) = self.run(log).times.values()
        length = {times[i]: times[i] - times[i - 1] for i in range(1, len(times))}
        length[times[0]] = 0  # there is no sample in front of the first
        worst = min(value for _, value in over) if how == BELOW else max(value for _, value in over)
        self.equal(f"{what}: limit", found["limit"], limit, abs(limit) * 1e-12)
        self.equal(f"{what}: number of values", found["values"], len(values))
        self.equal(f"{what}: values beyond", found["exceeding"], len(over))
        self.equal(f"{what}: seconds", found["seconds"], sum(length[time] for time, _ in values) / 1000, 0.02)
        self.equal(f"{what}: seconds beyond", found["exceeding_seconds"], sum(length[time] for time, _ in over) / 1000, 0.02)
        self.equal(f"{what}: first", replayed.milliseconds(found["first"]), over[0][0])
        self.equal(f"{what}: last", replayed.milliseconds(found["last"]), over[-1][0])
        self.equal(f"{what}: worst", found["worst"], worst, abs(worst) * 1e-12)
        self.equal(f"{what}: its time", replayed.milliseconds(found["worst_time"]), next(t for t, v in over if v == worst))
        self.equal(f"{what}: slope", found.get("slope"), None)

    def trend(self, file, log, rule, threshold, path, limit, fires):
        what = f"{file}, {log}: {rule}, {threshold}"
        steeper = {}
        for instance, values in self.values(log, path):
            count = len(values)
            if count < 2:
                continue
            middle = sum(time - values[0][0] for time, _ in values) / count
            mean = math.fsum(value for _, value in values) / count
            spread = sum((time - values[0][0] - middle) ** 2 for time, _ in values)
            if spread == 0:
                continue
            slope = math.fsum((time - values[0][0] - middle) * (value - mean) for time, value in values) / spread * HOUR
            if slope > limit:
                assert instance not in steeper, f"{what}: two instances {instance}"
                steeper[instance] = slope
        self.equal(f"{what}: worked out", {instance: round(slope) for instance, slope in steeper.items()}, fires)
        found = self.findings(file, log, rule, threshold)
        self.equal(f"{what}: instances", sorted(found), sorted(steeper))
        for instance in found.keys() & steeper.keys():
            self.equal(f"{what}: {instance}: slope", found[instance]["slope"], steeper[instance], abs(steeper[instance]) * 1e-9)
            self.equal(f"{what}: {instance}: limit", found[instance]["limit"], limit)


def main():
    if not (SHARED / "pal" / QUICK).exists() or not (SHARED / "blg" / VISTA).exists():
        return missing.shared()
    check = Check(sys.argv[1])
    for case in LIMITS:
        check.limit(*case)
    for case in TRENDS:
        check.trend(*case)
    fire = sum(bool(case[-1]) for case in LIMITS + TRENDS)
    print(f"{len(LIMITS) + len(TRENDS)} thresholds, {fire} of them exceeded; {check.compared} comparisons, {check.differ} differ")
    return 1 if check.differ or len(LIMITS) + len(TRENDS) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
