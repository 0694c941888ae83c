"""A machine as a log of PerfMon sees it: processors, memory, disks and interfaces of a size drawn from a seed, and processes
that come and go. What a plan adds or takes away is seen everywhere at once: processors are busy with what processes use,
available memory is what they leave, disks and interfaces move what processes read, write, send and receive."""

import datetime
import math
import random

import courses

GIB, MIB = 1 << 30, 1 << 20

ZONES = [("W. Europe Standard Time", -60), ("W. Europe Daylight Time", -120), ("Pacific Standard Time", 480), ("Eastern Daylight Time", 240),
         ("India Standard Time", -330), ("Tokyo Standard Time", -540), ("GMT Standard Time", 0), ("UTC", 0)]
HOSTS = ["SRV-APP01", "WIN-7F2K9Q1LD3S", "DB2", "FILE-EU-03", "DESKTOP-4QK1T7P", "TS07", "build-agent-12"]
APPLICATIONS = ["w3wp", "sqlservr", "java", "node", "python", "Contoso.Billing.Service", "store", "chrome", "httpd", "Orders.Worker", "mongod",
                "php-cgi", "dotnet", "excel", "nginx", "Telemetry Agent", "R", "imagegen", "erlang", "oracle"]
SERVICES = ["spoolsv", "explorer", "MsMpEng", "SearchIndexer", "RuntimeBroker", "dllhost", "msdtc", "vmtoolsd", "LogonUI", "fontdrvhost", "ctfmon",
            "sihost", "dwm", "winlogon", "NisSrv", "snmp", "splunkd", "filebeat"]
SHORT_LIVED = ["conhost", "cmd", "taskhostw", "WmiPrvSE", "powershell", "schtasks", "wermgr", "TiWorker"]
ADAPTERS = ["Intel[R] Ethernet Connection I218-LM", "Microsoft Hyper-V Network Adapter", "vmxnet3 Ethernet Adapter",
            "Broadcom BCM5709C NetXtreme II GigE [NDIS VBD Client] _42", "Intel[R] 82599 10 Gigabit Dual Port Network Connection",
            "Red Hat VirtIO Ethernet Adapter", "HP NC382i DP Multifunction Gigabit Server Adapter _2"]


class Process:
    """One life of a process. Courses have a number for each row of the log, also for rows in which it does not live."""

    def __init__(self, machine, name, pid=None, born=0, died=None):
        self.name, self.born, self.died = name, born, machine.rows if died is None else died
        self.pid = machine.new_pid() if pid is None else pid
        self.cpu = machine.zeros          # % of one processor
        self.private = machine.zeros      # bytes
        self.resident = 0.85              # working set by private bytes
        self.shared = machine.rng.randrange(2, 24) * MIB  # of the working set
        self.handles = machine.zeros
        self.io = machine.zeros           # bytes a second, read and written
        self.other = machine.zeros        # bytes a second that are neither read nor written, as to and from sockets
        self.disk, self.disk_share = None, 0.0  # which disk its `io` is from, and what the cache leaves of it
        self.unrated = set()  # rows without a rate, since the row before has another process there
        machine.processes.append(self)

    def lives(self, row):
        return self.born <= row < self.died


class Disk:
    def __init__(self, machine, number, letter):
        self.letter, self.name = letter, f"{number} {letter}"
        self.speed, self.latency = machine.rng.choice([(110e6, 0.006), (240e6, 0.0012), (520e6, 0.0003), (1800e6, 0.00012)])
        self.reads = machine.rng.uniform(0.3, 0.8)
        self.block = machine.rng.choice([8192, 16384, 32768, 65536])
        self.extra = machine.zeros  # bytes a second of no process
        self.full = {}              # row: (bytes a second, queue, idle %), where it is saturated


class Interface:
    def __init__(self, machine, name, bandwidth):
        self.name, self.bandwidth = name, bandwidth
        self.bytes = machine.zeros  # bytes a second
        self.sent = machine.rng.uniform(0.3, 0.7)
        self.queue = machine.zeros


class Machine:
    """`load` is the share of the processors that its applications use on average."""

    def __init__(self, seed, hours, load, processors=None):
        rng = self.rng = random.Random(seed)
        self.hours = hours
        self.host = rng.choice(HOSTS)
        self.zone, self.bias = rng.choice(ZONES)
        self.interval = 15 if hours < 3 else rng.choice([15, 15, 30])
        self.rows = int(hours * 3600 / self.interval) + 1
        self.processors = processors or rng.choice([1, 2, 2, 4, 4, 4, 6, 8, 8, 12, 16, 24, 32, 48, 64])
        self.memory = rng.choice([4, 6, 8, 12, 16, 24, 32, 64, 128, 256]) * GIB
        while self.memory < self.processors * GIB // 2 or self.memory > self.processors * 24 * GIB:
            self.memory = rng.choice([4, 6, 8, 12, 16, 24, 32, 64, 128, 256]) * GIB
        self.kernel = self.memory * rng.uniform(0.05, 0.12)  # bytes of memory that no process has
        self.commit_limit = courses.pages([self.memory * rng.choice([1.25, 1.4, 1.5, 2.0])])[0]
        # Dates on which the zone has this offset, and no change of it.
        month = rng.choice([1, 2, 12] if "Daylight" not in self.zone else [5, 6, 7, 9])
        local = datetime.datetime(2025, month, rng.randrange(3, 27), rng.randrange(24), rng.choice([0, 0, 30, 17]), rng.randrange(60), 1000)
        self.begin = local + datetime.timedelta(minutes=self.bias)
        self.times, late = [], 0.0
        for row in range(self.rows):
            late = 0.8 * late + rng.random() * 0.006
            self.times.append(self.begin + datetime.timedelta(milliseconds=round((row * self.interval + late) * 1000)))
        self.lengths = [0.0] + [(b - a).total_seconds() for a, b in zip(self.times, self.times[1:])]
        start = local.hour + local.minute / 60
        self.rhythm = [math.sin((start + row * self.interval / 3600 - 9) / 24 * 2 * math.pi) for row in range(self.rows)]
        self.zeros = [0.0] * self.rows
        self.pids, self.processes = set(), []
        self.disks = [Disk(self, number, letter) for number, letter in enumerate(["C:", "D:", "E:", "F:"][:rng.choice([3, 3, 4])])]
        self.interfaces = [Interface(self, name, rng.choice([100_000_000, 1_000_000_000, 1_000_000_000, 10_000_000_000]))
                           for name in rng.sample(ADAPTERS, rng.choice([2, 3]))]
        self.interfaces.append(Interface(self, "isatap.corp.example", 100_000))
        self.shortage = {}     # row: (available bytes, pages read a second), where memory is exhausted
        self.waiting = {}      # row: threads that wait for a processor, where they are busy
        self.quiet = []        # (row, row) in which no background burst begins or ends
        self.has_other = rng.random() < 0.8
        self.load = load
        self._system(), self._applications(load), self._innocent_growth()

    def new_pid(self):
        while True:
            pid = self.rng.randrange(100, 4500) * 4
            if pid not in self.pids:
                self.pids.add(pid)
                return pid

    def row_of(self, hours):
        return min(self.rows - 1, max(0, round(hours * 3600 / self.interval)))

    def background(self, name, cpu, private, handles, io, pid=None, born=0, died=None):
        """Adds a process of the background: `cpu` in % of one processor, `private` in bytes, `io` in bytes a second."""
        process, rng = Process(self, name, pid, born, died), self.rng
        if cpu:
            process.cpu = courses.level(rng, self.rows, cpu, 0.5, 0.4, self.rhythm, 0.25)
        process.private = courses.level(rng, self.rows, private, 0.01, 0.9, self.rhythm, 0.01)
        process.handles = courses.level(rng, self.rows, handles, 0.01, 0.9, self.rhythm, 0.02)
        if io:
            process.io = courses.level(rng, self.rows, io, 0.6, 0.5, self.rhythm, 0.3)
            process.disk, process.disk_share = rng.choice(self.disks), rng.uniform(0.2, 0.8)
        if self.has_other:
            process.other = courses.level(rng, self.rows, rng.uniform(20, 4000), 0.8, 0.3)
        return process

    def _system(self):
        rng, unit = self.rng, self.memory / 100
        self.system = self.background("System", rng.uniform(0.5, 3), 200e3, rng.randrange(900, 6000), 60e3, pid=4)
        self.system.shared = 2 * MIB
        for name in ["smss", "csrss", "csrss", "wininit", "services", "lsass"]:
            self.background(name, rng.choice([0, 0, 0.15]), rng.uniform(1, 12) * MIB, rng.randrange(60, 1400), rng.choice([0, 400]))
        for _ in range(rng.randrange(4, 9)):
            self.background("svchost", rng.choice([0, 0.1, 0.4]), rng.uniform(2, 60) * MIB, rng.randrange(120, 1900), rng.choice([0, 900, 9000]))
        for name in rng.sample(SERVICES, rng.randrange(4, 8)):
            self.background(name, rng.choice([0, 0.2, 0.8]), min(unit, rng.uniform(5, 180) * MIB), rng.randrange(90, 1500), rng.choice([0, 5000]))

    def _applications(self, load):
        """Applications that carry the load; several may have one name."""
        rng, names = self.rng, self.rng.sample(APPLICATIONS, 4)
        self.free_names = [name for name in APPLICATIONS if name not in names]
        names += [rng.choice(names)] * rng.choice([0, 1, 2])
        weights = [rng.uniform(0.4, 1.6) for _ in names]
        self.applications = []
        for name, weight in zip(names, weights):
            share = weight / sum(weights)
            process = self.background(name, 0, self.memory * rng.uniform(0.02, 0.06), rng.randrange(300, 4000), 0)
            used = 100 * self.processors * load * share
            if 55 < used < 160:  # would look like one thread that has no processor left to it
                used = 55 if used < 100 or self.processors == 1 else 160
            process.cpu = courses.level(rng, self.rows, used, 0.10, 0.6, self.rhythm, 0.16)
            process.disk, process.disk_share = rng.choice(self.disks), rng.uniform(0.3, 0.6)
            process.io = courses.level(rng, self.rows, process.disk.speed * rng.uniform(0.02, 0.10) * (0.3 + load), 0.35, 0.6, self.rhythm, 0.2)
            self.applications.append(process)
        # The first one serves clients: what it reads and writes is also what the first interface moves.
        interface = self.interfaces[0]
        interface.bytes = courses.level(rng, self.rows, interface.bandwidth / 8 * rng.uniform(0.01, 0.25) * (0.2 + load), 0.3, 0.6, self.rhythm, 0.2)
        server = self.applications[0]
        moved = "other" if self.has_other and rng.random() < 0.5 else "io"
        setattr(server, moved, [own + net for own, net in zip(getattr(server, moved), interface.bytes)])
        if moved == "io":
            server.disk_share *= 0.2
        for interface in self.interfaces[1:-1]:
            interface.bytes = courses.level(rng, self.rows, rng.uniform(200, 40e3), 0.5, 0.3)

    def _innocent_growth(self):
        """What grows for a while and is no leak: a cache that fills, a step, a garbage collector, handles that settle."""
        rng, rows = self.rng, self.rows
        cache, stepped, collected = self.applications[1], self.applications[2], self.applications[3]
        base = cache.private[0]
        cache.private = [a + b for a, b in zip(courses.settled(rows, 0.5 * base, 1.4 * base, rows * rng.uniform(0.05, 0.08)),
                                               courses.level(rng, rows, base * 0.02, 0.3))]
        cache.handles = courses.settled(rows, cache.handles[0] * 0.6, cache.handles[0] * 1.1, rows * 0.05)
        base = stepped.private[0]
        stepped.private = [a + b for a, b in zip(courses.step(rows, base, base * rng.uniform(1.2, 1.5), int(rows * rng.uniform(0.35, 0.65))),
                                                 courses.level(rng, rows, base * 0.02, 0.3))]
        base, tooth = collected.private[0], max(12, self.row_of(rng.uniform(0.15, 0.6)))
        collected.private = [a + b for a, b in zip(courses.sawtooth(rows, base, base * 1.5, tooth, rng.randrange(tooth)),
                                                   courses.level(rng, rows, base * 0.03, 0.5))]

    def bursts(self):
        """Adds a backup, a log rotation and short-lived processes, away from `quiet`; some have the PID of one that ended before."""
        rng = self.rng
        spare = 100 * self.processors * max(0.04, 0.70 - 1.3 * self.load)
        for name, length, cpu, disk in [("backup", 75, min(150.0, spare), 0.75), ("gzip", 45, min(100.0, spare), 0.4)]:
            rows = max(3, round(length / self.interval)) + 1
            born = self._calm_row(rows)
            if born is None:
                continue
            process = self.background(name, 0, rng.uniform(20, 90) * MIB, rng.randrange(80, 300), 0, born=born, died=born + rows)
            process.cpu = courses.level(rng, self.rows, cpu, 0.1, 0.5)
            process.disk, process.disk_share = rng.choice(self.disks), 1.0
            # The disk is at its limit in one sample, which is no limit of the run, and else below.
            others = [sum(p.io[row] * p.disk_share for p in self.processes if p.disk is process.disk and p is not process and p.lives(row))
                      for row in range(born, born + rows)]
            process.io = courses.level(rng, self.rows, process.disk.speed * disk * 0.7, 0.06, 0.5)
            for row, taken in enumerate(others, born):
                process.io[row] = max(0.1 * process.io[row], min(process.io[row], process.disk.speed * 0.7 - taken))
            process.io[born + 1] = process.disk.speed * 1.2 * disk
        ended = [process for process in self.processes if process.died < self.rows - 8]
        for _ in range(rng.randrange(4, 9)):
            born = rng.randrange(1, self.rows - 6)
            before = [process for process in ended if process.died < born]
            reused = before and rng.random() < 0.5 and rng.choice(before)
            if reused:
                ended.remove(reused)
            ended_row = min(self.rows - 1, born + rng.randrange(2, max(3, self.row_of(0.15))))
            process = self.background(rng.choice([n for n in SHORT_LIVED if not reused or n != reused.name]), rng.choice([0, 0.5, 3]),
                                      rng.uniform(2, 40) * MIB, rng.randrange(40, 300), rng.choice([0, 4000]),
                                      pid=reused.pid if reused else None, born=born, died=ended_row)
            if reused and any(other is not process and other.pid == process.pid and other.born < process.died and process.born < other.died
                              for other in self.processes):
                process.pid = self.new_pid()

    def _calm_row(self, rows):
        for _ in range(200):
            row = self.rng.randrange(4, self.rows - rows - 4)
            if all(row + rows < a or row > b for a, b in self.quiet):
                return row
        return None
