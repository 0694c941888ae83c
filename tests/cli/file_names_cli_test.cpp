// Files with names that are not ASCII, or longer than Windows accepts by default: wherever a file is opened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capture_cli.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd_test {
namespace file_names_cli_test {

using testing::HasSubstr;

/// In the folder of one test; the second is some 400 bytes long.
const std::string short_folder = "M\u00E4rz \u8A08\u6578 \U0001F600/", long_folder = [] {
    std::string name;
    for (int i = 0; i < 6; ++i) name += std::string(60, static_cast<char>('a' + i)) + "\u00E9/";
    return name;
}();

class FileNames : public CaptureCli, public testing::WithParamInterface<std::string> {
  protected:
    std::string name(const std::string& file) const { return folder_.path(GetParam() + file); }
    std::string written(const std::string& file, const std::string& content) const {
        return folder_.write(GetParam() + file, content);
    }
};

TEST_P(FileNames, OfInputs) {
    const std::string blobs = demo_blobs(2);
    const std::string plain = folder_.write("plain.bin", blobs), blob = written("Z\u00E4hler.bin", blobs);
    const std::string titles = written("\u30C6\u30B9\u30C8.txt", "2\r\nSyst\u00E8me\r\n4\r\nM\u00E9moire\r\n");
    EXPECT_EQ(dump({blob}).out, dump({plain}).out);
    EXPECT_THAT(dump({blob, "--titles", titles}).out, HasSubstr("Syst\u00E8me (2)"));
    EXPECT_THAT(hkpd_test::titles({"list", titles}).out, HasSubstr("M\u00E9moire"));
    EXPECT_EQ(dump({name("")}).exit, 0);
    const std::string paths = written("-\u00FC-.txt", "\\System\\Threads\r\n\"\\System\\Processes\"\r\n");
    const Result replayed = run({"replay", blob, "-cf", paths, "--format", "pdh-csv"});
    EXPECT_EQ(replayed.exit, 0) << replayed.err;
    EXPECT_THAT(replayed.out, testing::AllOf(HasSubstr(R"(\System\Threads")"), HasSubstr(R"(\System\Processes")")));
}

TEST_P(FileNames, InMessages) {
    const std::string blob = written("Z\u00E4hler.bin", demo_blobs(1).substr(0, 3000));
    EXPECT_THAT(dump({blob}).err, testing::StartsWith(blob + ": offset "));
    EXPECT_THAT(dump({name("nicht da \u00E4.bin")}).err, HasSubstr("nicht da \u00E4.bin: "));
    EXPECT_EQ(dump({name("nicht da \u00E4.bin")}).exit, 3);
}

TEST_P(FileNames, OfOutputs) {
    const std::string blobs = demo_blobs(3), blob = written("Z\u00E4hler.bin", blobs), made = name("\u00FC.mcap");
    // The second time it replaces the first file.
    for (int i = 0; i < 2; ++i) EXPECT_EQ(capture({blob, "-o", made}).exit, 0);
    EXPECT_THAT(capture({"--info", made}).out, HasSubstr("finished, with index"));
    EXPECT_EQ(capture({made, "-o", made}).exit, 2);  // input and output are the same file
    const Result exported = capture({"--export", name("\u00DCbersicht"), made});
    EXPECT_EQ(exported.exit, 0) << exported.err;
    EXPECT_EQ(all_files(name("\u00DCbersicht"), ".bin"), blobs);
}

TEST_P(FileNames, OfTextfiles) {
    const std::string blobs = written("plain.bin", demo_blobs(2)), metrics = name("Z\u00E4hler.prom");
    for (int i = 0; i < 2; ++i) {
        const Result replayed = run({"replay", blobs, "--format", "openmetrics", "--textfile", metrics});
        EXPECT_EQ(replayed.exit, 0) << replayed.err;
    }
    EXPECT_TRUE(read_file(hkpd::path_of(metrics)).starts_with("# TYPE "));
}

TEST_P(FileNames, OfDatabases) {
    const std::string blobs = folder_.write("plain.bin", demo_blobs(2));
    const std::string note = written("note.txt", "to do\n"), database = name("Z\u00E4hler.db");
    const auto add_to = [&blobs](const std::string& path) {
        return run({"replay", blobs, "--format", "sqlite", "-o", path});
    };
    for (int i = 0; i < 2; ++i) EXPECT_EQ(add_to(database).exit, 0);
    EXPECT_TRUE(read_file(hkpd::path_of(database)).starts_with("SQLite format 3"));
    // Shorter than a page, SQLite would take it for an empty database.
    EXPECT_THAT(add_to(note).err, HasSubstr("file is not a database"));
    EXPECT_EQ(read_file(hkpd::path_of(note)), "to do\n");
}

/// Returns a capture with title databases of these names.
std::string with_titles(const std::vector<std::string>& names) {
    std::string file;
    hkpd::CaptureWriter writer(
        [&file](std::span<const std::byte> bytes) {
            file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return true;
        },
        {});
    hkpd::Recorder recorder(writer);
    for (const std::string& name : names) recorder.add_titles({name, "2\n" + name + "\n", "009"});
    const blob::Blob blob = blob::build(demo::machine(0));
    hkpd::Diagnostics diagnostics;
    recorder.add({hkpd::Record::Kind::v1_block, hkpd::Bytes(blob.bytes())}, diagnostics);
    recorder.finish();
    writer.finish();
    return file;
}

TEST_F(CaptureCli, NamesFromACaptureAreValidOnEverySystem) {
    const std::string path = folder_.write(
        "odd.mcap", with_titles({"nul", "com1.txt", "a?b*<c>.txt", "../up", "C:\\down", ".hidden", "7", "con text"}));
    EXPECT_EQ(capture({"--export", folder_.path("out"), path}).exit, 0);
    std::error_code error;
    std::string names;
    for (const std::string& file : hkpd::files_in(folder_.path("out"), error))
        if (!file.ends_with(".bin")) names += hkpd::path_text(hkpd::path_of(file).filename()) + " | ";
    EXPECT_EQ(names,
              "manifest.jsonl | titles-7.titles | titles-_hidden.titles | titles-a_b__c_.txt | titles-com1.txt | "
              "titles-con_text.titles | titles-down.titles | titles-nul.titles | titles-up.titles | ");
}

INSTANTIATE_TEST_SUITE_P(All, FileNames, testing::Values(short_folder, long_folder),
                         [](const auto& parameter) { return parameter.index == 0 ? "NotAscii" : "Long"; });

}  // namespace file_names_cli_test
}  // namespace hkpd_test
