// Parts made by several threads, written in order: under -fsanitize=thread too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "ordered_jobs.hpp"

namespace {

using namespace hkpd::command;
using namespace std::chrono_literals;

constexpr std::size_t mib = std::size_t{1} << 20U, much = 64 * mib;

/// What is to become true by what others do, who would do it at once if they ever will.
template <class Condition>
void wait_for(const Condition& condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(condition());
}

/// All that is written and ended, one behind the other.
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
    std::string all_;  // what calls in order is not locked: ThreadSanitizer would tell
};

TEST(OrderedJobsThreads, TextAndEndingsAreInOrderWhoeverComesFirst) {
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

TEST(OrderedJobsThreads, WhoseTurnItIsWritesStraightThrough) {
    Paper paper;
    std::atomic<bool> first_ended = false;
    run_in_order(2, 2, much, paper.sink(), [&](std::size_t part, Output& output) -> Ending {
        std::string text = "one";
        if (part == 1) {
            output.write(text);
            EXPECT_FALSE(output.is_direct());
            wait_for([&] { return first_ended.load(); });
            wait_for([&] {  // the turn passes behind the ending
                text = ".";
                output.write(text);
                return output.is_direct();
            });
            return {};
        }
        output.write(text);
        EXPECT_EQ(paper.all(), "one");
        EXPECT_TRUE(output.is_direct());
        return [&] { first_ended = true; };
    });
    EXPECT_TRUE(paper.all().starts_with("oneone."));
}

TEST(OrderedJobsThreads, OthersGoOnWhileTheFirstIsAtWork) {
    Paper paper;
    std::atomic<int> done = 0;
    run_in_order(31, 2, much, paper.sink(), [&](std::size_t part, Output& output) -> Ending {
        if (part == 0) wait_for([&] { return done == 30; });
        std::string text = std::to_string(part) + " ";
        output.write(text);
        ++done;
        return {};
    });
    EXPECT_TRUE(paper.all().starts_with("0 1 2 3 "));
    EXPECT_TRUE(paper.all().ends_with(" 29 30 "));
}

TEST(OrderedJobsThreads, NoMoreThanAsManyAtOnce) {
    Paper paper;
    std::atomic<int> at_work = 0, most = 0;
    run_in_order(50, 3, much, paper.sink(), [&](std::size_t part, Output&) -> Ending {
        const int now = ++at_work;
        most = std::max(most.load(), now);
        EXPECT_LE(now, 3);
        if (part < 3) wait_for([&] { return most == 3; });
        --at_work;
        return {};
    });
    EXPECT_EQ(most, 3);
}

TEST(OrderedJobsThreads, WhatIsHeldBackIsBounded) {
    constexpr std::size_t jobs = 4, parts = 12, limit = 16 * mib, of_each = 20 * mib, text_size = mib / 2;
    Paper paper;
    std::atomic<std::size_t> held = 0;
    run_in_order(parts, jobs, limit, paper.sink(), [&](std::size_t part, Output& output) -> Ending {
        if (part == 0) {
            // The others come to the limit, less what they are taken to hold themselves, and no further.
            wait_for([&] { return held >= limit - jobs * mib; });
            std::this_thread::sleep_for(50ms);
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
        EXPECT_EQ(paper.all().find_first_not_of(static_cast<char>('a' + part), part * of_each),
                  part + 1 == parts ? std::string::npos : (part + 1) * of_each);
}

TEST(OrderedJobsThreads, PartsThatEndedOutOfTurnAreBoundedToo) {
    Paper paper;
    std::atomic<int> begun = 0;
    run_in_order(1000, 2, 10 * mib, paper.sink(), [&](std::size_t part, Output&) -> Ending {
        ++begun;
        if (part == 0) {
            wait_for([&] { return begun == 10; });
            std::this_thread::sleep_for(50ms);
            EXPECT_EQ(begun, 10);
        }
        return [&paper] { paper.note("."); };
    });
    EXPECT_EQ(paper.all(), std::string(1000, '.'));
}

TEST(OrderedJobsThreads, NothingToDoIsDone) {
    Paper paper;
    const Work work = [&paper](std::size_t, Output&) -> Ending { return [&paper] { paper.note("!"); }; };
    run_in_order(0, 4, much, paper.sink(), work);
    EXPECT_EQ(paper.all(), "");
    run_in_order(1, 256, 0, paper.sink(), work);  // whose turn it is needs no room
    run_in_order(3, 2, 0, paper.sink(), work);
    EXPECT_EQ(paper.all(), "!!!!");
}

}  // namespace
