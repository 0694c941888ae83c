// The whole way from a stream of bytes to every form of output, on damaged input: every truncation and every byte
// changed of three captures. What lies before the damage still comes out as it was.
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "v1/block_stream.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write.hpp"
#include "support/places.hpp"

namespace {

using namespace hkpd;

class StreamSource final : public Source {
  public:
    explicit StreamSource(const std::string& bytes) : input_(bytes), stream_(input_, limits_) {}
    std::optional<Record> next(Diagnostics& diagnostics) override {
        if (!entered_) diagnostics.enter_input("stream");
        entered_ = true;
        const auto block = stream_.next(diagnostics);
        return block ? std::optional(Record{Record::Kind::v1_block, *block}) : std::nullopt;
    }

  private:
    std::istringstream input_;
    Limits limits_;
    BlockStream stream_;
    bool entered_ = false;
};

struct Output {
    std::map<std::uint32_t, std::string> objects;  // title index → its values as CSV, without the block's own fields
    std::uint64_t errors = 0;
};

/// The columns behind machine and object: what the object itself says. The parent's name lies in another object.
std::string own_part(const std::string& line) {
    std::size_t at = 0;
    for (int comma = 0; comma < 3; ++comma) at = line.find(',', at) + 1;
    return line.substr(at) + '\n';
}

Output decode(const std::string& bytes) {
    static const Titles titles = [] {
        Titles own;
        own.add(builtin_titles());
        return own;
    }();
    const auto start = std::chrono::steady_clock::now();
    Output output;
    Diagnostics diagnostics;
    StreamSource source(bytes);
    SampleReader reader(source, &titles, {});
    std::map<Format, std::unique_ptr<Writer>> writers;
    std::map<Format, std::string> texts;
    for (const Format format : {Format::table, Format::json, Format::jsonl, Format::csv}) {
        writers[format] = make_writer(format, {&titles, true, true, 100});
        writers[format]->begin(texts[format]);
    }
    Sample sample;
    std::vector<Selected> selected;
    Filter filter;
    while (reader.next(sample, diagnostics)) {
        filter.select(sample, selected);
        for (auto& [format, writer] : writers) writer->sample(sample, selected, nullptr, texts[format]);
        for (const Selected& part : selected) {
            std::string lines;
            make_writer(Format::csv, {&titles})->sample(sample, {&part, 1}, nullptr, lines);
            std::string own;
            std::istringstream in(lines);
            for (std::string line; std::getline(in, line);) own += own_part(line);
            output.objects.emplace(sample.objects()[part.object].title_index, own);
        }
    }
    for (auto& [format, writer] : writers) writer->end(diagnostics, texts[format]);
    rapidjson::Document document;
    document.Parse<rapidjson::kParseValidateEncodingFlag>(texts[Format::json].data(), texts[Format::json].size());
    EXPECT_FALSE(document.HasParseError());
    for (const Diagnostic& diagnostic : diagnostics.kept()) EXPECT_LE(diagnostic.error.offset, bytes.size());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    output.errors = diagnostics.count(Severity::error);
    return output;
}

class PipelineMutation : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        std::ifstream file(std::string(hkpd_test::testdata_folder) + "/captures/" + GetParam(), std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(file), {});
        ASSERT_FALSE(bytes.empty());
        whole = decode(bytes);
        ASSERT_EQ(whole.errors, 0U);
        v1::Block block;
        Diagnostics diagnostics;
        ASSERT_TRUE(block.open(Bytes(std::as_bytes(std::span(bytes))), diagnostics));
        for (const v1::ObjectEntry& entry : block.objects()) ends[entry.title_index] = entry.bytes.end();
    }

    /// Objects that end at or before `at` are there as they were.
    void expect_before(const Output& output, std::size_t at) const {
        for (const auto& [title, end] : ends) {
            if (end > at) continue;
            const auto found = output.objects.find(title);
            ASSERT_NE(found, output.objects.end()) << "object " << title;
            EXPECT_EQ(found->second, whole.objects.at(title));
        }
    }

    std::string bytes;
    Output whole;
    std::map<std::uint32_t, std::uint64_t> ends;
};

TEST_P(PipelineMutation, EveryTruncation) {
    for (std::size_t size = 0; size < bytes.size() && !HasFailure(); ++size) {
        SCOPED_TRACE(size);
        const Output output = decode(bytes.substr(0, size));
        expect_before(output, size);
        EXPECT_NE(size == 0 ? 1U : output.errors, 0U);
    }
}

TEST_P(PipelineMutation, EveryByte) {
    const std::size_t first_object = bytes.size() < 88
                                         ? 0
                                         : load<std::uint32_t>(std::as_bytes(std::span(bytes)).data() + 24,
                                                               bytes[0] == 'P' ? ByteOrder::little : ByteOrder::big);
    for (std::size_t at = 0; at < bytes.size() && !HasFailure(); ++at) {
        for (const char value : {'\x00', '\x7F', '\x80', '\xFF'}) {
            SCOPED_TRACE(std::to_string(at) + " is " + std::to_string(static_cast<unsigned char>(value)));
            std::string changed = bytes;
            changed[at] = value;
            const Output output = decode(changed);
            if (at >= first_object) expect_before(output, at);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Captures, PipelineMutation,
                         testing::Values("big-endian.bin", "text-and-bytes.bin", "xp-like.bin"),
                         [](const auto& capture) {
                             std::string name = capture.param;
                             std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
                             return name;
                         });

}  // namespace
