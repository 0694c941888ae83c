"""The log of a machine (machine.py) as PerfMon writes it: PDH-CSV with a column for each counter and instance, times of the
machine's zone, values to 17 digits, and " " where there is no value: rates in the first row, processes that do not live."""

import datetime

import courses

ABSENT = '" "'
TICK = 1.5625  # seconds of 100 ticks of the clock by which processes are charged


def texts(values):
    return [f'"{value:.17g}"' for value in values]


def rate_texts(values):
    """As `texts`, of a rate, which the first row does not have."""
    result = texts(values)
    result[0] = ABSENT
    return result


class Log:
    """`left_out`: names of objects and of `Object\\Counter` that this log does not have."""

    def __init__(self, machine, left_out=(), memory_unit="MBytes", processor_object="Processor"):
        self.machine, self.left_out, self.memory_unit, self.processor_object = machine, set(left_out), memory_unit, processor_object
        self.columns = []  # (path, texts)
        self._charge()
        self._processors(), self._memory(), self._disks(), self._interfaces(), self._processes()

    def add(self, thing, counter, instance, cells):
        """Adds a column with these texts of its cells, if the log has the counter."""
        if thing not in self.left_out and f"{thing}\\{counter}" not in self.left_out:
            self.columns.append((f"\\\\{self.machine.host}\\{thing}{f'({instance})' if instance else ''}\\{counter}", cells))

    def write(self, path):
        machine = self.machine
        shift = datetime.timedelta(minutes=machine.bias)
        times = [f'"{local:%m/%d/%Y %H:%M:%S}.{local.microsecond // 1000:03}"' for local in (time - shift for time in machine.times)]
        heads = [f'"(PDH-CSV 4.0) ({machine.zone})({machine.bias})"'] + [f'"{head}"' for head, _ in self.columns]
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(",".join(heads) + "\r\n")
            file.writelines(",".join(row) + "\r\n" for row in zip(times, *(cells for _, cells in self.columns)))

    def _charge(self):
        """Turns processor time into whole ticks, of which no more exist than processors have, and adds it up."""
        machine = self.machine
        lengths = machine.lengths[:]
        lengths[0] = machine.interval
        tick = [TICK / length for length in lengths]
        used = machine.zeros[:]
        for process in machine.processes:
            course = machine.zeros[:]
            for row in range(process.born, process.died):
                course[row] = int(process.cpu[row] / tick[row] + 0.5) * tick[row]
            process.cpu = course
            used = [a + b for a, b in zip(used, course)]
        everything = 100.0 * machine.processors
        for row, value in enumerate(used):
            while value > everything - tick[row]:
                over = max((p for p in machine.processes if p.lives(row)), key=lambda p: p.cpu[row])
                less = min(over.cpu[row], (int((value - everything) / tick[row]) + 2) * tick[row])
                over.cpu[row] -= less
                value -= less
            used[row] = value
        self.used = used

    def _processors(self):
        machine, thing, count = self.machine, self.processor_object, self.machine.processors
        share = [value / count for value in self.used]
        prefix = "0," if thing == "Processor Information" else ""
        # What one processor is above the mean, another is below.
        lean = courses.noise(machine.rng, machine.rows, 0.5)
        for number in range(count):
            side = 0 if number == count - 1 and count % 2 else (1 if number % 2 else -1) * (0.2 + 0.6 * (number // 2 * 2 + 1) / count)
            cells = [value + side * max(-1.0, min(1.0, 0.4 * tilt)) * min(value, 100 - value) for value, tilt in zip(share, lean)]
            self.add(thing, "% Processor Time", f"{prefix}{number}", rate_texts(cells))
        self.add(thing, "% Processor Time", f"{prefix}_Total", rate_texts(share))
        if prefix:
            self.add(thing, "% Processor Time", "_Total", rate_texts(share))
        self.add(thing, "% Privileged Time", f"{prefix}_Total", rate_texts([value * 0.21 for value in share]))
        queue = [max(0, int(value)) for value in courses.level(machine.rng, machine.rows, 0.3 + count * 0.02, 1.2, 0.2)]
        for row, value in machine.waiting.items():
            queue[row] = value
        self.add("System", "Processor Queue Length", "", texts(queue))
        self.add("System", "Context Switches/sec", "", rate_texts([400 + 90 * value for value in self.used]))
        self.add("System", "Processes", "", texts(sum(p.lives(row) for p in machine.processes) + 2 for row in range(machine.rows)))

    def _memory(self):
        machine, rng = self.machine, self.machine.rng
        kernel = machine.kernel
        committed, resident = [kernel * 1.1] * machine.rows, [kernel] * machine.rows
        for process in machine.processes:
            process.private = courses.pages(process.private)
            process.working = courses.pages(value * process.resident + process.shared for value in process.private)
            for row in range(process.born, process.died):
                committed[row] += process.private[row]
                resident[row] += process.private[row] * process.resident
        # Files that are mapped are read as pages, whatever memory is left.
        read = courses.level(rng, machine.rows, rng.choice([2, 15, 60]), 1.0, 0.3)
        for _ in range(6):
            read[rng.randrange(machine.rows)] += rng.uniform(100, 1500)
        written = courses.level(rng, machine.rows, 1, 1.5, 0.2)
        available = [machine.memory - value for value in resident]
        for row, (left, pages) in machine.shortage.items():
            trimmed = min(1.0, (machine.memory - left - kernel) / (resident[row] - kernel))
            for process in machine.processes:
                if process.lives(row):
                    process.working[row] = int((process.working[row] - process.shared) * trimmed + process.shared * 0.3) >> 12 << 12
            available[row], read[row], written[row] = left, pages, pages * 0.7
        unit = {"MBytes": 20, "KBytes": 10, "Bytes": 0}[self.memory_unit]
        available = courses.pages(available)
        self.available = available
        committed = [min(value, machine.commit_limit - (1 << 20)) for value in courses.pages(committed)]
        self.add("Memory", f"Available {self.memory_unit}", "", texts(value >> unit for value in available))
        self.add("Memory", "% Committed Bytes In Use", "", texts(100 * value / machine.commit_limit for value in committed))
        self.add("Memory", "Committed Bytes", "", texts(committed))
        self.add("Memory", "Commit Limit", "", texts([machine.commit_limit] * machine.rows))
        self.add("Memory", "Pages/sec", "", rate_texts([a + b for a, b in zip(read, written)]))
        self.add("Memory", "Pages Input/sec", "", rate_texts(read))
        self.add("Memory", "Cache Bytes", "", texts(courses.pages(courses.level(rng, machine.rows, kernel * 0.5, 0.05, 0.9))))
        self.read = read

    def _disks(self):
        machine, rng = self.machine, self.machine.rng
        totals = []
        for number, disk in enumerate(machine.disks):
            moved = list(disk.extra)
            for process in machine.processes:
                if process.disk is disk:
                    share = process.disk_share
                    for row in range(process.born, process.died):
                        moved[row] += process.io[row] * share
            if number == 0:
                moved = [value + pages * 4096 for value, pages in zip(moved, self.read)]
            spread = courses.noise(rng, machine.rows, 0.4)
            idle, queue, current, reading, writing = [], [], [], [], []
            for row, value in enumerate(moved):
                operations = max(0.05, value / disk.block)
                if row in disk.full:
                    moved[row], waiting, free = disk.full[row]
                    operations = moved[row] / disk.block
                    latency = waiting / operations
                else:
                    moved[row] = value = min(value, disk.speed * 0.93)
                    busy = min(0.97, value / disk.speed * (1 + 0.1 * spread[row]) + min(0.03, operations * 1e-5))
                    latency = disk.latency * (1 + 1.5 * max(0.0, busy)) * (1 + 0.15 * abs(spread[row]))
                    waiting = max(0.0, min(busy / (1.02 - busy) * 0.7, operations * latency))
                    free = 100 * (1 - max(0.0, busy))
                idle.append(free), queue.append(waiting)
                current.append(max(0, int(waiting * (1 + 0.4 * spread[row]) + 0.4)))
                reading.append(latency * 0.9), writing.append(latency * (1.1 if row in disk.full else 0.8))
            rows = {"% Idle Time": idle, "% Disk Time": [100 * value for value in queue], "Avg. Disk sec/Read": reading, "Avg. Disk sec/Write": writing,
                    "Avg. Disk Queue Length": queue, "Current Disk Queue Length": current, "Disk Bytes/sec": moved}
            totals.append(rows)
            for thing, instance in [("PhysicalDisk", disk.name), ("LogicalDisk", disk.letter)]:
                for counter, cells in rows.items():
                    self.add(thing, counter, instance, (texts if counter.startswith("Current") else rate_texts)(cells))
        mean = {"% Idle Time", "Avg. Disk sec/Read", "Avg. Disk sec/Write", "% Disk Time"}
        for counter in totals[0]:
            added = [sum(values) for values in zip(*(rows[counter] for rows in totals))]
            cells = [value / len(totals) for value in added] if counter in mean else added
            for thing in ["PhysicalDisk", "LogicalDisk"]:
                self.add(thing, counter, "_Total", (texts if counter.startswith("Current") else rate_texts)(cells))

    def _interfaces(self):
        for interface in self.machine.interfaces:
            sent = interface.sent
            for counter, cells in [("Bytes Total/sec", rate_texts(interface.bytes)), ("Current Bandwidth", texts([interface.bandwidth] * self.machine.rows)),
                                   ("Output Queue Length", texts(int(value) for value in interface.queue)),
                                   ("Bytes Sent/sec", rate_texts([value * sent for value in interface.bytes])),
                                   ("Bytes Received/sec", rate_texts([value * (1 - sent) for value in interface.bytes]))]:
                self.add("Network Interface", counter, interface.name, cells)

    def _processes(self):
        """Adds the columns of processes. Those of one name are numbered in the order of their starts, and move up when one ends."""
        machine = self.machine
        counters = [("ID Process", False), ("% Processor Time", True), ("Working Set", False), ("Private Bytes", False), ("Handle Count", False),
                    ("IO Data Bytes/sec", True)] + ([("IO Other Bytes/sec", True)] if machine.has_other else [])
        names = {}
        for process in machine.processes:
            names.setdefault(process.name, []).append(process)
            process.handles = [int(value) for value in process.handles]
            process.texts = {"ID Process": [f'"{process.pid}"'] * machine.rows, "% Processor Time": texts(process.cpu), "Working Set": texts(process.working),
                             "Private Bytes": texts(process.private), "Handle Count": texts(process.handles), "IO Data Bytes/sec": texts(process.io),
                             "IO Other Bytes/sec": texts(process.other) if machine.has_other else []}
        for counter, _ in counters:
            cells = texts([0] * machine.rows)
            if counter == "% Processor Time":
                cells = rate_texts([100.0 * machine.processors - value for value in self.used])
            self.add("Process", counter, "Idle", cells)
        for name, lives in names.items():
            lives.sort(key=lambda process: process.born)
            edges = sorted({edge for process in lives for edge in (process.born, process.died)} | {0, machine.rows})
            parts = [(begin, end, [process for process in lives if process.lives(begin)]) for begin, end in zip(edges, edges[1:])]
            for place in range(max(len(living) for _, _, living in parts)):
                for counter, is_rate in counters:
                    cells, before = [], None
                    for begin, end, living in parts:
                        process = living[place] if place < len(living) else None
                        piece = process.texts[counter][begin:end] if process else [ABSENT] * (end - begin)
                        if is_rate and process and process is not before:
                            piece[0] = ABSENT  # the row before has another process, or none
                            process.unrated.add(begin)
                        cells += piece
                        before = process
                    self.add("Process", counter, name + (f"#{place}" if place else ""), cells)
        for counter, is_rate in counters:
            if counter == "% Processor Time":
                cells = [100.0 * machine.processors] * machine.rows
            elif counter == "ID Process":
                cells = [0] * machine.rows
            else:
                key = {"Working Set": "working", "Private Bytes": "private", "Handle Count": "handles", "IO Data Bytes/sec": "io", "IO Other Bytes/sec": "other"}[counter]
                cells = [0] * machine.rows
                for process in machine.processes:
                    course = getattr(process, key)
                    for row in range(process.born, process.died):
                        cells[row] += course[row]
            self.add("Process", counter, "_Total", (rate_texts if is_rate else texts)(cells))
