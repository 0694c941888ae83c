#!/usr/bin/env python3
"""planted.py FOLDER [--seed S] [--count N] [--hours H] [--plans NAME...]: writes logs of PerfMon with a planted cause, and their plans.

NAME-SEED.csv is a PDH-CSV log of a machine (machine.py) with a healthy background: noise, a daily rhythm, a backup, a log
rotation, a cache that fills, a garbage collector, processes that come and go, PIDs that are used again. NAME-SEED.json next to
it is the plan: the cause, its process, disk or interface, from when to when, its peak, and what each process used according to
the log. Seeds differ in all that may differ: names, zone, time of day, processors (1 to 64), memory, disks, interfaces, counters
that the log has, and magnitudes. The same seed gives the same bytes. --count N: N seeds from S on; --hours: length (8).

    cause       what is planted                                          a log without it
    processor   one process uses what is left of all processors for 12   healthy_idle, healthy_busy: 60 % of the
                minutes and ends; another uses more in total             processors, nothing is at its limit
    growth      private bytes of a service that restarts three times
    handles     handles of a process
    disk        one of three or four disks, by one process's I/O
    memory      a process takes all of it; pages are read from disk
    network     one interface above 90 % of its bandwidth
"""

import argparse
import json
import pathlib
import random
import sys
import time
import zlib

import courses
import machine as machines
import pdh_log

MIB = machines.MIB


def iso(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"


class Planting:
    """The log and plan of one cause, drawn from a seed."""

    def __init__(self, name, seed, hours):
        self.name, self.seed = name, seed
        self.rng = random.Random(zlib.crc32(name.encode()) ^ seed * 7919)
        load = {"healthy_idle": self.rng.uniform(0.02, 0.06), "healthy_busy": self.rng.uniform(0.56, 0.62)}.get(name, self.rng.uniform(0.08, 0.30))
        self.machine = machines.Machine(self.rng.randrange(1 << 30), hours, load)
        self.process, self.lives, self.instance, self.numbers, self.also = None, [], None, {}, []
        self.first, self.last, self.peak = 0, self.machine.rows - 1, None
        self.cause, plant = CAUSES[name]
        plant(self)
        self.machine.bursts()

    def window(self, minutes):
        """Returns the first row and the row after the last of a time of this length in the middle of the log."""
        machine = self.machine
        length = min(machine.row_of(minutes / 60), machine.rows // 5)
        self.first = self.rng.randrange(int(machine.rows * 0.22), int(machine.rows * 0.78) - length)
        self.last = self.first + length - 1
        margin = machine.row_of(0.1)
        machine.quiet.append((self.first - margin, self.last + margin))
        return self.first, self.last + 1

    def peak_of(self, course):
        """Takes the row of the largest value in the middle third of the time as peak."""
        third = (self.last - self.first) // 3
        self.peak = max(range(self.first + third, self.last - third + 1), key=lambda row: course[row])

    def add(self, cpu, private, handles, io, born=0, died=None, name=None):
        """Adds the planted process, or one of its lives. Its name may be that of others."""
        machine, rng = self.machine, self.rng
        if name is None:
            name = rng.choice([rng.choice(machine.free_names)] * 3 + [rng.choice(machine.applications).name, "svchost"])
        process = machine.background(name, 0, private, handles, 0, born=born, died=died)
        process.cpu = courses.level(rng, machine.rows, cpu, 0.4, 0.4)
        process.io = courses.level(rng, machine.rows, io, 0.5, 0.4)
        self.process = process
        self.lives.append(process)
        return process

    def cpu_hog_that_dies(self):
        machine, rng = self.machine, self.rng
        first, end = self.window(12)
        hog = self.add(0, machine.memory * rng.uniform(0.004, 0.02), rng.randrange(100, 900), 2000, born=first, died=end)
        share = rng.uniform(0.972, 0.998)
        squeezed = rng.uniform(0.75, 1.0)
        lasting = max(0.07, 1.6 * 0.8 * (end - first) / machine.rows)
        worker = machine.applications[0]
        worker.cpu = courses.level(rng, machine.rows, 100 * machine.processors * lasting, 0.12, 0.5)
        for process in machine.processes:
            if process is not hog:
                process.cpu = process.cpu[:first] + [value * squeezed for value in process.cpu[first:end]] + process.cpu[end:]
        hog.cpu = machine.zeros[:]
        wobble = courses.noise(rng, machine.rows, 0.3)
        for row in range(first, end):
            others = sum(process.cpu[row] for process in machine.processes if process.lives(row))
            hog.cpu[row] = max(0.0, 100 * machine.processors * min(1.0, share + 0.004 * wobble[row]) - others)
        ready = rng.uniform(1.5, 6) * machine.processors + 2
        for row in range(first, end):
            machine.waiting[row] = int(max(machine.processors, 2, ready * (1 + 0.25 * wobble[row])))
        self.peak_of(hog.cpu)
        self.worker = worker

    def leak_with_restarts(self):
        machine, rng = self.machine, self.rng
        base = min(machine.memory * 0.03, rng.uniform(60, 500) * MIB)
        per_life = min(base * rng.uniform(0.8, 3), machine.memory * 0.10)
        edges = [0] + sorted(int(machine.rows * (part + rng.uniform(-0.03, 0.03))) for part in (0.25, 0.5, 0.75)) + [machine.rows]
        per_row = per_life / (machine.rows / 4)
        name = None
        for begin, end in zip(edges, edges[1:]):
            born = begin + (rng.randrange(0, 4) if begin else 0)
            process = self.add(4, base, rng.randrange(300, 900), 20e3, born=born, died=end, name=name)
            name = process.name
            process.private = [0] * born + [a + b for a, b in zip(courses.line(machine.rows - born, base, per_row),
                                                                 courses.level(rng, machine.rows - born, base * 0.02, 0.5))]
        self.process = self.lives[-1]
        longest = max(self.lives, key=lambda process: process.private[process.died - 1])
        self.peak = longest.died - 1
        self.numbers["growth_per_hour"] = per_row * 3600 / machine.interval

    def handle_leak(self):
        machine, rng = self.machine, self.rng
        start = rng.randrange(300, 2500)
        leaked = rng.uniform(2500, 30000) if machine.hours > 3 else rng.uniform(1500, 6000)
        process = self.add(2, rng.uniform(120, 500) * MIB, start, 9e3)
        process.handles = [a + b for a, b in zip(courses.line(machine.rows, start, leaked / (machine.rows - 1)),
                                                 courses.level(rng, machine.rows, start * 0.03, 0.5))]
        process.private = [a + 180 * b for a, b in zip(process.private, process.handles)]
        self.peak = max(range(machine.rows), key=lambda row: process.handles[row])
        self.numbers["growth_per_hour"] = leaked / (machine.rows - 1) * 3600 / machine.interval

    def disk_queue(self):
        machine, rng = self.machine, self.rng
        first, end = self.window(rng.uniform(20, 60))
        disk = rng.choice(machine.disks)
        whole = rng.random() < 0.5  # or a process that is there only while the disk is busy
        process = self.add(3, machine.memory * 0.01, rng.randrange(150, 900), 4e3, *((0, None) if whole else (first - 1, end + 1)))
        process.disk, process.disk_share = disk, 1.0
        speed = disk.speed * rng.choice([0.9, 0.6, 0.15])  # large blocks, or small ones all over the disk
        waiting = rng.uniform(6, 40)
        wobble, queue = courses.noise(rng, machine.rows, 0.5), courses.noise(rng, machine.rows, 0.6)
        for other in machine.processes:
            if other.disk is disk and other is not process:
                other.io = other.io[:first] + [value * 0.3 for value in other.io[first:end]] + other.io[end:]
        for row in range(first, end):
            moved = speed * (1 + 0.05 * wobble[row])
            others = sum(p.io[row] * p.disk_share for p in machine.processes if p.disk is disk and p is not process and p.lives(row))
            process.io[row] = max(0.75 * moved, moved - others)
            process.cpu[row] += min(40, speed / 12e6)
            disk.full[row] = (process.io[row] + others, max(3.0, waiting * (1 + 0.2 * queue[row])), abs(wobble[row]) * 0.6)
        self.instance = disk.name
        self.peak_of([disk.full.get(row, (0, 0))[1] for row in range(machine.rows)])
        self.numbers.update(bytes_per_second=sum(disk.full[row][0] for row in range(first, end)) / (end - first),
                            queue_length=sum(disk.full[row][1] for row in range(first, end)) / (end - first))

    def paging(self):
        machine, rng = self.machine, self.rng
        self.also = ["disk", "growth"]
        first, end = self.window(rng.uniform(40, 90))
        ramp = (end - first) // 3
        base = machine.memory * 0.02
        process = self.add(min(20, 6 * machine.processors), base, rng.randrange(200, 900), 30e3, *rng.choice([(0, None), (first - 2, end)]))
        process.resident = 0.95
        taken = [machine.kernel + sum(p.private[row] * p.resident for p in machine.processes if p is not process and p.lives(row))
                 for row in range(machine.rows)]
        free = (machine.memory - taken[first + ramp]) / process.resident
        low = min(machine.memory * 0.015, rng.uniform(90, 500) * MIB)
        wobble, pages = courses.noise(rng, machine.rows, 0.5), rng.uniform(900, 6000)
        others = sum(p.private[first] for p in machine.processes if p is not process) + machine.kernel
        most = min(free * rng.uniform(1.05, 1.25), machine.commit_limit * 0.96 - others)
        most = max(most, free * 1.005)
        machine.commit_limit = max(machine.commit_limit, courses.pages([(most + others) * 1.03])[0])
        for row in range(first, end):
            process.private[row] = base + (most - base) * min(1.0, (row - first) / ramp)
        disk = machine.disks[0]
        started = None
        for row in range(first, end):
            if machine.memory - taken[row] - process.private[row] * process.resident < low:
                started = row if started is None else started
                read = pages * max(0.4, 1 + 0.25 * wobble[row])
                machine.shortage[row] = (low * (0.75 + 0.2 * min(1.0, abs(wobble[row]))), read)
                disk.full[row] = (min(disk.speed, read * 4096 * 1.7), 2.5 + abs(wobble[row]), 8 + 6 * min(1.0, abs(wobble[row])))
        self.first = started
        self.peak_of([machine.shortage.get(row, (0, 0))[1] for row in range(machine.rows)])

    def network_saturation(self):
        machine, rng = self.machine, self.rng
        first, end = self.window(rng.uniform(25, 60))
        interface = rng.choice(machine.interfaces[:-1])
        process = self.add(5, machine.memory * 0.01, rng.randrange(150, 1500), 3e3)
        moved = "other" if machine.has_other and rng.random() < 0.4 else "io"
        course = getattr(process, moved)[:]
        wobble, share = courses.noise(rng, machine.rows, 0.5), rng.uniform(0.935, 0.975)
        interface.sent = rng.choice([0.02, 0.98])
        for row in range(first, end):
            total = interface.bandwidth / 8 * (share + 0.006 * max(-3.0, min(3.0, wobble[row])))
            course[row] = total * 0.95 - interface.bytes[row] * 0.2 if interface.bytes[row] * 0.2 < total * 0.1 else total * 0.88
            interface.bytes[row] = total
            process.cpu[row] += min(60, total / 4e6)
        setattr(process, moved, course)
        server = machine.applications[0]
        for other in machine.applications:  # else a disk that is faster than the interface would hide who used it
            most = interface.bandwidth / 8 * 0.6
            for kind in ("io", "other"):
                largest = max(getattr(other, kind)[first:end])
                if other is not process and largest > most:
                    setattr(other, kind, [value * most / largest for value in getattr(other, kind)])
        if interface is machine.interfaces[0]:
            for kind in ("io", "other"):
                getattr(server, kind)[first:end] = [value * 0.2 for value in getattr(server, kind)[first:end]]
        self.instance = interface.name
        self.peak_of(interface.bytes)
        self.numbers["percent_of_bandwidth"] = 100 * sum(interface.bytes[first:end]) / (end - first) / (interface.bandwidth / 8)

    def healthy(self):
        """Plants nothing."""

    def log(self):
        """Returns the log, whose counters depend on the seed: never without those that show the cause."""
        rng, left_out = self.rng, []
        for counters, needed in [(["LogicalDisk"], ()), (["Memory\\Cache Bytes"], ()), (["System\\Processes", "System\\Context Switches/sec"], ()),
                                 (["PhysicalDisk\\% Disk Time"], ()), (["PhysicalDisk\\Current Disk Queue Length"], ()), (["PhysicalDisk\\% Idle Time"], ("disk",)),
                                 (["Memory\\Pages/sec"], ()), (["Memory\\Committed Bytes"], ()), (["Network Interface\\Output Queue Length"], ()),
                                 (["System\\Processor Queue Length"], ("processor",)), (["Process\\Working Set"], ("memory",)),
                                 (["Network Interface\\Bytes Sent/sec", "Network Interface\\Bytes Received/sec"], ())]:
            if self.seed and rng.random() < 0.15 and self.cause not in needed:
                left_out += counters
        information = self.seed and rng.random() < 0.25
        return pdh_log.Log(self.machine, left_out, rng.choice(["MBytes", "MBytes", "KBytes", "Bytes"]), "Processor Information" if information else "Processor")

    def plan(self, log):
        """Returns the plan as values of JSON, after the log was made."""
        machine, times = self.machine, self.machine.times
        lives = [self.numbers_of(process) for process in machine.processes]
        result = {"plan": self.name, "seed": self.seed, "cause": self.cause, "process": None, "pid": None, "pids": [], "instance": self.instance,
                  "from": None, "to": None, "peak": None, "also": self.also, "numbers": self.numbers, "counters_left_out": sorted(log.left_out),
                  "processors": machine.processors, "memory": machine.memory, "utc_bias_minutes": machine.bias, "interval": machine.interval,
                  "samples": machine.rows, "processes": lives}
        if self.cause == "none":
            result["from"], result["to"], result["peak"] = iso(times[0]), iso(times[-1]), iso(times[machine.rows // 2])
            return result
        result.update({"process": self.process.name, "pid": self.process.pid, "pids": [process.pid for process in self.lives],
                       "from": iso(times[self.first]), "to": iso(times[self.last]), "peak": iso(times[self.peak])})
        if self.cause == "processor":
            self.numbers["processor_seconds"] = self.numbers_of(self.process)["cpu_seconds"]
            self.numbers["lasting"] = {"process": self.worker.name, "pid": self.worker.pid, "processor_seconds": self.numbers_of(self.worker)["cpu_seconds"]}
        if self.cause == "memory":
            span = range(self.first, self.last + 1)
            self.numbers.update(available_bytes=min(log.available[row] for row in span), private_bytes=max(self.process.private[row] for row in span),
                                pages_input_per_second=sum(log.read[row] for row in span) / len(span))
        if self.cause == "growth":
            self.numbers["lives"] = [{"pid": process.pid, "from": iso(times[process.born]), "to": iso(times[process.died - 1])} for process in self.lives]
        return result

    def numbers_of(self, process):
        """Returns what the log has of a process: seconds of processor time, and the largest values with their first times."""
        machine = self.machine
        rows = range(process.born, process.died)
        rated = [row for row in rows if row not in process.unrated]
        result = {"process": process.name, "pid": process.pid, "first": iso(machine.times[process.born]), "last": iso(machine.times[process.died - 1]),
                  "cpu_seconds": sum(process.cpu[row] / 100 * machine.lengths[row] for row in rated)}
        for name, course, taken in [("cpu", process.cpu, rated), ("private", process.private, rows), ("working_set", process.working, rows),
                                    ("handles", process.handles, rows), ("io", process.io, rated)]:
            if taken:
                row = max(taken, key=lambda index: course[index])
                result[f"{name}_max"], result[f"{name}_max_time"], result[f"{name}_last"] = course[row], iso(machine.times[row]), course[taken[-1]]
        return result


CAUSES = {"cpu_hog_that_dies": ("processor", Planting.cpu_hog_that_dies), "leak_with_restarts": ("growth", Planting.leak_with_restarts),
          "handle_leak": ("handles", Planting.handle_leak), "disk_queue": ("disk", Planting.disk_queue), "paging": ("memory", Planting.paging),
          "network_saturation": ("network", Planting.network_saturation), "healthy_idle": ("none", Planting.healthy),
          "healthy_busy": ("none", Planting.healthy)}


def write(folder, name, seed, hours):
    """Writes a log and its plan into a folder, and returns the path of the log."""
    planting = Planting(name, seed, hours)
    log = planting.log()
    path = pathlib.Path(folder) / f"{name}-{seed}.csv"
    log.write(path)
    path.with_suffix(".json").write_text(json.dumps(planting.plan(log), indent=1) + "\n", encoding="utf-8")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--hours", type=float, default=8)
    parser.add_argument("--plans", nargs="+", choices=CAUSES, default=list(CAUSES), metavar="NAME")
    arguments = parser.parse_args()
    if not 1 <= arguments.hours <= 48:
        sys.exit(f"planted.py: --hours: expected 1 to 48, found {arguments.hours}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        for name in arguments.plans:
            start = time.process_time()
            path = write(arguments.folder, name, seed, arguments.hours)
            print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {time.process_time() - start:.1f} s")


if __name__ == "__main__":
    main()
