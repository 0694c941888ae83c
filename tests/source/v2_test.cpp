// V2 files without a capture as records and samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/record_source.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {
namespace source_v2_test {

using hkpd::Severity;
using Kind = hkpd::Record::Kind;

std::string text_of(std::u16string_view text) { return to_text(v2_blob::build_string(text)); }

class V2Files : public testing::Test {
  protected:
    std::vector<Kept> read(hkpd::V2Files files, const hkpd::Limits& limits = {}) {
        diagnostics_ = hkpd::Diagnostics();
        const auto source = hkpd::open_v2_files(std::move(files), limits);
        std::vector<Kept> records;
        while (const auto record = source->next(diagnostics_)) {
            Kept kept{record->kind, {reinterpret_cast<const char*>(record->bytes.data()), record->bytes.size()}};
            kept.language = record->language;
            kept.counterset = record->counterset;
            kept.request = record->request;
            kept.title_index = record->title_index;
            records.push_back(std::move(kept));
        }
        EXPECT_FALSE(source->next(diagnostics_));
        return records;
    }
    std::vector<Kept> read_blocks(std::string_view content, const hkpd::Limits& limits = {}) {
        return read({.blocks = {folder_.write("b.v2", content)}}, limits);
    }
    std::string write(std::string_view name, std::string_view content) const { return folder_.write(name, content); }
    std::string faults() const { return hkpd_test::faults(diagnostics_); }

    TempFolder folder_;
    hkpd::Diagnostics diagnostics_;
};

const std::string one = v2_block(1, 1).bytes, two = v2_block(2, 2).bytes, three = v2_block(3, 3).bytes;

TEST_F(V2Files, ConcatenatedBlocks) {
    std::string content;
    for (std::uint16_t i = 0; i < 50; ++i) content += v2_block(i, i).bytes;
    const auto records = read_blocks(content);
    ASSERT_EQ(records.size(), 50U);
    for (std::uint16_t i = 0; i < 50; ++i) EXPECT_EQ(records[i], v2_block(i, i));
    EXPECT_EQ(faults(), "");
}

TEST_F(V2Files, PaddingBetweenBlocksIsANote) {
    const auto records = read_blocks(one + std::string(4096, '\0') + two + std::string(12, '\0'));
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[1].bytes, two);
    EXPECT_EQ(faults(), "note leftover_bytes|note leftover_bytes|");
    EXPECT_EQ(diagnostics_.kept()[0].error.offset, one.size());
    EXPECT_EQ(diagnostics_.kept()[1].error.found, 12U);
}

TEST_F(V2Files, InvalidBlocks) {
    const std::string text = "A text that is long enough for a header, and is none: 48 bytes are one.";
    for (const std::string& junk : {std::string("x"), text, std::string(48, '\0'), std::string(1000, '\0'),
                                    std::string(1000, '\xFF'), v1_block(1, 1).bytes, waves_struct()}) {
        EXPECT_TRUE(read_blocks(junk).empty());
        const bool is_text = junk == "x" || junk == text;
        EXPECT_EQ(faults(), is_text ? "error foreign_file|" : "error not_perflib_data|") << junk.size();
        EXPECT_EQ(read_blocks(one + junk).size(), 1U);
        const bool zeros = junk.find_first_not_of('\0') == std::string::npos;
        EXPECT_EQ(faults(), zeros ? "note leftover_bytes|" : "error not_perflib_data|") << junk.size();
        EXPECT_EQ(diagnostics_.kept()[0].error.offset, one.size());
    }
    EXPECT_TRUE(read_blocks("").empty());
    EXPECT_EQ(faults(), "error foreign_file|") << "an empty file";
}

TEST_F(V2Files, ATruncatedBlockIsReturnedAsFarAsItGoes) {
    for (std::size_t size = 1; size < one.size(); ++size) {
        const auto records = read_blocks(two + one.substr(0, size));
        ASSERT_EQ(records.size(), size < 48 ? 1U : 2U) << size;
        if (size < 48) {
            EXPECT_EQ(faults(), "error not_perflib_data|");
        } else {
            EXPECT_EQ(records[1].bytes, one.substr(0, size));
        }
    }
}

TEST_F(V2Files, AWrongLength) {
    for (const std::uint32_t length : {0U, 1U, 47U, 48U, 56U, 100'000U, ~0U}) {
        v2_blob::Blob broken = v2_blob::build(v2_moment(1, 1));
        broken.put32(v2_blob::data_header::dwTotalSize, length);
        const auto alone = read_blocks(to_text(broken));
        ASSERT_EQ(alone.size(), 1U) << length;
        EXPECT_EQ(alone[0].bytes, to_text(broken)) << length;
        const auto first = read_blocks(to_text(broken) + two);
        ASSERT_GE(first.size(), 1U) << length;
        EXPECT_EQ(first[0].bytes.substr(0, 48), to_text(broken).substr(0, 48)) << length;
    }
}

TEST_F(V2Files, ManyDoubtfulBlocksTakeLinearTime) {
    // Each states a huge number of results, and the bytes after it read as a chain of them.
    v2_blob::Blob endless = v2_blob::build({}), link = v2_blob::build({});
    endless.put32(v2_blob::data_header::dwNumCounters, 0xFF'FFFF);
    for (std::size_t at = 8; at < link.size(); at += 4) link.put32(at, at == 8 ? 96 : 0);
    const std::string pair = to_text(endless) + to_text(link);
    ASSERT_EQ(pair.size(), 96U);
    std::string content;
    for (int i = 0; i < 20'000; ++i) content += pair;
    const std::clock_t begin = std::clock();  // processor time: the machine may be busy
    EXPECT_EQ(read_blocks(content).size(), 40'000U);
    EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
}

TEST_F(V2Files, BytesAreLimited) {
    hkpd::Limits limits;
    limits.bytes = one.size();
    EXPECT_EQ(read_blocks(one + two, limits).size(), 2U);
    EXPECT_EQ(faults(), "");
    limits.bytes = one.size() - 1;
    EXPECT_EQ(read_blocks(one + two, limits).size(), 0U);
    EXPECT_EQ(faults(), "error byte_limit|");
    limits.bytes = 20;
    const std::string query = write("q", v2_query().bytes), structure = write("r", waves_struct());
    EXPECT_TRUE(read({.identifiers = {query}, .registrations = {structure}}, limits).empty());
    EXPECT_EQ(faults(), "error byte_limit|");
}

TEST_F(V2Files, UnreadableFiles) {
    const std::string missing = folder_.path("missing"), folder = folder_.path();
    for (const std::string& path : {missing, folder}) {
        const auto records =
            read({.blocks = {path, write("one", one)}, .identifiers = {path}, .registrations = {path, path}});
        ASSERT_EQ(records.size(), 1U);
        EXPECT_EQ(records[0].bytes, one);
        EXPECT_EQ(faults(), "error cannot_read|error cannot_read|error cannot_read|error cannot_read|");
        for (const hkpd::Diagnostic& fault : diagnostics_.kept())
            EXPECT_EQ(diagnostics_.inputs()[fault.place.input], path);
    }
}

std::string kinds(const std::vector<Kept>& records) {
    constexpr std::array letters{'1', 't', 'p', '2', 'q', 'r'};
    std::string text;
    for (const Kept& kept : records) text += letters.at(static_cast<std::size_t>(kept.kind));
    return text;
}

TEST_F(V2Files, IdentifiersApplyToTheirFile) {
    const std::string a = write("a", one + two), b = write("b", three), q = write("q", v2_query().bytes),
                      other = write("o", v2_query({}, v2_blob::guid(9)).bytes);
    EXPECT_EQ(kinds(read({.blocks = {a, b}})), "222");
    auto records = read({.blocks = {a, b}, .identifiers = {q}});
    EXPECT_EQ(kinds(records), "q2q2q2");
    records = read({.blocks = {a, b}, .identifiers = {q, other}});
    EXPECT_EQ(kinds(records), "q2q2q2");
    EXPECT_EQ(records[2].bytes, v2_query().bytes);
    EXPECT_EQ(records[4].bytes, v2_query({}, v2_blob::guid(9)).bytes);
    // The third has none, not those of the one before it.
    records = read({.blocks = {a, b, a}, .identifiers = {q, other}});
    EXPECT_EQ(kinds(records), "q2q2q2q22");
    EXPECT_EQ(records[6].bytes, "");
    EXPECT_EQ(faults(), "");
}

TEST_F(V2Files, FilesWithoutIdentifiers) {
    const std::string a = write("a", one), empty = write("e", "");
    for (const std::string& junk : {std::string("x"), std::string(100, 'x'), std::string(80, '\0')}) {
        EXPECT_EQ(kinds(read({.blocks = {a}, .identifiers = {write("q", junk)}})), "2");
        EXPECT_EQ(faults(), junk[0] == 'x' ? "error foreign_file|" : "error not_recognised|");
    }
    EXPECT_EQ(kinds(read({.blocks = {a}, .identifiers = {empty}})), "2");
    EXPECT_EQ(faults(), "");
}

TEST_F(V2Files, RegistrationsAreRecognisedByContent) {
    const std::vector<std::string> files{
        write("1", waves_struct()),          write("2", text_of(u"Wellenform")),
        write("3", waves_strings(u"name ")), write("4", text_of(u"Process")),  // as long as a GUID
        write("5", waves_strings(u"help ")), write("6", std::string(waves.bytes.size(), '\x42')),
        write("7", text_of(u"Its provider"))};
    const auto records = read({.registrations = files});
    EXPECT_EQ(faults(), "");
    std::string requests;
    for (const Kept& kept : records) {
        EXPECT_EQ(kept.kind, Kind::v2_registration);
        EXPECT_EQ(kept.counterset, waves);
        requests += std::to_string(kept.request) + " ";
    }
    EXPECT_EQ(requests, "1 3 5 4 6 8 7 ");
}

TEST_F(V2Files, EachStructStartsACounterset) {
    const hkpd::Guid other = v2_blob::guid(5);
    const std::string second = to_text(v2_blob::build_registration({.guid = other, .counters = {{.id = 9}}}));
    const auto records = read({.registrations = {write("1", waves_struct()), write("2", text_of(u"first")),
                                                 write("3", second), write("4", text_of(u"second"))}});
    ASSERT_EQ(records.size(), 4U);
    EXPECT_EQ(records[1].counterset, waves);
    EXPECT_EQ(records[3].counterset, other);
    EXPECT_EQ(records[3].request, 3U);
}

TEST_F(V2Files, NothingIsAssumedAfterAnUnreadableFile) {
    const std::string structure = write("s", waves_struct()), name = write("n", text_of(u"another set's name"));
    for (const std::string& between : {write("cut", waves_struct().substr(0, 50)), folder_.path("missing")}) {
        EXPECT_EQ(read({.registrations = {structure, between, name}}).size(), 1U);
        EXPECT_EQ(diagnostics_.count(Severity::error), 2U) << faults();
        EXPECT_EQ(read({.registrations = {between, structure, name}}).size(), 2U);
        EXPECT_EQ(diagnostics_.count(Severity::error), 1U) << faults();
    }
}

TEST_F(V2Files, InvalidRegistrations) {
    const std::string structure = write("s", waves_struct()), name = write("n", text_of(u"name")),
                      strings = write("b", waves_strings(u""));
    EXPECT_TRUE(read({.registrations = {name, strings}}).empty());  // of no counterset
    EXPECT_EQ(faults(), "error not_recognised|error not_recognised|");
    EXPECT_EQ(read({.registrations = {structure, strings, strings, strings}}).size(), 3U);
    EXPECT_EQ(faults(), "error not_recognised|");
    EXPECT_EQ(read({.registrations = {structure, name, name, name, name}}).size(), 4U);
    EXPECT_EQ(faults(), "error not_recognised|");
    const std::string unpaired("\x00\xD8\x00\x00", 4), no_nul("a\0", 2), odd("a\0\0\0\0", 5),
        inner("a\0\0\0b\0\0\0", 8);
    for (const std::string& content : {std::string(), unpaired, no_nul, odd, inner, waves_struct() + "x"}) {
        EXPECT_EQ(read({.registrations = {structure, write("x", content)}}).size(), 1U);
        EXPECT_EQ(faults(), content.empty() ? "error foreign_file|" : "error not_recognised|") << content.size();
    }
}

TEST_F(V2Files, FileNamesThatDescribeTheContent) {
    Kept kept = v2_registration(5, "anything", "PC", "00C");
    kept.title_index = 4102;
    const Kept plain = v2_registration(1, "anything");
    const std::string name = registration_file_name(kept.record()), plain_name = registration_file_name(plain.record());
    EXPECT_EQ(name, "11223344-5566-7788-0102-030405060708-05-00c-title4102.v2-registration") << "in lower case";
    EXPECT_EQ(plain_name, "11223344-5566-7788-0102-030405060708-01.v2-registration");
    auto records = read({.registrations = {write(name, "anything"), write(plain_name, "anything")}});
    kept.machine.clear();  // not part of the name
    kept.language = "00c";
    EXPECT_EQ(records, (std::vector{kept, plain}));
    Kept odd = plain;
    odd.language = "../x";
    EXPECT_EQ(registration_file_name(odd.record()), plain_name);
    odd.request = 4'000'000'000;
    EXPECT_EQ(registration_file_name(odd.record()), "11223344-5566-7788-0102-030405060708-4000000000.v2-registration");
    for (const std::string_view other :
         {"x.v2-registration", "11223344-5566-7788-0102-030405060708.v2-registration",
          "11223344-5566-7788-0102-030405060708-01-009-title.v2-registration",
          "11223344-5566-7788-0102-030405060708-01-2-title1-.v2-registration",
          "11223344-5566-7788-0102-030405060708-01-009-x.v2-registration",
          "11223344-5566-7788-0102-030405060708-01.bin", "11223344-5566-7788-0102-030405060708-0x1.v2-registration"}) {
        EXPECT_TRUE(read({.registrations = {write(other, "anything")}}).empty()) << other;
        EXPECT_EQ(faults(), "error foreign_file|");
    }
}

/// Returns object, its name, counters and values of each sample.
std::string samples_of(hkpd::Source& source, hkpd::Diagnostics& diagnostics) {
    hkpd::SampleReader reader(source, nullptr, {});
    hkpd::Sample sample;
    std::string text;
    while (reader.next(sample, diagnostics)) {
        EXPECT_EQ(sample.source, hkpd::SampleSource::v2);
        for (const hkpd::Object& object : sample.objects()) {
            text += object.counterset ? guid_text(*object.counterset).substr(0, 9) : "?";
            text.append(" ").append(object.name ? object.name->text : "?").append(" ").append(instance_names(object));
            for (std::size_t i = 0; i < object.columns.size(); ++i) {
                const hkpd::Column& column = object.columns[i];
                text.append(" ").append(std::to_string(column.title_index)).append(":");
                text.append(column.name ? column.name->text : "?").append("=").append(column_text(object, i));
            }
            text += "|";
        }
    }
    return text;
}

TEST_F(V2Files, SamplesWithAndWithoutNames) {
    const std::string blocks = write("b", one + two), query = write("q", v2_query().bytes);
    const std::vector<std::string> registrations{write("1", waves_struct()), write("2", text_of(u"Waves")),
                                                 write("3", waves_strings(u"wave "))};
    const std::string named =
        "{11223344 Waves a 1:wave one=1 2:wave two=10|{11223344 Waves a 1:wave one=2 2:wave two=20|";
    hkpd::Diagnostics all, with_query, assumed, bare;
    EXPECT_EQ(samples_of(*hkpd::open_v2_files({{blocks}, {query}, registrations}, {}), all), named);
    EXPECT_EQ(hkpd_test::faults(all), "");
    EXPECT_EQ(samples_of(*hkpd::open_v2_files({{blocks}, {query}, {}}, {}), with_query),
              "{11223344 ? a 1:?=1 2:?=10|{11223344 ? a 1:?=2 2:?=20|");
    EXPECT_EQ(samples_of(*hkpd::open_v2_files({{blocks}, {}, registrations}, {}), assumed), named);
    EXPECT_EQ(hkpd_test::faults(assumed), "note counterset_assumed|note counterset_assumed|");
    EXPECT_EQ(samples_of(*hkpd::open_v2_files({{blocks}, {}, {}}, {}), bare), "? ? a 1:?=1 2:?=10|? ? a 1:?=2 2:?=20|");
}

TEST_F(V2Files, AfterOrdinaryInputs) {
    const std::string v1 = write("v1.bin", v1_block(1, 5).bytes + v1_block(2, 6).bytes), v2 = write("b", one + two);
    std::vector<std::unique_ptr<hkpd::Source>> both;
    both.push_back(hkpd::open_files({v1}, {}));
    both.push_back(hkpd::open_v2_files({.blocks = {v2}}, {}));
    const auto source = hkpd::chain(std::move(both));
    hkpd::SampleReader reader(*source, nullptr, {});
    hkpd::Sample sample;
    std::string text;
    while (reader.next(sample, diagnostics_)) text += sources(sample) + " ";
    EXPECT_EQ(text, "v1:5 v1:6 v2:1 v2:2 ");
    EXPECT_EQ(reader.count(), 4U);
    EXPECT_EQ(diagnostics_.inputs().size(), 2U);
}

}  // namespace source_v2_test
}  // namespace hkpd_test
