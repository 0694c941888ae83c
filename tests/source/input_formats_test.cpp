// What an input is: one answer for everything that asks, whether it is in memory, in a file or in a pipe.
#include "source/input_formats.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/reader.hpp"
#include "support/blob_builder.hpp"
#include "support/log_bytes.hpp"
#include "support/packed_bytes.hpp"
#include "support/places.hpp"
#include "support/record_source.hpp"
#include "support/v2_builder.hpp"

namespace hkpd_test {
namespace input_formats_test {

using hkpd::InputKind;

const std::string text_log =
    std::string(R"x("(PDH-CSV 4.0) (UTC)(0)","\\PC\System\Threads")x") + "\n\"05/14/2024 09:30:02.500\",\"7\"\n";

std::string file_of_testdata(const std::string& name) {
    std::ifstream file(std::string(testdata_folder) + '/' + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// A stream that cannot seek, as a pipe, and counts the bytes that were requested.
class PipeBuffer final : public std::streambuf {
  public:
    explicit PipeBuffer(std::string text) : text_(std::move(text)) {}
    std::size_t requested = 0;

  private:
    std::streamsize xsgetn(char* to, std::streamsize size) override {
        requested += static_cast<std::size_t>(size);
        const std::size_t got = text_.copy(to, static_cast<std::size_t>(size), at_);
        at_ += got;
        return static_cast<std::streamsize>(got);
    }
    int_type underflow() override {
        return at_ == text_.size() ? traits_type::eof() : traits_type::to_int_type(text_[at_]);
    }

    std::string text_;
    std::size_t at_ = 0;
};

struct Case {
    InputKind kind;
    std::string content;
};

/// One input of each kind, and some that are of none.
std::vector<Case> cases() {
    const std::string v1 = to_text(blob::build({.objects = {}}));
    return {{InputKind::v1, v1},
            {InputKind::v1, v1.substr(0, 8)},
            {InputKind::capture, file_of_testdata("captures/demo.mcap")},
            {InputKind::archive, packed::zip({{.name = "a", .text = v1}})},
            {InputKind::log, log_file::build({}).text()},
            {InputKind::text_log, text_log},
            {InputKind::text_log, "\n\n" + text_log},
            {InputKind::titles, "1\n1847\n2\nSystem\n4\nMemory\n"},
            {InputKind::v2, to_text(v2_blob::build({}))},
            {InputKind::unknown, packed::gzip(v1)},
            {InputKind::unknown, "no performance data"},
            {InputKind::unknown, "P"},
            {InputKind::unknown, ""}};
}

TEST(InputFormats, EachInputHasOneKindWhereverItIs) {
    for (const auto& [kind, content] : cases()) {
        hkpd::StreamWindow memory(std::as_bytes(std::span(content)));
        EXPECT_EQ(recognise(memory, {}), kind) << kind_name(kind);
        std::istringstream file(content);
        hkpd::StreamWindow in_file(file);
        EXPECT_EQ(recognise(in_file, {}), kind) << kind_name(kind);
        PipeBuffer buffer(content);
        std::istream pipe(&buffer);
        hkpd::StreamWindow in_pipe(pipe);
        EXPECT_EQ(recognise(in_pipe, {}), kind) << kind_name(kind);
        for (hkpd::StreamWindow* window : {&memory, &in_file, &in_pipe}) {  // still at the beginning
            EXPECT_EQ(window->offset(), 0U);
            EXPECT_EQ(window->peek(content.size() + 1).size(), content.size()) << kind_name(kind);
        }
    }
}

TEST(InputFormats, TheBeginningIsEnoughForThoseThatAreStreams) {
    for (const auto& [kind, content] : cases()) {
        PipeBuffer buffer(content);
        std::istream pipe(&buffer);
        hkpd::StreamWindow window(pipe);
        const bool needs_all = hkpd::input_format(kind).needs_all;
        EXPECT_EQ(recognise_beginning(window, {}), needs_all ? InputKind::unknown : kind) << kind_name(kind);
        EXPECT_LE(buffer.requested, 2048U) << kind_name(kind);
        EXPECT_FALSE(needs_all && hkpd::input_format(kind).open != nullptr);
    }
}

// A sender of blocks may pause after a few bytes.
TEST(InputFormats, OfABlockEightBytesAreRead) {
    PipeBuffer buffer(to_text(blob::build({.objects = {}})));
    std::istream pipe(&buffer);
    hkpd::StreamWindow window(pipe);
    EXPECT_EQ(recognise_beginning(window, {}), InputKind::v1);
    EXPECT_LE(buffer.requested, 8U);
}

// Identifying an unknown file as V2 would take all of it.
TEST(InputFormats, LargeUnknownInputsAreNotReadWhole) {
    std::string content(4U << 20U, '\xAA');
    std::istringstream file(content);
    hkpd::StreamWindow window(file);
    EXPECT_EQ(recognise(window, {}), InputKind::unknown);
    EXPECT_LT(window.held().size(), content.size() / 8);
}

TEST(InputFormats, EachKindHasAName) {
    EXPECT_EQ(kind_name(InputKind::unknown), "unknown");
    EXPECT_EQ(kind_name(InputKind::directory), "directory");
    EXPECT_EQ(kind_name(InputKind::v1), "v1");
    EXPECT_EQ(kind_name(InputKind::capture), "capture");
    EXPECT_EQ(kind_name(InputKind::archive), "archive");
    EXPECT_EQ(kind_name(InputKind::log), "log");
    EXPECT_EQ(kind_name(InputKind::text_log), "text_log");
    EXPECT_EQ(kind_name(InputKind::titles), "titles");
    EXPECT_EQ(kind_name(InputKind::v2), "v2");
    EXPECT_EQ(kind_name(InputKind{99}), "unknown");
}

// That its values are cooked is known of a text log, also of a compressed one and of several in one input.
TEST(InputFormats, AReaderKnowsItsTextLogs) {
    for (const bool is_packed : {false, true}) {
        const std::string content = is_packed ? packed::gzip(text_log + text_log) : text_log + text_log;
        hkpd::Diagnostics faults;
        auto reader = hkpd::Reader::open(std::as_bytes(std::span(content)), {.diagnostics = &faults});
        ASSERT_TRUE(reader);
        EXPECT_TRUE(reader->text_logs().empty());
        while (reader->next()) {
        }
        ASSERT_EQ(reader->text_logs().size(), 2U);
        EXPECT_EQ(reader->text_logs()[0].offset, 0U);
        EXPECT_EQ(reader->text_logs()[1].offset, text_log.size());
        EXPECT_EQ(faults.inputs()[reader->text_logs()[1].input], "bytes");
        hkpd::Diagnostics found;
        EXPECT_EQ(summarize(std::as_bytes(std::span(content)), {}, found).kind, InputKind::text_log);
    }
}

TEST(InputFormats, ABinaryLogHasRawValues) {
    const std::string content = file_of_testdata("corpus/blg/raw");
    auto reader = hkpd::Reader::open(std::as_bytes(std::span(content)));
    ASSERT_TRUE(reader && reader->next());
    while (reader->next()) {
    }
    EXPECT_TRUE(reader->text_logs().empty());
}

}  // namespace input_formats_test
}  // namespace hkpd_test
