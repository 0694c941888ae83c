#!/usr/bin/env python3
"""toys.py BUILD: what a new output format, a new input format, a new subcommand and a new answer take. In a copy of the
tree, adds a toy of each (a file and a row; the answer has a subcommand that prints it), compiles the files that this changes,
links them with the objects of the build, and runs the command: each option, message, help and completion that lists formats
or subcommands has the new ones, and files of the toy format are read wherever others are. Prints the differences and their
numbers of lines. Skipped (exit code 77) without a build by Ninja."""

import difflib
import gzip
import json
import pathlib
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77

FORMAT = """\
// A toy format: the number of values of each object.
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"

namespace hkpd {
namespace {

class ToyWriter final : public Writer {
  public:
    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* /*cooker*/,
                std::string& out) override {
        for (const Selected& part : selected)
            out += std::to_string(sample.objects()[part.object].title_index) + ' ' +
                   std::to_string(part.rows.size() * part.columns.size()) + '\\n';
    }
};

}  // namespace

std::unique_ptr<Writer> make_toy_writer(const WriteOptions& /*options*/) { return std::make_unique<ToyWriter>(); }

}  // namespace hkpd
"""

INPUT = """\
// A toy input format: TOYS, then V1 blocks, each after its length.
#include "source/record_stream.hpp"

namespace hkpd {
namespace {

class ToyRecords final : public RecordStream {
  public:
    explicit ToyRecords(RecordInput input) : window_(std::move(input.window)), limits_(input.limits) { window_.skip(4); }

    void next(std::optional<Record>& record, const FaultSink& faults) override {
        window_.skip(std::exchange(size_, 0));
        if (window_.peek(1).empty()) return;
        const Bytes head = window_.peek(4);
        const std::uint32_t size = head.size() < 4 ? 0 : load<std::uint32_t>(head.data(), ByteOrder::little);
        window_.skip(4);
        const Bytes block = window_.peek(std::min<std::uint64_t>(size, limits_.bytes));
        if (block.size() < size || size == 0) return faults.add({Errc::block_truncated, window_.offset(), "toy", "", size, block.size()});
        size_ = size;
        record.emplace(Record::Kind::v1_block, block, faults.place());
    }

  private:
    StreamWindow window_;
    const Limits& limits_;
    std::uint64_t size_ = 0;
};

}  // namespace

bool begins_with_toy(StreamWindow& window, const Limits& /*limits*/) {
    constexpr std::string_view magic = "TOYS";
    const Bytes begin = window.peek(magic.size());
    return std::ranges::equal(begin.span(), std::as_bytes(std::span(magic)));
}

std::unique_ptr<RecordStream> open_toy_records(RecordInput input) { return std::make_unique<ToyRecords>(std::move(input)); }

}  // namespace hkpd
"""

SUBCOMMAND = """\
// A toy subcommand: the number of samples.
#include "commands/sample_run.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/write.hpp"

namespace hkpd::command {
namespace {

constexpr HelpText toy_help{.question = "How many samples?", .usage = "INPUT...", .prose = "Counts samples.", .usual = "", .examples = "hkpd toy a.mcap\\n"};

struct ToyCommand {
    InputOptions input;
    TimeOptions times;
};

po::options_description describe(ToyCommand& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    describe_range(shown, o.times);
    return shown;
}

/// Writes the number of samples at the end.
class CountWriter final : public Writer {
  public:
    void sample(const Sample& /*sample*/, std::span<const Selected> /*selected*/, Cooker* /*cooker*/,
                std::string& /*out*/) override {
        ++count_;
    }
    void end(Diagnostics& /*diagnostics*/, std::string& out) override { out += std::to_string(count_) + '\\n'; }

  private:
    std::size_t count_ = 0;
};

}  // namespace

Description describe_toy() {
    ToyCommand o;
    return {toy_help, describe(o)};
}

Exit toy(const Strings& arguments) {
    ToyCommand o;
    ReaderOptions how;
    if (const auto done = parse_options("toy", arguments, describe(o), o.input.inputs, toy_help)) return *done;
    std::string wrong = check_inputs(o.input, how.limits);
    if (wrong.empty()) wrong = check_range(o.times, o.input);
    if (!wrong.empty()) return usage_error("toy", wrong);
    SampleRun run{.request = {"toy", o.input, o.times}, .how = how};
    run.run.make_writer = [](Reader&, Diagnostics&, const Sink&) { return std::make_unique<CountWriter>(); };
    OutputFile file("toy", "");
    return run_samples(run, file);
}

}  // namespace hkpd::command
"""

ANSWER = """\
// A toy answer: how many series of a run never changed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hkpd/answers.hpp"

namespace hkpd {

/// The series of a run, and those with one value all the time.
struct Still {
    std::uint64_t series = 0, still = 0;
};

/// Returns what is still in a summary.
inline Still still(const Summary& summary) {
    const auto never_changed = [](const Series& row) { return row.statistics.min == row.statistics.max; };
    return {.series = summary.series.size(),
            .still = static_cast<std::uint64_t>(std::ranges::count_if(summary.series, never_changed))};
}

/// Returns what is still in what a filter selects in the samples that a reader has still to read.
inline Still still(Reader& reader, Filter& filter) { return still(summary(reader, filter)); }

}  // namespace hkpd
"""

ANSWER_SUBCOMMAND = """\
// Prints the toy answer.
#include "commands/sample_run.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/still.hpp"
#include "hkpd/write.hpp"

namespace hkpd::command {
namespace {

constexpr HelpText still_help{.question = "What never changed?", .usage = "INPUT...", .prose = "Counts what never changed.", .usual = "", .examples = "hkpd still a.mcap\\n"};

struct StillCommand {
    InputOptions input;
    TimeOptions times;
};

po::options_description describe(StillCommand& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    describe_range(shown, o.times);
    return shown;
}

/// Writes the answer at the end.
class StillWriter final : public Writer {
  public:
    explicit StillWriter(const CookOptions& cook) : summary_({}, cook) {}
    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& /*out*/) override {
        summary_.add(sample, selected, *cooker);
    }
    void end(Diagnostics& /*diagnostics*/, std::string& out) override {
        const Still found = still(summary_.finish());
        out += std::to_string(found.still) + " of " + std::to_string(found.series) + "\\n";
    }

  private:
    SummaryCollector summary_;
};

}  // namespace

Description describe_still() {
    StillCommand o;
    return {still_help, describe(o)};
}

Exit still(const Strings& arguments) {
    StillCommand o;
    ReaderOptions how;
    if (const auto done = parse_options("still", arguments, describe(o), o.input.inputs, still_help)) return *done;
    std::string wrong = check_inputs(o.input, how.limits);
    if (wrong.empty()) wrong = check_range(o.times, o.input);
    if (!wrong.empty()) return usage_error("still", wrong);
    how.one_source = true;
    SampleRun run{.request = {"still", o.input, o.times}, .how = how};
    run.run.make_writer = [&](Reader&, Diagnostics&, const Sink&) { return std::make_unique<StillWriter>(how.cook); };
    OutputFile file("still", "");
    return run_samples(run, file);
}

}  // namespace hkpd::command
"""

# What is added: a file with its text, or a line after another one.
ADDED = [
    ("a toy output format", [
        ("lib/src/write/toy.cpp", None, FORMAT),
        ("lib/src/write/formats.cpp", "Factory make_sqlite_writer;\n", "Factory make_toy_writer;\n"),
        ("lib/src/write/formats.cpp", "               .make_buckets = make_sqlite_writer},\n",
         '    FormatSpec{.name = "toy", .extension = ".toy", .has_raw = true, .make = make_toy_writer},\n'),
    ]),
    ("a toy input format", [
        ("lib/src/source/toy_records.cpp", None, INPUT),
        ("lib/src/source/input_formats.cpp", "OpenRecords open_text_log_records;\n",
         "OpenRecords open_toy_records;\nbool begins_with_toy(StreamWindow& window, const Limits& limits);\n"),
        ("lib/src/source/input_formats.cpp",
         '    InputFormat{.name = "v2", .words = "V2 performance data (PerfLib)", .recognise = holds_v2, .needs_all = true},\n',
         '    InputFormat{.name = "toy", .words = "toy", .recognise = begins_with_toy, .open = open_toy_records},\n'),
    ]),
    ("a toy subcommand", [
        ("tools/hkpd/commands/toy.cpp", None, SUBCOMMAND),
        ("tools/hkpd/commands/subcommands.def", 'HKPD_SUBCOMMAND(help, "help", "show the help of a subcommand")\n',
         'HKPD_SUBCOMMAND(toy, "help", "count samples")\n'),
    ]),
    ("a toy answer", [
        ("lib/include/hkpd/still.hpp", None, ANSWER),
        ("tools/hkpd/commands/still.cpp", None, ANSWER_SUBCOMMAND),
        ("tools/hkpd/commands/subcommands.def", 'HKPD_SUBCOMMAND(toy, "help", "count samples")\n',
         'HKPD_SUBCOMMAND(still, "help", "count what never changed")\n'),
    ]),
]
# Sources that the additions change, and new ones. They are compiled; of the others, the objects of the build are used.
COMPILED = [
    ("lib/src/write/formats.cpp", ["lib/src/write/toy.cpp"]),
    ("lib/src/source/input_formats.cpp", ["lib/src/source/toy_records.cpp"]),
    ("tools/hkpd/main.cpp", ["tools/hkpd/commands/toy.cpp", "tools/hkpd/commands/still.cpp"]),
]


def copy_tree(to):
    """Copies the files of the repository, whether committed or not."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "lib", "tools/hkpd"],
                            check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        source = ROOT / name
        if source.is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, to / name)


def add(tree):
    """Makes the additions and prints them. Returns the number of lines of each, without those of new files."""
    changed = {}
    for what, changes in ADDED:
        print(f"== {what}")
        rows = new = 0
        for name, after, text in changes:
            path = tree / name
            before = path.read_text(encoding="utf-8") if path.exists() else ""
            if after is None:
                result = text
                new += text.count("\n")
                print(f"{name}: a new file of {text.count(chr(10))} lines")
            else:
                assert before.count(after) == 1, f"{name}: expected {after!r} once"
                result = before.replace(after, after + text)
                rows += text.count("\n")
                for line in difflib.unified_diff(before.splitlines(), result.splitlines(), name, name, lineterm="", n=1):
                    print(line)
            path.write_text(result, encoding="utf-8")
        changed[what] = rows
        print(f"== {what}: {new} lines in new files, {rows} in others")
    return changed


def unit_of(build, source):
    """Returns the entry of the compilation that has a source, alone or in a batch (unity build)."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        is_batch = "/Unity/" in entry["file"] and source in pathlib.Path(entry["file"]).read_text(encoding="utf-8")
        if entry["file"] == str(ROOT / source) or is_batch:
            return entry
    return None


def compile_unit(entry, tree, sources, output):
    """Compiles sources of the copy, as one, with the options of an entry. Returns the object that the build has."""
    words, kept, built = shlex.split(entry["command"]), [], None
    while words:
        word = words.pop(0)
        if word == "-o":
            built = words.pop(0)
        elif word in ("-c", "-MF", "-MT"):
            words.pop(0)
        elif word != "-MD" and not word.startswith("-D_FORTIFY_SOURCE"):
            # Headers of the copy, but those that the build generates.
            inside = word.replace(str(ROOT), str(tree)) if f"{ROOT}/build" not in word else word
            kept.append("-O0" if word.startswith("-O") else inside)
    batch = output.with_suffix(".cpp")
    batch.write_text("".join(f'#include "{source}"\n' for source in sources), encoding="utf-8")
    subprocess.run([*kept, "-c", batch, "-o", output], cwd=entry["directory"], check=True)
    return built


def sources_of(entry, tree):
    """Returns the sources of a unit, in the copy."""
    if "/Unity/" not in entry["file"]:
        return [entry["file"].replace(str(ROOT), str(tree))]
    lines = pathlib.Path(entry["file"]).read_text(encoding="utf-8").splitlines()
    return [line.split('"')[1].replace(str(ROOT), str(tree)) for line in lines if line.startswith("#include ")]


def link(build, replaced, added, output):
    """Links the command with objects in place of others, and with further objects in front of the libraries."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "commands", "tools/hkpd"], check=True, capture_output=True, text=True)
    line = [text for text in listed.stdout.splitlines() if " -o tools/hkpd " in text][-1]
    line = line.replace(" -o tools/hkpd ", f" {shlex.join(map(str, added))} -o {shlex.quote(str(output))} ")
    for before, after in replaced.items():
        line = line.replace(f" {before} ", f" {shlex.quote(str(after))} ")
    subprocess.run(line, cwd=build, shell=True, check=True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not (build / "compile_commands.json").exists() or shutil.which("ninja") is None:
        print("skipped: needs a build by Ninja")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        copy_tree(tree)
        rows = add(tree)
        replaced, added = {}, []
        for number, (changed, new) in enumerate(COMPILED):
            entry = unit_of(build, changed)
            if entry is None:
                print(f"skipped: the build has no {changed}")
                return SKIPPED
            for place, sources in (("changed", sources_of(entry, tree)), ("new", [tree / one for one in new])):
                output = pathlib.Path(folder) / f"{place}{number}.o"
                built = compile_unit(entry, tree, sources, output)
                # An object of a library is in an archive, of which nothing is taken that is defined before.
                if place == "changed" and built.startswith("tools/"):
                    replaced[built] = output
                else:
                    added.append(output)
        hkpd = pathlib.Path(folder) / "hkpd"
        link(build, replaced, added, hkpd)
        check(hkpd, rows)
        check_input(hkpd, pathlib.Path(folder))
    print("toys: an output format, an input format, a subcommand and an answer, each a file and a row")
    return 0


def check(hkpd, rows):
    """Runs the command with the additions."""
    capture = str(ROOT / "testdata/captures/demo.bin")

    def run(*arguments):
        return subprocess.run([hkpd, *arguments], capture_output=True, text=True, encoding="utf-8")

    def expect(found, wanted):
        assert wanted in found, f"expected {wanted!r} in\n{found}"

    assert rows == {"a toy output format": 2, "a toy input format": 3, "a toy subcommand": 1, "a toy answer": 1}, rows
    dumped = run("dump", capture, "--format", "toy", "--object", "Processor")
    assert dumped.returncode == 0 and dumped.stdout.startswith("238 "), dumped
    assert run("replay", capture, "--format", "toy", "--object", "Processor").stdout == dumped.stdout
    with tempfile.TemporaryDirectory() as folder:
        again = shutil.copy(capture, folder)  # the same file is read once
        assert run("replay", capture, again, "--jobs", "2", "--format", "toy", "--object", "Processor").stdout == 2 * dumped.stdout
    for subcommand in ("dump", "replay"):
        expect(" ".join(run(subcommand, "--help-all").stdout.split()), "toy")
        expect(run("help", subcommand, "--man").stdout, "toy")
    expect(run("replay", capture, "--format", "toy", "--summary").stderr, "found toy")
    expect(run("replay", capture, "--format", "toy", "--crlf").stderr, "--crlf requires --format pdh-csv or pdh-tsv")
    expect(run("top", capture, "--format", "toy").stderr, "supported by hkpd dump")
    expect(run("replay", capture, "--jobs", "2", "--format", "pdh-csv").stderr, "csv and toy")
    counted = run("toy", capture)
    samples = json.loads(run("info", capture, "--format", "json").stdout)["inputs"][0]["samples"]
    assert (counted.returncode, counted.stdout) == (0, f"{samples}\n"), counted
    assert run("toy", capture, "--from", "1000").returncode == 2
    assert run("toy", "missing.bin").returncode == 3
    expect(run("toy").stderr, "hkpd toy: no input")
    series = [json.loads(line) for line in run("replay", "--summary", "--format", "jsonl", capture).stdout.splitlines()]
    still = sum(row["min"] is not None and row["min"] == row["max"] for row in series)
    assert still > 0 and run("still", capture).stdout == f"{still} of {len(series)}\n", run("still", capture)
    expect(run("--help").stdout, "count samples")
    expect(run("help", "toy", "--man").stdout, "HKPD")
    for shell in ("bash", "zsh", "fish", "powershell"):
        expect(run("completion", shell).stdout, "toy")


def check_input(hkpd, folder):
    """Runs the command on a file of the toy input format, alone, in a directory and compressed."""
    blocks = (ROOT / "testdata/captures/demo.bin").read_bytes()
    content, at = b"TOYS", 0
    while at < len(blocks):  # the blocks of this file state their lengths (TotalByteLength of PERF_DATA_BLOCK)
        (size,) = struct.unpack_from("<I", blocks, at + 20)
        content += struct.pack("<I", size) + blocks[at : at + size]
        at += size
    (folder / "in").mkdir()
    toy, packed, plain = folder / "in/a.toy", folder / "b.gz", folder / "plain.bin"
    toy.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    plain.write_bytes(blocks)

    def run(*arguments, stdin=None):
        return subprocess.run([hkpd, *arguments], capture_output=True, check=True, stdin=stdin).stdout.decode()

    expected = run("replay", plain, "--format", "csv")
    assert expected.count("\n") > 100
    for path in (toy, packed, folder / "in"):
        assert run("replay", path, "--format", "csv") == expected, path
        overview = json.loads(run("info", path, "--format", "json"))["inputs"][0]
        assert overview["kind"] == ("directory" if path.is_dir() else "toy"), overview
        assert overview["samples"] == content.count(b"P\0E\0R\0F\0"), overview
        assert "no faults" in run("check", path), run("check", path)
    with toy.open("rb") as stream:
        assert run("replay", "-", "--format", "csv", stdin=stream) == expected
    assert run("info", toy).startswith(f"{toy}: toy\n"), run("info", toy)


sys.exit(main())
