// `--jobs`: the output for many inputs equals that of a loop over them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "capture_cli.hpp"
#include "support/machine.hpp"
#include "support/places.hpp"

namespace hkpd_test {
namespace jobs_cli_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Strings = std::vector<std::string>;

Strings operator+(Strings all, const Strings& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

class JobsCli : public CaptureCli {
  protected:
    /// Runs them like a shell: `for f in INPUT...; do hkpd ... $f; done`, with the header of CSV once.
    static Result loop(const Strings& arguments, const Strings& inputs) {
        Result all;
        all.exit = 0;
        const bool csv = std::ranges::count(arguments, "csv") != 0;
        for (const std::string& input : inputs) {
            const Result one = run(arguments + Strings{input});
            const bool headed = csv && &input != &inputs.front();
            all.out += headed ? one.out.substr(one.out.find('\n') + 1) : one.out;
            all.err += one.err;
            all.exit = std::max(all.exit, one.exit);
        }
        return all;
    }

    static void expect_as_loop(const Strings& arguments, const Strings& inputs) {
        const Result expected = loop(arguments, inputs);
        for (const std::string jobs : {"1", "2", "3", "16"}) {
            const Result result = run(arguments + Strings{"--jobs", jobs} + inputs);
            EXPECT_EQ(result.exit, expected.exit);
            EXPECT_EQ(result.err, expected.err);
            EXPECT_TRUE(result.out == expected.out) << testing::PrintToString(arguments) << " --jobs " << jobs << ": "
                                                    << result.out.size() << " bytes, not " << expected.out.size();
        }
    }

    static std::string damaged() { return std::string(testdata_folder) + "/captures/damaged.bin"; }
    std::string missing() const { return folder_.path("missing"); }
    std::string demo(std::string_view name, std::uint64_t samples) const {
        return folder_.write(name, demo_blobs(samples));
    }
    std::string machine(const std::string& name, std::u16string machine, std::uint32_t title) const {
        return folder_.write(name,
                             blob::build({.objects = {{.title = title, .counters = {{.title = 904}}, .values = {1U}}},
                                          .machine = std::move(machine)}));
    }
    /// Returns valid and damaged inputs, other machines, a directory with its own titles, and a file that is no input.
    Strings all_kinds() const {
        demo("directory/1.bin", 2);
        folder_.write("directory/counter-007.txt", "1\r\n1847\r\n238\r\nProzessor\r\n");
        return {demo("a.bin", 3),
                folder_.path("directory"),
                damaged(),
                machine("b.bin", u"OTHER", 238),
                missing(),
                made("c.mcap", demo_blobs(40)),
                folder_.write("none.bin", "nothing of the kind"),
                demo("a2.bin", 3),
                folder_.write("damaged2.bin", read_file(damaged()))};
    }
};

TEST_F(JobsCli, AreALoopOverTheInputs) {
    const Strings inputs = all_kinds();
    for (const std::string subcommand : {"dump", "replay"})
        for (const std::string format : {"table", "jsonl", "csv"})
            expect_as_loop({subcommand, "--format", format}, inputs);
    expect_as_loop({"dump", "--verbose", "--object", "238", "--sample", "0"}, {inputs[0], inputs[2], inputs[1]});
    expect_as_loop({"replay", "--raw", "--from", "1", "--every", "2", "--object", "238"}, {inputs[0], inputs[5]});
    const Result all = run(Strings{"dump", "--jobs", "2"} + inputs);
    EXPECT_EQ(all.exit, 3);  // one of them is missing
    EXPECT_THAT(all.out, AllOf(HasSubstr("Prozessor (238)"), HasSubstr("Processor (238)")));
}

TEST_F(JobsCli, InputsAreIndependent) {
    const Strings inputs{demo("a.bin", 1), machine("b.bin", u"OTHER", 900), demo("c.bin", 1)};
    // In one run these are two samples of a machine, and another machine's between them.
    EXPECT_THAT(run(Strings{"replay"} + inputs).err, HasSubstr("another machine"));
    const Result result = run(Strings{"replay", "--format", "csv", "--jobs", "2"} + inputs);
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, AllOf(HasSubstr("first_sample"), HasSubstr("OTHER")));
    for (const std::string& line : lines(result.out))
        EXPECT_TRUE(line.find(",% Processor Time,") == std::string::npos || line.ends_with(",first_sample")) << line;
}

TEST_F(JobsCli, ManySmallInputsAfterAndBeforeALargeOne) {
    const std::string large = folder_.path("large.mcap");
    ASSERT_EQ(capture({"--simulate", "--count", "8", "-o", large}).exit, 0);
    Strings many;
    for (int i = 0; i < 200; ++i)
        many.push_back(machine(std::to_string(i), u"M", static_cast<std::uint32_t>(2 + 2 * i)));
    const std::string small = dump(Strings{"--format", "jsonl"} + many).out;  // each is an object of its own
    EXPECT_EQ(lines(small).size(), many.size());
    const std::string first = dump({large, "--format", "jsonl"}).out;
    for (const std::string jobs : {"2", "7", "256"}) {
        const Strings arguments{"dump", "--format", "jsonl", "--jobs", jobs};
        EXPECT_TRUE(run(arguments + Strings{large} + many).out == first + small) << jobs;
        EXPECT_TRUE(run(arguments + many + Strings{large}).out == small + first) << jobs;
    }
}

TEST_F(JobsCli, AFilterThatMatchesInOneInputIsMatched) {
    const Strings inputs{demo("a.bin", 2), machine("b.bin", u"OTHER", 900), demo("c.bin", 4)};
    const auto exit_and_error = [&](const Strings& arguments) {
        const Result result = run(arguments + Strings{"--jobs", "2"} + inputs);
        return std::pair(result.exit, result.err);
    };
    using Found = std::pair<int, std::string>;
    EXPECT_EQ(exit_and_error({"dump", "--object", "900", "--object", "Processor"}), Found(0, ""));
    EXPECT_EQ(exit_and_error({"replay", "--object", "900"}), Found(0, ""));
    EXPECT_EQ(exit_and_error({"dump", "--object", "900", "--object", "nothing"}),
              Found(2, "hkpd dump: no object 'nothing' in any sample\n"));
    EXPECT_EQ(exit_and_error({"replay", "--path", R"(\nothing\x)"}),
              Found(2, "hkpd replay: no path '\\nothing\\x' in any sample\n"));
    EXPECT_EQ(exit_and_error({"dump", "--sample", "3"}), Found(0, ""));
    EXPECT_EQ(exit_and_error({"dump", "--sample", "4"}),
              Found(2, "hkpd dump: no sample 4: the longest input has 4 samples (see hkpd dump --help)\n"));
    EXPECT_EQ(exit_and_error({"dump", "--from", "3"}), Found(0, ""));
    EXPECT_EQ(exit_and_error({"dump", "--from", "4"}), Found(2, "hkpd dump: no sample in the range\n"));
    EXPECT_EQ(exit_and_error({"replay", "--from", "3"}), Found(0, ""));
    EXPECT_EQ(exit_and_error({"replay", "--from", "4"}), Found(2, "hkpd replay: no sample in the range\n"));
    EXPECT_THAT(exit_and_error({"dump", "--source", "v2"}).second, HasSubstr("no sample from v2 was selected"));
    // Damage takes precedence over an unmatched filter.
    EXPECT_EQ(run({"dump", "--jobs", "2", "--object", "nothing", inputs[0], damaged()}).exit, 1);
    EXPECT_EQ(run({"dump", "--jobs", "2", missing(), damaged(), inputs[0]}).exit, 3);
}

TEST_F(JobsCli, StrictEndsAtTheFirstFaultInInputOrder) {
    const std::string good = demo("a.bin", 2), none = folder_.write("none.bin", "nothing of the kind");
    for (const std::string subcommand : {"dump", "replay"}) {
        const Strings arguments{subcommand, "--strict", "--format", "csv"};
        const Result expected = loop(arguments, {good, damaged()});
        const Result result =
            run(arguments + Strings{"--jobs", "3", good, damaged(), demo("b.bin", 2), none, demo("c.bin", 2)});
        EXPECT_EQ(result.exit, 1);
        EXPECT_EQ(result.err, expected.err);
        EXPECT_EQ(lines(result.err).size(), 1U);
        EXPECT_EQ(result.out, expected.out);
    }
}

TEST_F(JobsCli, OptionsThatJobsCannotHaveAreRefused) {
    const std::string good = demo("a.bin", 2);
    for (const std::string jobs : {"0", "257", "-1", "", "many", "2x"})
        EXPECT_THAT(dump({good, "--jobs=" + jobs}).err, HasSubstr("--jobs")) << jobs;
    struct Refused {
        Strings arguments;
        std::string word;
    };
    for (const auto& [arguments, word] : std::vector<Refused>{
             {{"dump", good, "--jobs", "0"}, "1 to 256"},
             {{"dump", good, "--jobs"}, "jobs"},
             {{"dump", good, "--jobs", "2", "--format", "json"}, "jsonl"},
             {{"replay", good, "--jobs", "2", "--format", "json"}, "jsonl"},
             {{"replay", good, "--jobs", "2", "--format", "pdh-csv"}, "text, jsonl and csv"},
             {{"replay", good, "--jobs", "2", "--format", "pdh-tsv"}, "text, jsonl and csv"},
             {{"replay", good, "--jobs", "2", "--format", "openmetrics"}, "text, jsonl and csv"},
             {{"replay", good, "--jobs", "2", "--summary"}, "--summary"},
             {{"replay", good, "--jobs", "2", "--speed", "2"}, "--speed"},
             {{"dump", good, "-", "--jobs", "2"}, "standard input"},
             {{"replay", "-", "--jobs", "2"}, "standard input"},
             {{"dump", "--live", "--jobs", "2"}, "machine"},
             {{"replay", "--simulate", "--jobs", "2"}, "machine"},
             {{"dump", "--jobs", "2", "--v2", good}, "--v2"},
             {{"dump", "--jobs", "2"}, "no input"},
         }) {
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 2) << testing::PrintToString(arguments);
        EXPECT_THAT(result.err, HasSubstr(word));
        EXPECT_EQ(result.out, "");
    }
}

#ifndef _WIN32  // needs a shell

class JobsInAShell : public JobsCli {
  protected:
    /// Runs a script; if it does not end by itself, however busy the machine is, the exit code is 124.
    static Result shell(const std::string& script, const Strings& inputs) {
        return run(
            {.arguments = Strings{"240", "bash", "-c", script, command_file} + inputs, .program = "/usr/bin/timeout"});
    }
    Strings large(int many, const std::string& samples) const {
        const std::string path = folder_.path("large.mcap");
        EXPECT_EQ(capture({"--simulate", "--count", samples, "-o", path}).exit, 0);
        Strings copies{path};
        while (copies.size() < static_cast<std::size_t>(many))
            copies.push_back(folder_.write("large" + std::to_string(copies.size()) + ".mcap", read_file(path)));
        return copies;
    }
};

#ifndef HKPD_SANITIZED  // its memory use is not meaningful
TEST_F(JobsInAShell, MemoryIsBoundedHoweverSlowTheReaderIs) {
    const Strings inputs = large(8, "50");  // 80 MB of JSON Lines each
    // On a busy machine less output has arrived when the reader begins: the test then finds less, but does not fail
    // more easily.
    const Result result = shell(R"("$0" dump --jobs 2 --format jsonl "$@" | { sleep 2; wc -c; })", inputs);
    EXPECT_GT(std::stoll(result.out), 400'000'000);
    EXPECT_EQ(result.err, "");
    constexpr long kib_per_mib = 1024, held = 2 * 32;
    EXPECT_LT(result.peak_kib, peak_memory_kib() + (held + 120) * kib_per_mib);
}
#endif

TEST_F(JobsInAShell, EndsWhenItsOutputIsClosed) {
    const Strings inputs = large(4, "10");
    for (const std::string before : {"", "trap '' PIPE; "}) {
        const Result result =
            shell(before + R"({ "$0" dump --jobs 3 --format csv "$@"; echo $? >&2; } | head -n 1)", inputs);
        EXPECT_THAT(result.out, testing::StartsWith("time,machine,"));
        EXPECT_EQ(result.err, before.empty() ? "141\n" : "3\n");  // SIGPIPE ends it, or a write error does
    }
}

TEST_F(JobsInAShell, EndsWhenItsOutputIsFull) {
    if (is_skipped(missing_full_device())) return;
    const Result full = run({.arguments = Strings{"dump", "--jobs", "3"} + large(4, "10"), .output = "/dev/full"});
    EXPECT_EQ(full.exit, 3);
    EXPECT_THAT(full.err, HasSubstr("standard output: cannot be written"));
    EXPECT_EQ(lines(full.err).size(), 1U);
}

TEST_F(JobsInAShell, NoRunWaitsForAnInputThatNeverArrives) {
    const Strings inputs{damaged(), folder_.path("fifo"), demo("a.bin", 2)};
    EXPECT_EQ(shell(R"(mkfifo "$2"; "$0" dump --strict --jobs 3 "$@")", inputs).exit, 1);
    // Ctrl-C ends it as always. Earlier output has been shown.
    const std::string before = dump({inputs[2]}).out;
    const Result result =
        run_and_interrupt({.arguments = {"dump", "--jobs", "3", inputs[2], inputs[1], demo("b.bin", 2)}},
                          [&](const Result& so_far) { return so_far.out.size() >= before.size(); });
    EXPECT_EQ(result.exit, 128 + SIGINT);
    EXPECT_EQ(result.out, before);
}

#endif

}  // namespace jobs_cli_test
}  // namespace hkpd_test
