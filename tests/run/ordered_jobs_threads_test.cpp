// Parts made by several threads, written in order: under -fsanitize=thread too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/path.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write.hpp"
#include "run/ordered_jobs.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/places.hpp"
#include "support/waiting.hpp"

namespace ordered_jobs_threads_test {

using namespace hkpd;
using namespace std::chrono_literals;
using hkpd_test::wait_until;

constexpr std::size_t mib = std::size_t{1} << 20U, much = 64 * mib;

/// Collects everything written, and the endings, in order.
class Paper {
  public:
    Sink sink() {
        return [this](std::string& text) {
            all_ += text;
            text.clear();
        };
    }
    void note(const std::string& text) { all_ += text; }
    const std::string& all() const { return all_; }

  private:
    std::string all_;  // no lock, as calls are ordered: ThreadSanitizer would report otherwise
};

TEST(OrderedJobsThreads, TextAndEndingsAreInOrderWhicheverPartIsFirst) {
    std::minstd_rand random(7);
    for (const std::size_t jobs : std::array<std::size_t, 5>{1, 2, 3, 8, 40}) {
        std::vector<std::vector<std::string>> parts(60);
        std::string expected;
        for (std::size_t part = 0; part < parts.size(); ++part) {
            for (std::size_t i = random() % 20; i != 0; --i)
                parts[part].emplace_back(random() % 5000, static_cast<char>('a' + random() % 26));
            for (const std::string& text : parts[part]) expected += text;
            expected += "/" + std::to_string(part) + "\n";
        }
        Paper paper;
        run_in_order(parts.size(), jobs, 3 * mib, paper.sink(), [&](std::size_t part, Output& output) -> Ending {
            EXPECT_EQ(output.is_first(), part == 0);
            for (std::string text : parts[part]) {
                output.write(text);
                EXPECT_EQ(text, "");
            }
            return [&paper, part] { paper.note("/" + std::to_string(part) + "\n"); };
        });
        EXPECT_EQ(paper.all(), expected) << jobs;
    }
}

TEST(OrderedJobsThreads, TheCurrentPartWritesDirectly) {
    Paper paper;
    std::atomic<bool> second_wrote = false, first_ended = false;
    run_in_order(2, 2, much, paper.sink(), [&](std::size_t part, Output& output) -> Ending {
        std::string text = "one";
        if (part == 1) {
            output.write(text);
            EXPECT_FALSE(output.is_direct());
            second_wrote = true;
            wait_until([&] { return first_ended.load(); }, "the first has ended");
            const auto is_direct = [&] {
                text = ".";
                output.write(text);
                return output.is_direct();
            };
            wait_until(is_direct, "the turn has passed on, after the ending");
            return {};
        }
        wait_until([&] { return second_wrote.load(); }, "the second has written");
        output.write(text);
        EXPECT_EQ(paper.all(), "one");
        EXPECT_TRUE(output.is_direct());
        return [&] { first_ended = true; };
    });
    EXPECT_TRUE(paper.all().starts_with("oneone."));
}

TEST(OrderedJobsThreads, OthersContinueWhileTheFirstIsRunning) {
    Paper paper;
    std::atomic<int> done = 0;
    run_in_order(31, 2, much, paper.sink(), [&](std::size_t part, Output& output) -> Ending {
        if (part == 0) wait_until([&] { return done == 30; }, "all others are done");
        std::string text = std::to_string(part) + " ";
        output.write(text);
        ++done;
        return {};
    });
    EXPECT_TRUE(paper.all().starts_with("0 1 2 3 "));
    EXPECT_TRUE(paper.all().ends_with(" 29 30 "));
}

TEST(OrderedJobsThreads, NoMoreThanTheGivenNumberRunAtOnce) {
    Paper paper;
    std::atomic<int> at_work = 0, most = 0;
    run_in_order(50, 3, much, paper.sink(), [&](std::size_t part, Output&) -> Ending {
        const int now = ++at_work;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        EXPECT_LE(now, 3);
        if (part < 3) wait_until([&] { return most == 3; }, "three are at work");
        --at_work;
        return {};
    });
    EXPECT_EQ(most, 3);
}

TEST(OrderedJobsThreads, PendingOutputIsBounded) {
    constexpr std::size_t jobs = 4, parts = 6, limit = 16 * mib, of_each = 20 * mib, text_size = mib / 2;
    Paper paper;
    std::atomic<std::size_t> held = 0;
    run_in_order(parts, jobs, limit, paper.sink(), [&](std::size_t part, Output& output) -> Ending {
        if (part == 0) {
            // The others reach the limit, less the amount reserved for each, and no more.
            wait_until([&] { return held >= limit - jobs * mib; }, "the others have come to the limit");
            std::this_thread::sleep_for(50ms);  // enough time to exceed it
            EXPECT_LE(held, limit + jobs * text_size);
        }
        for (std::size_t size = 0; size < of_each; size += text_size) {
            std::string text(text_size, static_cast<char>('a' + part));
            output.write(text);
            if (!output.is_direct()) held += text_size;
        }
        return {};
    });
    ASSERT_EQ(paper.all().size(), parts * of_each);
    for (std::size_t part = 0; part < parts; ++part)
        EXPECT_EQ(paper.all().compare(part * of_each, of_each, std::string(of_each, static_cast<char>('a' + part))), 0);
}

TEST(OrderedJobsThreads, PartsThatEndedEarlyAreBoundedToo) {
    Paper paper;
    std::atomic<int> begun = 0;
    run_in_order(1000, 2, 10 * mib, paper.sink(), [&](std::size_t part, Output&) -> Ending {
        ++begun;
        if (part == 0) {
            wait_until([&] { return begun == 10; }, "ten have begun");
            std::this_thread::sleep_for(50ms);  // enough time for more to begin
            EXPECT_EQ(begun, 10);
        }
        return [&paper] { paper.note("."); };
    });
    EXPECT_EQ(paper.all(), std::string(1000, '.'));
}

TEST(OrderedJobsThreads, NoPartsAndOnePart) {
    Paper paper;
    const Work work = [&paper](std::size_t, Output&) -> Ending { return [&paper] { paper.note("!"); }; };
    run_in_order(0, 4, much, paper.sink(), work);
    EXPECT_EQ(paper.all(), "");
    run_in_order(1, 256, 0, paper.sink(), work);  // the current part needs no buffer
    run_in_order(3, 2, 0, paper.sink(), work);
    EXPECT_EQ(paper.all(), "!!!!");
}

TEST(OrderedJobsThreads, AnExceptionEndsTheRunWhereverItIs) {
    constexpr std::size_t parts = 1000, failing = 7;
    const auto fail = [](bool now) {
        if (now) throw std::bad_alloc();
    };
    enum class Place : unsigned char { work, write, sink, ending };
    for (const Place place : {Place::work, Place::write, Place::sink, Place::ending})
        for (const std::size_t jobs : std::array<std::size_t, 4>{1, 2, 3, 8}) {
            SCOPED_TRACE(std::to_string(static_cast<int>(place)) + " with " + std::to_string(jobs));
            Paper paper;
            std::atomic<std::size_t> begun = 0;
            const Sink sink = [&, to_paper = paper.sink()](std::string& text) {
                fail(place == Place::sink && text == std::to_string(failing));
                to_paper(text);
            };
            const Work work = [&](std::size_t part, Output& output) -> Ending {
                ++begun;
                fail(place == Place::work && part == failing);
                std::string text = std::to_string(part);
                output.write(text);
                fail(place == Place::write && part == failing);
                return [&, part] {
                    fail(place == Place::ending && part == failing);
                    paper.note(" ");
                };
            };
            EXPECT_THROW(run_in_order(parts, jobs, much, sink, work), std::bad_alloc);
            EXPECT_LT(begun, parts);
            // What precedes the failing part is written in order, and nothing after it.
            const std::string before = "0 1 2 3 4 5 6 ";
            EXPECT_TRUE((before + "7").starts_with(paper.all())) << paper.all();
            EXPECT_TRUE(jobs > 1 || paper.all().starts_with(before)) << paper.all();
        }
}

/// Cooks everything in a file, and lists its faults.
void replay(const std::string& file, Output& output) {
    hkpd::Diagnostics diagnostics;
    hkpd::Titles titles;
    titles.add(hkpd::builtin_titles());
    const auto source = hkpd::open_files({file}, {});
    hkpd::SampleReader reader(*source, &titles, {});
    reader.take_titles(titles);
    hkpd::Replay replay(reader, {});
    hkpd::WriteOptions how{&titles};
    how.cooked = true;
    const auto writer = hkpd::make_writer(hkpd::Format::csv, how);
    hkpd::Filter filter;
    std::vector<hkpd::Selected> selected;
    std::string text;
    while (replay.next(diagnostics)) {
        filter.select(replay.sample(), selected);
        writer->sample(replay.sample(), selected, &replay.cooker(), text);
        output.write(text);
    }
    for (const hkpd::Diagnostic& found : diagnostics.kept()) append_diagnostic(text, diagnostics, found);
    output.write(text);
}

TEST(OrderedJobsThreads, TheLibraryHasNoSharedState) {
    std::error_code error;
    std::vector<std::string> files = hkpd::files_in(std::string(hkpd_test::testdata_folder) + "/captures", error);
    ASSERT_GE(files.size(), 5U);
    const std::vector<std::string> back(files.rbegin(), files.rend());
    files.insert(files.end(), back.begin(), back.end());
    const auto replay_all = [&files](std::size_t jobs) {
        Paper paper;
        run_in_order(files.size(), jobs, much, paper.sink(), [&](std::size_t part, Output& output) -> Ending {
            replay(files[part], output);
            return {};
        });
        return paper.all();
    };
    const std::string in_parallel = replay_all(4);  // first, before anything that is made on first use
    EXPECT_GT(in_parallel.size(), 100'000U);
    EXPECT_TRUE(in_parallel == replay_all(1));
}

}  // namespace ordered_jobs_threads_test
