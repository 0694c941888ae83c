// `hkpd dump`: options, the table, exit codes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_quirks.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace dump_cli_test {

using Arguments = std::vector<std::string>;
namespace type = blob::counter_type;

blob::Object processor() {
    return {
        .title = 238,
        .kind = blob::Kind::multi,
        .counters = {{.title = 6, .type = 0x21510500, .size = 8}, {.title = 148, .type = type::counter}},
        .instances = {
            {.name = u"0", .values = {1, 2}}, {.name = u"1", .values = {3, 4}}, {.name = u"_Total", .values = {5, 6}}}};
}

blob::Block machine(std::int64_t time = 1) {
    return {.objects = {processor(), {.title = 2, .counters = {{.title = 44}, {.title = 250}}, .values = {7, 8}}},
            .machine = u"GETAWAY",
            .perf_time = time};
}

class DumpCommand : public testing::Test {
  protected:
    Result dump_of(const blob::Block& block, Arguments options = {}) {
        return dump_of(blob::build(block), std::move(options));
    }
    Result dump_of(const blob::Blob& blob, Arguments options = {}) {
        options.push_back(folder_.write("input.bin", blob));
        return dump(options);
    }
    /// Returns the values of a dump as CSV: `238/0/6=1`, ...
    static std::string values(const Result& result) {
        std::string text;
        const auto all = lines(result.out);
        for (std::size_t i = 1; i < all.size(); ++i) {
            std::vector<std::string> fields{""};
            for (const char c : all[i]) c == ',' ? fields.emplace_back() : fields.back() += c;
            text += fields.at(4) + "/" + fields.at(7) + "/" + fields.at(13) + "=" + fields.at(15) + " ";
        }
        return text;
    }
    std::string values_of(const blob::Block& block, Arguments options) {
        options.insert(options.end(), {"--format", "csv"});
        const Result result = dump_of(block, options);
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_EQ(result.err, "");
        return values(result);
    }

    TempFolder folder_;
};

TEST_F(DumpCommand, Table) {
    const Result result = dump_of(machine());
    EXPECT_EQ(result.exit, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.out,
              "machine GETAWAY, 2020-09-13T12:26:40.123Z, 2 objects, raw values, names: built-in (language 009)\n"
              "\n"
              "Processor (238), 3 instances, 2 counters\n"
              "          % Processor\n"
              "                 Time  Interrupts/sec\n"
              "               100 ns\n"
              "  0                 1               2\n"
              "  1                 3               4\n"
              "  _Total            5               6\n"
              "\n"
              "System (2), 2 counters\n"
              "  Processor Queue Length  7\n"
              "  Threads                 8\n");
}

TEST_F(DumpCommand, TypesOnDemand) {
    const Result plain = dump_of(machine()), typed = dump_of(machine(), {"--types"});
    EXPECT_EQ(plain.out.find("PERF_"), std::string::npos);
    for (const std::string_view name : {"PERF_100NSEC_TIMER_INV", "PERF_COUNTER_COUNTER", "PERF_COUNTER_RAWCOUNT"})
        EXPECT_NE(typed.out.find(name), std::string::npos) << typed.out;
    blob::Block odd = machine();
    odd.objects[1].counters[0].type = 0x12345678;
    EXPECT_NE(dump_of(odd, {"--types"}).out.find("0x12345678"), std::string::npos);
}

TEST_F(DumpCommand, HelpTextOnDemand) {
    const std::string names =
        folder_.write("names.txt", "2\tSystem\n3\tAbout the system.\n44\tQueue\n45\tAbout the queue.\n");
    const Result plain = dump_of(machine(), {"--titles", names}),
                 helped = dump_of(machine(), {"--titles", names, "--help-text"});
    EXPECT_EQ(plain.out.find("About"), std::string::npos);
    EXPECT_NE(helped.out.find("About the system."), std::string::npos);
    EXPECT_NE(helped.out.find("About the queue."), std::string::npos);
}

TEST_F(DumpCommand, NumbersWhereNamesAreUnknown) {
    const Result result = dump_of({.objects = {{.title = 4444, .counters = {{.title = 4446}}, .values = {99}}}});
    EXPECT_EQ(result.exit, 0);
    EXPECT_NE(result.out.find("4444"), std::string::npos);
    EXPECT_NE(result.out.find("4446  99"), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("built-in"), std::string::npos) << result.out;
}

TEST_F(DumpCommand, Titles) {
    const std::string german = folder_.write("perfc007.dat", "238\nProzessor\n6\nProzessorzeit (%)\n");
    const std::string english = folder_.write("perfc009.dat", "238\nProcessor\n2\nSystem\n148\nInterrupts/sec\n");
    folder_.write("folder/perfc007.dat", "238\nProzessor\n");
    folder_.write("folder/readme", "nothing");
    const auto first_object = [&](const Arguments& options) {
        const Result result = dump_of(machine(), options);
        EXPECT_EQ(result.exit, 0) << result.err;
        EXPECT_EQ(result.err, "");
        const auto all = lines(result.out);
        return all[0].substr(all[0].find("names:")) + "|" + all[2].substr(0, all[2].find(' '));
    };
    EXPECT_EQ(first_object({"--titles", german}), "names: perfc007.dat (language 007)|Prozessor");
    EXPECT_EQ(first_object({"--titles", german, "--titles", english}),
              "names: perfc009.dat (language 009), perfc007.dat (language 007)|Processor");
    EXPECT_EQ(first_object({"--titles", german, "--titles", english, "--lang", "007"}),
              "names: perfc007.dat (language 007), perfc009.dat (language 009)|Prozessor");
    EXPECT_EQ(first_object({"--titles", german, "--titles", english, "--lang", "7"}).substr(0, 20),
              "names: perfc007.dat ");
    EXPECT_EQ(first_object({"--titles", folder_.path("folder")}), "names: perfc007.dat (language 007)|Prozessor");
}

TEST_F(DumpCommand, TitlesThatCannotBeRead) {
    const Result missing = dump_of(machine(), {"--titles", folder_.path("nothing.dat")});
    EXPECT_EQ(missing.exit, 3);
    EXPECT_NE(missing.err.find("nothing.dat"), std::string::npos);
    const Result wrong = dump_of(machine(), {"--titles", folder_.write("blob.bin", blob::build(machine()))});
    EXPECT_EQ(wrong.exit, 3);
    EXPECT_NE(wrong.err.find("blob.bin"), std::string::npos);
    EXPECT_NE(wrong.out.find("_Total"), std::string::npos) << "valid parts are shown";
}

TEST_F(DumpCommand, Filters) {
    EXPECT_EQ(values_of(machine(), {}),
              "238/0/6=1 238/0/148=2 238/1/6=3 238/1/148=4 238/_Total/6=5 238/_Total/148=6 2//44=7 2//250=8 ");
    EXPECT_EQ(values_of(machine(), {"--object", "system"}), "2//44=7 2//250=8 ");
    EXPECT_EQ(values_of(machine(), {"--object", "2", "--counter", "Thr*"}), "2//250=8 ");
    EXPECT_EQ(values_of(machine(), {"--instance", "_total"}), "238/_Total/6=5 238/_Total/148=6 ");
    EXPECT_EQ(values_of(machine(), {"--instance", "0", "--instance", "1", "--counter", "6"}), "238/0/6=1 238/1/6=3 ");
    EXPECT_EQ(values_of(machine(), {"--counter", "% processor time", "--counter", "44"}),
              "238/0/6=1 238/1/6=3 238/_Total/6=5 2//44=7 ");
    EXPECT_EQ(values_of(machine(), {"--path", R"(\Processor(_Total)\% Processor Time)"}), "238/_Total/6=5 ");
    EXPECT_EQ(values_of(machine(), {"--path", R"(\\getaway\238(*)\6)", "--path", R"(\System\Threads)"}),
              "238/0/6=1 238/1/6=3 238/_Total/6=5 2//250=8 ");
    EXPECT_EQ(values_of(machine(), {R"(--path=\Processor(0)\6)"}), "238/0/6=1 ");
}

TEST_F(DumpCommand, FiltersThatMatchNothing) {
    for (const Arguments& options :
         {Arguments{"--object", "Prozessor"}, Arguments{"--instance", "absent"}, Arguments{"--counter", "9"},
          Arguments{"--path", R"(\Processor(9)\6)"}, Arguments{"--object", "Processor", "--object", "Prozessor"}}) {
        const Result result = dump_of(machine(), options);
        EXPECT_EQ(result.exit, 2) << options.back();
        EXPECT_EQ(lines(result.err).size(), 1U) << result.err;
        EXPECT_NE(result.err.find(options.back()), std::string::npos) << result.err;
    }
}

TEST_F(DumpCommand, SeverityDecidesTheExitCode) {
    const auto exit_and_faults = [&](const blob::Blob& blob, Arguments options = {}) {
        const Result result = dump_of(blob, std::move(options));
        return std::to_string(result.exit) + " " + std::to_string(lines(result.err).size());
    };
    blob::Block note = machine();
    note.objects[0].instances[0].parent_object = 4000;
    EXPECT_EQ(exit_and_faults(blob::build(note)), "0 0");
    EXPECT_EQ(exit_and_faults(blob::build(note), {"-v"}), "0 1");
    EXPECT_EQ(exit_and_faults(blob::build(note), {"--strict"}), "0 0");
    const blob::Blob warning = blob::samba_like(machine());
    EXPECT_EQ(exit_and_faults(warning), "0 1");
    EXPECT_EQ(exit_and_faults(warning, {"--strict"}), "1 1");
    blob::Blob error = blob::build(machine());
    error.put32(error.counter(0, 1) + blob::counter_definition::CounterOffset, 1U << 20U);
    EXPECT_EQ(exit_and_faults(error), "1 1");
    EXPECT_EQ(exit_and_faults(error, {"--strict"}), "1 1");
}

TEST_F(DumpCommand, StrictEndsAtTheFirstFault) {
    const std::string input =
        folder_.write("input.bin", to_text(blob::build(machine(1))) + "junk" + to_text(blob::samba_like(machine(2))) +
                                       to_text(blob::build(machine(3))));
    const Result loose = dump({"--format", "csv", input}), strict = dump({"--format", "csv", "--strict", input});
    EXPECT_EQ(loose.exit, 0) << loose.err;
    EXPECT_EQ(lines(loose.out).size(), 1U + 3 * 8);
    EXPECT_EQ(strict.exit, 1);
    EXPECT_LE(lines(strict.out).size(), 1U + 8);
    EXPECT_EQ(lines(strict.err).size(), 1U) << strict.err;
    EXPECT_NE(strict.err.find("belong to no structure"), std::string::npos) << strict.err;
}

TEST_F(DumpCommand, LimitOfValues) {
    const Result result = dump_of(machine(), {"--limit-values", "4", "--format", "csv"});
    EXPECT_EQ(result.exit, 1);
    EXPECT_EQ(values(result), "238/0/6=1 238/0/148=2 238/1/6=3 238/1/148=4 ");
    EXPECT_NE(result.err.find("a limit on the values of a sample (--limit-values) is reached"), std::string::npos)
        << result.err;
    EXPECT_EQ(dump_of(machine(), {"--limit-values", "8"}).exit, 0);
}

TEST_F(DumpCommand, InputsOfEveryKind) {
    const blob::Block first = machine(1), second = machine(2);
    folder_.write("folder/2.bin", blob::build(second));
    folder_.write("folder/1.bin", blob::build(first));
    const std::string both = to_text(blob::build(first)) + to_text(blob::build(second));
    const Result files = dump({folder_.path("folder/1.bin"), folder_.path("folder/2.bin")});
    EXPECT_EQ(files.exit, 0);
    EXPECT_NE(files.out, "");
    EXPECT_EQ(dump({folder_.path("folder")}).out, files.out);
    EXPECT_EQ(dump({"-"}, both).out, files.out);
    EXPECT_EQ(dump({folder_.write("both.bin", both)}).out, files.out);
    const Result missing = dump({folder_.path("folder/1.bin"), folder_.path("missing"), folder_.path("folder/2.bin")});
    EXPECT_EQ(missing.exit, 3);
    EXPECT_EQ(missing.out, files.out) << "what can be read is shown";
}

#ifndef _WIN32
/// Otherwise the input before the failure of a disk or a network would pass for all of it.
TEST_F(DumpCommand, AFailingStandardInputIsNotTakenForItsEnd) {
    for (const char* const what : {"dump", "check", "map", "replay --v2"}) {
        const std::string script = std::string("\"$0\" ") + what + " - </";
        const Result result = run({.arguments = {"-c", script, command_file}, .program = "/bin/sh"});
        EXPECT_EQ(result.exit, 3) << what;
        EXPECT_NE((result.out + result.err).find("-: error: cannot be read: Is a directory"), std::string::npos)
            << result.out << result.err;
    }
}
#endif

TEST_F(DumpCommand, OneDamagedObjectOfTenCostsOnlyItself) {
    blob::Block block;
    for (std::uint32_t i = 0; i < 10; ++i) {
        block.objects.push_back(processor());
        block.objects.back().title = 1000 + i;
    }
    blob::Blob blob = blob::build(block);
    for (const std::size_t from : {0U, 4U, 8U, 32U, 40U, 64U}) {
        blob::Blob ruined = blob;
        ruined.fill(ruined.object(4) + from, 200, 0xFF);
        if (from == 4) ruined.put32(ruined.object(4), 7);
        const Result result = dump_of(ruined, {"--format", "csv"});
        EXPECT_EQ(result.exit, 1) << from;
        for (std::uint32_t i = 0; i < 10; ++i)
            EXPECT_EQ(result.out.find("," + std::to_string(1000 + i) + ",,,_Total,,,1,_Total,% Processor Time,6") !=
                          std::string::npos,
                      i != 4)
                << from << " " << i;
    }
}

TEST_F(DumpCommand, NoNameReachesATerminalUnescaped) {
    const std::u16string evil = u"a\u001B[31mb\u009B1mc\u202Ed\ne\tf\u007F\u2028g";
    blob::Block block = machine();
    block.machine = evil;
    block.objects[0].instances[0].name = evil;
    block.objects[1].counters[1] = {.title = 250, .type = type::text_unicode, .size = 64};
    block.objects[1].values = {1, blob::utf16(evil)};
    const std::string names = folder_.write(
        nameable("na\x1Bmes\xFF.txt"), "238\tPro\x1B[2Jcessor\n239\tHe\x1B[2Jlp\n6\tTi\u202Eme\n44\tQue\u0090ue\n");
    const std::string input = folder_.write(nameable("in\x1B[2Jput.bin"), blob::samba_like(block));
    const Result result = dump({input, "--titles", names, "--help-text", "--types"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_NE(result.err, "");
    for (const std::string& text : {result.out, result.err}) {
        for (const char c : text) EXPECT_FALSE((c >= 0 && c < ' ' && c != '\n') || c == '\x7F') << static_cast<int>(c);
        for (const std::string_view hidden : {"\u009B", "\u0090", "\u202E", "\u2028"})
            EXPECT_EQ(text.find(hidden), std::string::npos);
        EXPECT_EQ(text.find('\xFF'), std::string::npos);
    }
    EXPECT_NE(result.out.find("a\\x1B[31mb\\x9B1mc\\u202Ed\\x0Ae\\x09f\\x7F\\u2028g"), std::string::npos) << result.out;
}

}  // namespace dump_cli_test
}  // namespace hkpd_test
