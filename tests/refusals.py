#!/usr/bin/env python3
"""refusals.py HKPD [--all] [--share N] [--only PART]: runs hkpd where the system refuses something, or where others change its files.

Parts:
  streams  standard input, output and error are closed or full (/dev/full), also for the usual form of a scheduled job,
           `> log 2>&1`
  devices  the output is a device or a pipe, or by its name standard output
  disk     the output is on a full file system (a small tmpfs; needs root), or larger than files may be (ulimit -f)
  memory   the address space is limited (ulimit -v), from the least with which the program starts
  input    another process cuts, extends, replaces or removes the input at random moments
  output   the same for the output, and for the file in which it is collected

For every subcommand: no run is ended by a signal, exit codes are 0 to 3, and 2 and 3 have a message wherever standard
error can be written. A text that cannot be written makes the exit code 3. If the exit code is the usual one, so are
the text and the output: what is reported as written is there, and is complete. Prints a line for each failure and a table,
and exits with 1 if a run failed. Without --all, a few steps and moments of each part. --share N: in each
part, every Nth form, and other ones than in the part before.
"""
import argparse
import contextlib
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TIME_LIMIT = 60
MIB = 1 << 20


class Run:
    """A finished run: its exit code (negative: the signal), its texts, and the content of its output; None if missing."""

    def __init__(self, code, out, err, output):
        self.code, self.out, self.err, self.output = code, out, err, output

    def same_result(self, other):
        return (self.code, self.out, self.output) == (other.code, other.out, other.output)


class Form:
    """A subcommand with arguments, in which {in} is an input and {out} the output."""

    def __init__(self, name, *arguments, comparable=True):
        self.name, self.arguments = name, arguments
        self.writes = any("{out}" in argument for argument in arguments)
        self.reads = any("{in}" in argument for argument in arguments)
        # Whether the input is opened more than once, so that the result can be of several contents.
        self.reopens = arguments[:1] == ("relog",) or arguments.count("{in}") > 1
        self.comparable = comparable  # the output depends on nothing but the input

    def command(self, hkpd, source, output="out"):
        """Returns the command, which is run in the folder of its output: texts do not differ by the folder's name."""
        return [hkpd] + [a.replace("{in}", str(source)).replace("{out}", output) for a in self.arguments]


FORMS = [
    Form("info", "info", "{in}"),
    Form("dump", "dump", "{in}", "-o", "{out}"),
    Form("dump to output", "dump", "{in}"),
    *[Form(f"replay {name}", "replay", "{in}", "--format", name, "-o", "{out}")
      for name in ("csv", "json", "jsonl", "openmetrics", "pdh-csv", "table")],
    Form("replay to output", "replay", "{in}", "--format", "csv"),
    Form("replay sqlite", "replay", "{in}", "--format", "sqlite", "-o", "{out}", comparable=False),
    Form("replay textfile", "replay", "{in}", "--format", "openmetrics", "--textfile", "{out}"),
    Form("replay summary", "replay", "{in}", "--summary"),
    Form("replay in parts", "replay", "{in}", "{in}", "{in}", "--jobs", "2", "--format", "csv"),
    Form("top", "top", "{in}"),
    Form("report", "report", "{in}", "-o", "{out}"),
    Form("relog", "relog", "{in}", "-f", "csv", "-o", "{out}", "-y"),
    Form("relog list", "relog", "{in}", "-q"),
    Form("typeperf", "typeperf", "--simulate", "\\System\\Threads", "-sc", "2"),
    Form("capture", "capture", "{in}", "-o", "{out}"),
    Form("capture a machine", "capture", "--simulate", "--count", "3", "-o", "{out}", comparable=False),
    Form("capture export", "capture", "{in}", "--export", "{out}"),
    Form("check", "check", "{in}"),  # its findings, also of what cannot be read, are its output
    Form("compare", "compare", "{in}", "{in}"),
    Form("map", "map", "{in}"),
    Form("titles", "titles", "list"),
    Form("completion", "completion", "bash"),
    Form("help", "help", "replay"),
    Form("wrong usage", "replay", "--nosuch"),
    Form("no arguments"),
    Form("missing input", "dump", "{in}.missing"),
]


def content_of(path):
    """Returns the bytes of a file, the names and sizes of the files of a directory, or None."""
    if path.is_dir():
        return sorted((p.name, p.stat().st_size) for p in path.iterdir())
    return path.read_bytes() if path.is_file() else None


class Harness:
    def __init__(self, hkpd, everything, strict, seed):
        self.hkpd, self.everything, self.strict = hkpd, everything, strict
        self.random = random.Random(seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hkpd-refusals-"))
        self.runs, self.failures, self.counts = 0, 0, {}
        self.input = self.folder / "input.mcap"
        self.longer = self.folder / "longer.mcap"
        for path, count in ((self.input, 12), (self.longer, 24)):
            subprocess.run([hkpd, "capture", "--simulate", "--count", str(count), "-o", path], check=True,
                           stderr=subprocess.DEVNULL)
        self.usual = {}
        self.forms = FORMS

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def fail(self, part, form, what, run, command):
        self.failures += 1
        print(f"FAILED {part}: {form.name}: {what}: exit code {run.code}: {' '.join(map(str, command))}\n"
              f"       {run.err[-300:].decode(errors='replace').strip()}", flush=True)

    def clear(self, folder):
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def place(self, name):
        """Returns an empty folder for outputs."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        self.clear(folder)
        return folder

    def run(self, part, form, folder, source=None, before=lambda: None, while_running=None, streams=None,
            output="out"):
        """Runs a form in a folder. `before` is called in the new process, `while_running` with the process that runs."""
        command = form.command(self.hkpd, source or self.input, output)
        given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | (streams or {})

        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            before()

        with subprocess.Popen(command, cwd=folder, preexec_fn=prepare, **given) as process:
            if while_running:
                while_running(process)
            try:
                out, err = process.communicate(timeout=TIME_LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                err = (err or b"") + b"\ndid not end"
        run = Run(process.returncode, out or b"", err or b"", content_of(folder / "out"))
        self.runs += 1
        key = (part, form.name)
        self.counts.setdefault(key, {}).setdefault(run.code, 0)
        self.counts[key][run.code] += 1
        if run.code not in (0, 1, 2, 3):
            self.fail(part, form, "ended by a signal" if run.code < 0 else "not an exit code of hkpd", run, command)
        elif run.code >= 2 and given["stderr"] == subprocess.PIPE and not run.err and form.name != "check":
            self.fail(part, form, "no message", run, command)
        return run, command

    def usual_run(self, form):
        """Returns the run of a form in which nothing is refused."""
        if form.name not in self.usual:
            self.usual[form.name], _ = self.run("usual", form, self.place("usual"))
        return self.usual[form.name]

    def expect(self, part, form, run, command, codes, what):
        if run.code not in codes:
            self.fail(part, form, f"{what}: expected exit code {' or '.join(map(str, sorted(codes)))}", run, command)

    # --- the parts ---------------------------------------------------------------------------------------------------

    def streams(self):
        """Closed and full standard streams."""
        states = [((), "full"), ("full", ()), ("full", "full"), ((), "closed"), ("closed", ()), ("closed", "closed")]
        for form in self.forms:
            usual = self.usual_run(form)
            original = self.input.read_bytes()
            for out, err in states:
                for closes_input in (False, True) if self.everything or (out, err) == ("closed", "closed") else (False,):
                    self.with_streams(form, usual, out, err, closes_input)
            if self.input.read_bytes() != original:
                print(f"FAILED streams: {form.name}: the input was changed")
                self.failures += 1
                self.input.write_bytes(original)

    def with_streams(self, form, usual, out, err, closes_input):
        folder = self.place("streams")
        closed = [n for n, state in ((0, closes_input), (1, out == "closed"), (2, err == "closed")) if state]

        def close():
            for number in closed:
                os.close(number)

        with open("/dev/full", "wb") as full:
            streams = {name: full if state == "full" else subprocess.DEVNULL if state else subprocess.PIPE
                       for name, state in (("stdout", out), ("stderr", err))}
            run, command = self.run("streams", form, folder, before=close, streams=streams)
        lost_out = bool(out) and bool(usual.out)
        lost_err = bool(err) and (bool(usual.err) or lost_out)
        what = f"output {out or 'good'}, error {err or 'good'}, input {'closed' if closes_input else 'good'}"
        self.expect("streams", form, run, command, {3 if lost_out or lost_err else usual.code}, what)
        if not lost_out and form.comparable and form.writes and run.output != usual.output:
            self.fail("streams", form, f"{what}: the output differs", run, command)

    def devices(self):
        """Devices and pipes. The form textfile is refused for all: it needs a file that can be replaced."""
        for form in self.forms:
            if not form.writes:
                continue
            usual, of_devices = self.usual_run(form), sorted(os.listdir("/dev"))
            needs_file = form.name in ("replay sqlite", "replay textfile", "capture export")
            for name in ("/dev/null", "/dev/full", "/dev/stdout", "pipe"):
                folder = self.place("devices")
                if name == "pipe":
                    os.mkfifo(folder / "out")
                with contextlib.ExitStack() as stack:
                    if name == "pipe":
                        stack.enter_context(subprocess.Popen(["cat", folder / "out"], stdout=subprocess.DEVNULL))
                        if needs_file:  # lets `cat` end
                            stack.enter_context(open(folder / "out", "wb"))
                    run, command = self.run("devices", form, folder, output="out" if name == "pipe" else name)
                what = f"output {name}"
                self.expect("devices", form, run, command, {3 if needs_file or name == "/dev/full" else usual.code}, what)
                if sorted(os.listdir("/dev")) != of_devices or [p.name for p in folder.iterdir()] not in ([], ["out"]):
                    self.fail("devices", form, f"{what}: there are other files next to it", run, command)
            if form.comparable and not needs_file:
                self.redirected(form, usual)

    def redirected(self, form, usual):
        """Writes to standard output by its name, which is redirected to a file."""
        folder = self.place("devices")
        with open(folder / "redirected", "wb") as file:
            run, command = self.run("devices", form, folder, output="/dev/stdout", streams={"stdout": file})
        self.expect("devices", form, run, command, {usual.code}, "/dev/stdout is a file")
        if usual.output not in (folder / "redirected").read_bytes() or (folder / "redirected").stat().st_size < len(usual.out):
            self.fail("devices", form, "/dev/stdout is a file: it has not everything", run, command)

    def disk(self):
        """Full file systems, and files larger than they may be."""
        sizes = (0, 4, 16, 64, 256, 900) if self.everything else (0, 16, 900)
        for form in self.forms:
            if not form.writes:
                continue
            for size in sizes:
                folder = self.place("disk")

                def limit():
                    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
                    resource.setrlimit(resource.RLIMIT_FSIZE, (size << 10, size << 10))

                run, command = self.run("disk", form, folder, before=limit)
                self.check_disk(form, run, command, folder, f"files of at most {size} KiB")
            with self.small_disk() as disk:
                for size in sizes if disk else ():
                    self.fill(disk, size)
                    run, command = self.run("disk", form, disk)
                    self.check_disk(form, run, command, disk, f"{size} KiB left")
                    self.fill(disk, size)
                    with open(disk / "log", "wb") as log:
                        self.run("disk", form, disk, streams={"stdout": log, "stderr": log})

    def fill(self, disk, left):
        """Fills a file system except for a number of KiB."""
        self.clear(disk)
        with open(disk / "filler", "wb", buffering=0) as filler:
            with contextlib.suppress(OSError):
                while True:
                    filler.write(bytes(4096))
            filler.truncate(os.fstat(filler.fileno()).st_size - (left << 10))

    @contextlib.contextmanager
    def small_disk(self):
        """Mounts a file system of 1 MiB; none if that is not allowed."""
        disk = self.place("small")
        mounted = os.name == "posix" and os.geteuid() == 0 and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True).returncode == 0
        try:
            yield disk if mounted else None
        finally:
            if mounted:
                subprocess.run(["umount", "-l", disk], check=True)

    def check_disk(self, form, run, command, folder, what):
        usual = self.usual_run(form)
        self.expect("disk", form, run, command, {usual.code, 3}, what)
        if run.code == 3 and form.arguments[0] != "capture" and run.output is not None and form.name != "replay sqlite":
            self.fail("disk", form, f"{what}: there is an output", run, command)
        if run.code != 3 and form.comparable and not run.same_result(usual):
            self.fail("disk", form, f"{what}: the result is another one", run, command)
        left = [p.name for p in folder.iterdir() if p.name.endswith(".new")]
        if left:
            self.fail("disk", form, f"{what}: left {left}", run, command)

    def least_memory(self):
        """Returns the least address space in MiB with which the program starts."""
        for size in range(4, 1024):
            run = subprocess.run(["sh", "-c", f"ulimit -v {size << 10} && exec \"$0\" --version", self.hkpd], capture_output=True)
            if run.returncode == 0:
                return size
        return 1024

    def memory(self):
        """Limited address spaces."""
        least = self.least_memory()
        steps = range(0, 60) if self.everything else (0, 1, 3, 7, 15)
        for form in self.forms:
            usual, same = self.usual_run(form), 0
            for step in steps:
                folder = self.place("memory")
                size = (least + step) * MIB
                run, command = self.run("memory", form, folder,
                                        before=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))
                what = f"ulimit -v {size >> 10}"
                self.expect("memory", form, run, command, {usual.code, 3}, what)
                if run.code != 3 and form.comparable and not run.same_result(usual):
                    self.fail("memory", form, f"{what}: the result is another one", run, command)
                same = same + 1 if run.code == usual.code else 0
                if same == 3:
                    break

    CHANGES = ("cut", "extended", "replaced", "removed")

    def change(self, path, how, other, complete=None):
        """Changes a file as another process would, unless its content is `complete`. Files that are moved away are kept."""
        with contextlib.suppress(FileNotFoundError):
            if how in ("cut", "extended"):
                with open(path, "r+b") as file:
                    data = file.read()
                    if data == complete:
                        return
                    if how == "cut":
                        file.truncate(len(data) // 2)
                    else:
                        file.write(bytes(1000))
            else:
                os.rename(path, self.place("moved") / path.name)
                if how == "replaced":
                    shutil.copyfile(other, path)

    def moments(self, form):
        """Returns random moments within a run of a form, in seconds, and the run."""
        begun = time.monotonic()
        run, _ = self.run("usual", form, self.place("timing"), source=self.longer)
        length = time.monotonic() - begun
        return [self.random.uniform(0, length) for _ in range(50 if self.everything else 2)], run

    def inputs(self):
        """Inputs that change while they are read: a success is that of the content before or after the change."""
        for form in self.forms:
            if not form.reads or form.name == "missing input":
                continue
            moments, _ = self.moments(form)
            results = {}
            for how in ("before", *self.CHANGES):
                source = self.place("source") / "source.mcap"
                shutil.copyfile(self.longer, source)
                if how != "before":
                    self.change(source, how, self.input)
                results[how], _ = self.run("usual", form, self.place("changed"), source=source)
            for moment in moments:
                for how in self.CHANGES:
                    source = self.place("source") / "source.mcap"
                    shutil.copyfile(self.longer, source)

                    def change(_, how=how, moment=moment):
                        time.sleep(moment)
                        self.change(source, how, self.input)

                    run, command = self.run("input", form, self.place("inputs"), source=source, while_running=change)
                    if form.reopens and how == "replaced":
                        continue
                    if self.strict and form.comparable and run.code == 0 and not any(
                            run.same_result(results[state]) for state in ("before", how)):
                        self.fail("input", form, f"{how}: the result is of neither content", run, command)

    def outputs(self):
        """Outputs that change while they are written: after a success they are complete."""
        for form in self.forms:
            if not form.writes or form.name == "capture export":
                continue
            moments, whole = self.moments(form)
            for moment in moments:
                for how in self.CHANGES:
                    for exists in (False, True):
                        folder = self.place("outputs")
                        if exists and form.name != "replay sqlite":
                            (folder / "out").write_bytes(b"old")
                        moved = self.place("moved")

                        def change(process, how=how, moment=moment):
                            time.sleep(moment)
                            for path in list(folder.iterdir()):
                                # SQLite maps the index of its log: those who cut it end every program that has it open.
                                if process.poll() is None and not path.name.endswith("-shm"):
                                    self.change(path, how, self.input, whole.output)

                        run, command = self.run("output", form, folder, source=self.longer, while_running=change)
                        # A file that was moved away when it was complete had been written.
                        if self.strict and form.comparable and run.code == 0 and whole.output not in (
                                run.output, *(path.read_bytes() for path in moved.iterdir())):
                            self.fail("output", form, f"{how}: the output is not complete", run, command)

    def print_table(self):
        print(f"{'part':8} {'form':20} {'runs':>5}  exit codes")
        for (part, form), codes in self.counts.items():
            if part != "usual":
                print(f"{part:8} {form:20} {sum(codes.values()):5}  "
                      + ", ".join(f"{code}: {count}" for code, count in sorted(codes.items())))
        print(f"{self.runs} runs, {self.failures} failures")


PARTS = {"streams": Harness.streams, "devices": Harness.devices, "disk": Harness.disk, "memory": Harness.memory, "input": Harness.inputs,
         "output": Harness.outputs}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hkpd")
    parser.add_argument("--all", action="store_true", help="all steps of limits, and 50 moments of each change")
    parser.add_argument("--share", type=int, default=1, help="every Nth form in each part (default 1: all)")
    parser.add_argument("--strict", action="store_true", help="inputs that others change: a success is the result of one of the contents; outputs: it is "
                             "complete (which fails if they are changed after they were complete, and before the run ends)")
    parser.add_argument("--only", choices=PARTS, help="one part")
    parser.add_argument("--seed", default="1", help="seed of the random moments (default 1)")
    options = parser.parse_args()
    harness = Harness(str(pathlib.Path(options.hkpd).resolve()), options.all, options.strict, options.seed)
    try:
        for number, (name, part) in enumerate(PARTS.items()):
            harness.forms = FORMS[number % options.share::options.share]
            if options.only in (None, name):
                part(harness)
        harness.print_table()
    finally:
        harness.close()
    return 1 if harness.failures else 0


if __name__ == "__main__":
    sys.exit(main())
