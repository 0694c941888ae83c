// Runs over parts: order, totals, faults, passes and ends.
#include "hkpd/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/file_stream.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/write.hpp"
#include "support/blob_builder.hpp"

namespace hkpd_test {
namespace run_test {

using hkpd::Diagnostics;
using hkpd::Reader;
using hkpd::RunCount;
using hkpd::RunPart;
using hkpd::Sink;
using Bytes = std::vector<std::byte>;

/// Writes the title index of each selected object, in as many passes as it is given, and a full stop at the end.
class TestWriter final : public hkpd::Writer {
  public:
    explicit TestWriter(int passes) : passes_(passes) {}
    void begin(std::string& out) override { out += "head\n"; }
    void sample(const hkpd::Sample& sample, std::span<const hkpd::Selected> selected, hkpd::Cooker* cooker,
                std::string& out) override {
        if (cooker != nullptr) out += '+';
        for (const hkpd::Selected& part : selected) out += std::to_string(sample.objects()[part.object].title_index);
        out += ' ';
    }
    bool again(std::string& out) override {
        out += '/';
        return --passes_ > 0;
    }
    void end(Diagnostics& diagnostics, std::string& out) override { out += diagnostics.any_fault() ? "!\n" : ".\n"; }

  private:
    int passes_;
};

/// The blocks of a part: one sample each, with one object of this title.
Bytes blocks(const std::vector<std::uint32_t>& titles) {
    Bytes all;
    std::int64_t time = 0;
    for (const std::uint32_t title : titles) {
        blob::Block block{.objects = {{.title = title, .counters = {{.title = 904}}, .values = {1U}}}};
        block.perf_time += time;
        block.perf_time_100ns += time;
        time += 10'000'000;  // a second
        const blob::Blob one = blob::build(block);
        const auto bytes = one.bytes();
        all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
}

/// Returns whether a list has the fault of an input that was not the same when it was read again.
bool has_changed(const Diagnostics& diagnostics) {
    return std::ranges::any_of(diagnostics.kept(), [](const hkpd::Diagnostic& fault) {
        return fault.error.code == hkpd::Errc::cannot_read && fault.error.found == hkpd::input_changed;
    });
}

class RunTest : public testing::Test {
  protected:
    /// Runs over parts with these bytes.
    RunCount write(const std::vector<Bytes>& parts) {
        text_.clear();
        ended_.clear();
        run_.parts = parts.size();
        run_.open = [&parts, this](std::size_t part, Diagnostics& diagnostics) {
            ++opened_;
            if (parts[part].empty()) throw std::runtime_error("no memory");
            hkpd::ReaderOptions how;
            how.diagnostics = &diagnostics;
            return std::make_shared<Reader>(*Reader::open(std::span(parts[part]), std::move(how)));
        };
        run_.make_writer = [this](Reader&, Diagnostics&, const Sink&) { return std::make_unique<TestWriter>(passes_); };
        const auto take = [this](std::string& text) { text_ += std::exchange(text, {}); };
        return hkpd::write_run(run_, take, [this](RunPart& part) {
            ended_.push_back(std::move(part));
            text_ += '|';
        });
    }

    hkpd::Run run_;
    int passes_ = 1;
    std::string text_;
    std::vector<RunPart> ended_;
    std::size_t opened_ = 0;
};

TEST_F(RunTest, PartsAreWrittenInOrderWithOneHead) {
    for (const std::size_t jobs : {1U, 2U, 8U}) {
        run_.jobs = jobs;
        const RunCount count = write({blocks({2, 4}), blocks({238}), blocks({230, 232, 230})});
        EXPECT_EQ(text_, "head\n+2 +4 .\n|+238 .\n|+230 +232 +230 .\n|") << jobs;
        EXPECT_EQ(count.samples, 6U);
        EXPECT_EQ(count.longest, 0U);  // not counted, because samples are shown
        EXPECT_EQ(count.values, 0U);
        ASSERT_EQ(ended_.size(), 3U);
        EXPECT_EQ(ended_[2].count.samples, 3U);
    }
}

TEST_F(RunTest, OneWithoutCooker) {
    run_.cooks = false;
    run_.count_values = [](const hkpd::Sample&, const hkpd::Selected& part) { return part.rows.size(); };
    const RunCount count = write({blocks({2, 4})});
    EXPECT_EQ(text_, "head\n2 4 .\n|");
    EXPECT_EQ(count.values, 2U);
}

TEST_F(RunTest, WhatMatchesInOnePartIsMatched) {
    run_.filter.add_object("238");
    run_.filter.add_object("900");
    const RunCount count = write({blocks({2}), blocks({238, 2}), blocks({4})});
    EXPECT_EQ(text_, "head\n+ .\n|+238 + .\n|+ .\n|");
    ASSERT_EQ(count.unmatched.size(), 1U);
    EXPECT_NE(count.unmatched.front().request.find("900"), std::string::npos);
    EXPECT_EQ(count.samples, 4U);
}

TEST_F(RunTest, ReadsAgainAsLongAsTheWriterRequestsIt) {
    passes_ = 3;
    write({blocks({2})});
    EXPECT_EQ(text_, "head\n+2 .\n|");  // the inputs cannot be read again
    EXPECT_EQ(opened_, 1U);
    run_.repeats = true;
    std::vector<std::size_t> seen;
    run_.before_sample = [&seen](const hkpd::Sample&, std::size_t pass) { seen.push_back(pass); };
    EXPECT_EQ(write({blocks({2, 4})}).samples, 2U);
    EXPECT_EQ(text_, "head\n+2 +4 /+2 +4 /+2 +4 /.\n|");
    EXPECT_EQ(opened_, 4U);
    EXPECT_EQ(seen, (std::vector<std::size_t>{0, 0, 1, 1, 2, 2}));
}

TEST_F(RunTest, AFaultOrAnExceptionIsOfItsPart) {
    Bytes cut = blocks({2, 4});
    cut.resize(cut.size() - 8);
    const RunCount count = write({cut, {}, blocks({238})});
    ASSERT_EQ(ended_.size(), 3U);
    EXPECT_TRUE(ended_[0].diagnostics.any_fault());
    EXPECT_EQ(ended_[0].failure, "");
    EXPECT_EQ(ended_[1].failure, "no memory");
    EXPECT_FALSE(ended_[2].diagnostics.any_fault());
    EXPECT_TRUE(text_.ends_with("!\n||+238 .\n|")) << text_;
    EXPECT_EQ(count.samples, ended_[0].count.samples + 1);
    run_.strict = true;
    write({cut});
    EXPECT_LT(ended_[0].count.samples, 2U);
}

TEST_F(RunTest, AnInputThatDiffersInALaterPassIsAnError) {
    passes_ = 2;
    run_.repeats = true;
    const Bytes long_one = blocks({2, 4, 6}), short_one = blocks({2, 4});
    for (const bool changes : {false, true}) {
        std::size_t opened = 0;
        write({long_one});
        EXPECT_FALSE(has_changed(ended_.at(0).diagnostics));
        run_.open = [&](std::size_t, Diagnostics& diagnostics) {
            hkpd::ReaderOptions how;
            how.diagnostics = &diagnostics;
            const Bytes& bytes = changes && opened++ != 0 ? short_one : long_one;
            return std::make_shared<Reader>(*Reader::open(std::span(bytes), std::move(how)));
        };
        std::vector<RunPart> ended;
        hkpd::write_run(
            run_, [](std::string& text) { text.clear(); }, [&](RunPart& part) { ended.push_back(std::move(part)); });
        ASSERT_EQ(ended.size(), 1U);
        EXPECT_EQ(has_changed(ended[0].diagnostics), changes);
    }
}

}  // namespace run_test
}  // namespace hkpd_test
