// Values of HKEY_PERFORMANCE_DATA and how they are read: buffers that grow, a busy registry, replies that are
// incomplete or have a wrong size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"
#include "hkpd/live.hpp"
#include "hkpd/v1.hpp"
#include "support/blob_quirks.hpp"
#include "support/fake_registry.hpp"
#include "support/temp_folder.hpp"

namespace registry_reader_test {

using namespace hkpd_test;
using namespace std::chrono_literals;
using hkpd::PerformanceKey;
using hkpd::RegistryPolicy;
using hkpd::RegistryReader;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;
using Sizes = std::vector<std::size_t>;
using Waits = std::vector<std::chrono::milliseconds>;
namespace win32 = hkpd::win32;

/// Returns a block with this many instances; its length grows with them.
blob::Block block_of(std::size_t instances = 3) {
    blob::Object object{.title = 238, .kind = blob::Kind::multi, .counters = {{.title = 6}}};
    for (std::size_t i = 0; i < instances; ++i) object.instances.push_back({.name = u"instance", .values = {i + 1}});
    return {.objects = {object}};
}
std::string good(std::size_t instances = 3) { return to_text(blob::build(block_of(instances))); }

/// Returns a block whose TotalByteLength is `length`.
std::string with_length(std::uint32_t length, std::size_t instances = 3) {
    blob::Blob block = blob::build(block_of(instances));
    block.put32(blob::data_block::TotalByteLength, length);
    return to_text(block);
}
/// Returns the reply of a remote machine to a buffer that is too small: a header and nothing else.
std::string incomplete() {
    blob::Blob block = blob::build({});
    block.put32(blob::data_block::TotalByteLength, 0);
    return to_text(block);
}

std::string text_of(hkpd::Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
/// Returns success if the blocks are equal; a failure shows only where they differ, as blocks are long.
testing::AssertionResult same(hkpd::Bytes bytes, const std::string& expected) {
    const std::string got = text_of(bytes);
    if (got == expected) return testing::AssertionSuccess();
    const auto place = std::ranges::mismatch(got, expected).in1 - got.begin();
    return testing::AssertionFailure() << got.size() << " bytes and not " << expected.size() << ", different from "
                                       << place << " on";
}
std::string text_of(const std::vector<std::byte>& bytes) { return text_of(hkpd::Bytes(bytes)); }

/// Returns a policy that records the pauses and does not sleep.
RegistryPolicy quick(Waits* waits = nullptr) {
    return {.first_size = 1024, .most_size = std::size_t{64} << 20, .wait = [waits](std::chrono::milliseconds pause) {
                if (waits != nullptr) waits->push_back(pause);
                return true;
            }};
}

/// Returns 1024, 2048, ...
Sizes doubled(std::size_t count, std::size_t first = 1024) {
    Sizes sizes;
    for (std::size_t i = 0; i < count; ++i) sizes.push_back(first << i);
    return sizes;
}

// Buffers.

/// Checks that the buffer grows when it is too small twelve times, whatever size `size_of(offered)` the registry
/// leaves.
void grows_twelve_times(const std::function<std::uint32_t(std::size_t)>& size_of) {
    FakeRegistry registry;
    registry.answer = [&](const RegistryCall& call) {
        return call.number < 12 ? failure(win32::more_data, size_of(call.offered)) : reply(good());
    };
    RegistryPolicy policy = quick();
    policy.first_size = 64;
    RegistryReader reader(registry, policy);
    EXPECT_EQ(reader.query("Global"), win32::success);
    EXPECT_TRUE(same(reader.block(), good()));
    EXPECT_EQ(registry.offered(), doubled(13, 64));
    EXPECT_EQ(reader.retries(), 0U) << "larger buffers are no retries";
}

TEST(RegistryReader, GrowsWhateverSizeIsLeft) {
    std::mt19937 random(1);
    grows_twelve_times([](std::size_t) { return 0U; });
    grows_twelve_times([](std::size_t offered) { return static_cast<std::uint32_t>(offered); });
    grows_twelve_times([](std::size_t offered) { return static_cast<std::uint32_t>(offered - 1); });
    grows_twelve_times([](std::size_t) { return 0xFFFF'FFFFU; });
    grows_twelve_times([](std::size_t) { return 0x7FFF'FFFFU; });
    for (int round = 0; round < 5; ++round)
        grows_twelve_times([&](std::size_t) { return static_cast<std::uint32_t>(random()); });
}

TEST(RegistryReader, GivesUpAtTheLimit) {
    FakeRegistry registry;
    registry.answer = [](const RegistryCall&) { return failure(win32::more_data, 0); };
    RegistryPolicy policy = quick();
    policy.most_size = 5000;
    RegistryReader reader(registry, policy);
    EXPECT_EQ(reader.query("Global"), win32::more_data);
    EXPECT_EQ(registry.offered(), (Sizes{1024, 2048, 4096, 5000}));
    EXPECT_TRUE(reader.block().empty());
}

TEST(RegistryReader, NothingIsLargerThanTheLimit) {
    FakeRegistry registry;
    registry.answer = [](const RegistryCall&) { return failure(win32::more_data, 0xFFFF'FFFF); };
    RegistryPolicy policy = quick();
    policy.first_size = 1024;
    policy.most_size = 500;
    RegistryReader reader(registry, policy);
    EXPECT_EQ(reader.query("Global"), win32::more_data);
    std::vector<std::byte> titles;
    EXPECT_EQ(reader.query_titles(PerformanceKey::text, "Counter", titles), win32::more_data);
    EXPECT_THAT(registry.offered(), Each(Le(500U)));
}

TEST(RegistryReader, GrowsFromZero) {
    FakeRegistry registry;
    registry.answer = [](const RegistryCall& call) { return sized_reply(good(), call.offered); };
    RegistryPolicy policy = quick();
    policy.first_size = 0;
    RegistryReader reader(registry, policy);
    EXPECT_EQ(reader.query("Global"), win32::success);
    EXPECT_TRUE(same(reader.block(), good()));
    EXPECT_LT(registry.calls.size(), 40U);
}

TEST(RegistryReader, KeepsTheSizeThatWasNeeded) {
    FakeRegistry registry;
    const std::string large = good(100);
    registry.answer = [&](const RegistryCall& call) { return sized_reply(large, call.offered); };
    RegistryReader reader(registry, quick());
    ASSERT_EQ(reader.query("Global"), win32::success);
    const std::size_t calls = registry.calls.size(), learned = registry.calls.back().offered;
    EXPECT_GT(calls, 1U);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(reader.query("Global"), win32::success);
        EXPECT_TRUE(same(reader.block(), large));
    }
    ASSERT_EQ(registry.calls.size(), calls + 3) << "one call each";
    EXPECT_EQ(registry.calls.back().offered, learned) << "and it does not grow needlessly";
}

TEST(RegistryReader, CatchesUpWithAReplyThatGrows) {
    FakeRegistry registry;
    registry.answer = [](const RegistryCall& call) {
        return sized_reply(good(5 + 25 * std::min<std::size_t>(call.number, 9)), call.offered);
    };
    RegistryReader reader(registry, quick());
    EXPECT_EQ(reader.query("Global"), win32::success);
    EXPECT_TRUE(same(reader.block(), good(5 + 25 * std::min<std::size_t>(registry.calls.size() - 1, 9))));
    for (int i = 0; i < 10; ++i) EXPECT_EQ(reader.query("Global"), win32::success);
    EXPECT_TRUE(same(reader.block(), good(5 + 25 * 9)));
}

TEST(RegistryReader, ShorterRepliesLeaveNothingOfLongerOnes) {
    FakeRegistry registry({reply(good(10)), reply(good(1)), reply(good(2))});
    RegistryReader reader(registry, quick());
    for (const std::size_t instances : {10U, 1U, 2U}) {
        EXPECT_EQ(reader.query("Global"), win32::success);
        EXPECT_TRUE(same(reader.block(), good(instances)));
    }
}

TEST(RegistryReader, QueriesTheValueRequested) {
    FakeRegistry registry({reply(good()), reply(good()), reply(good())});
    RegistryReader reader(registry, quick());
    for (const std::string query : {"Global", "238 6", "MetadataGlobal"}) {
        EXPECT_EQ(reader.query(query), win32::success);
        EXPECT_EQ(registry.calls.back().key, PerformanceKey::data);
        EXPECT_EQ(registry.calls.back().name, query);
    }
}

// A registry that is busy.

TEST(RegistryReader, RetriesWhileTheRegistryIsBusy) {
    for (const std::uint32_t status : {win32::busy, win32::lock_failed, win32::not_ready}) {
        FakeRegistry registry;
        registry.answer = [&](const RegistryCall& call) { return call.number < 5 ? failure(status) : reply(good()); };
        Waits waits;
        RegistryReader reader(registry, quick(&waits));
        EXPECT_EQ(reader.query("Global"), win32::success) << status;
        EXPECT_TRUE(same(reader.block(), good()));
        EXPECT_THAT(registry.offered(), ElementsAre(1024, 1024, 1024, 1024, 1024, 1024));
        EXPECT_THAT(waits, ElementsAre(10ms, 20ms, 40ms, 80ms, 160ms));
        EXPECT_EQ(reader.retries(), 5U);
    }
}

TEST(RegistryReader, ReturnsTheStatusIfBusyForTooLong) {
    for (const std::uint32_t status : {win32::busy, win32::lock_failed, win32::not_ready}) {
        FakeRegistry registry;
        registry.answer = [&](const RegistryCall&) { return failure(status); };
        Waits waits;
        RegistryReader reader(registry, quick(&waits));
        EXPECT_EQ(reader.query("Global"), status);
        EXPECT_TRUE(reader.block().empty());
        EXPECT_THAT(registry.calls, SizeIs(8));
        EXPECT_THAT(waits, ElementsAre(10ms, 20ms, 40ms, 80ms, 160ms, 320ms, 640ms));
        EXPECT_EQ(reader.retries(), 7U);
        waits.clear();
        EXPECT_EQ(reader.query("Global"), status);
        EXPECT_THAT(registry.calls, SizeIs(16)) << "each query has all its attempts";
        EXPECT_THAT(waits, SizeIs(7));
        EXPECT_EQ(waits.front(), 10ms);
        EXPECT_EQ(reader.retries(), 14U);
    }
}

TEST(RegistryReader, AttemptsAndPauseFollowThePolicy) {
    FakeRegistry registry;
    registry.answer = [](const RegistryCall&) { return failure(win32::busy); };
    Waits waits;
    RegistryPolicy policy = quick(&waits);
    policy.attempts = 3;
    policy.pause = 7ms;
    RegistryReader reader(registry, policy);
    EXPECT_EQ(reader.query("Global"), win32::busy);
    EXPECT_THAT(registry.calls, SizeIs(3));
    EXPECT_THAT(waits, ElementsAre(7ms, 14ms));
    policy.attempts = 1;
    waits.clear();
    FakeRegistry once({failure(win32::busy), reply(good())});
    RegistryReader impatient(once, policy);
    EXPECT_EQ(impatient.query("Global"), win32::busy);
    EXPECT_THAT(waits, IsEmpty());
}

TEST(RegistryReader, PausesNeverOverflow) {
    FakeRegistry registry;
    registry.answer = [](const RegistryCall&) { return failure(win32::busy); };
    Waits waits;
    RegistryPolicy policy = quick(&waits);
    policy.attempts = 200;
    RegistryReader reader(registry, policy);
    EXPECT_EQ(reader.query("Global"), win32::busy);
    EXPECT_THAT(waits, SizeIs(199));
    EXPECT_TRUE(std::ranges::is_sorted(waits));
    EXPECT_EQ(waits.front(), 10ms);
}

TEST(RegistryReader, TheWaitCanEndIt) {
    FakeRegistry registry;
    registry.answer = [](const RegistryCall&) { return failure(win32::busy); };
    RegistryPolicy policy = quick();
    int waited = 0;
    policy.wait = [&waited](std::chrono::milliseconds) { return ++waited < 3; };
    RegistryReader reader(registry, policy);
    EXPECT_NE(reader.query("Global"), win32::success);
    EXPECT_TRUE(reader.block().empty());
    EXPECT_EQ(waited, 3);
    EXPECT_THAT(registry.calls, SizeIs(3)) << "nothing is queried after the end";
}

TEST(RegistryReader, SleepsWithoutAWaitFunction) {
    FakeRegistry registry({failure(win32::busy), failure(win32::busy), reply(good())});
    RegistryReader reader(registry, {.pause = 5ms});
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(reader.query("Global"), win32::success);
    EXPECT_GE(std::chrono::steady_clock::now() - start, 15ms);
}

TEST(RegistryReader, BusyAndTooSmallMayAlternate) {
    FakeRegistry registry({failure(win32::busy), failure(win32::more_data, 0), failure(win32::lock_failed),
                           failure(win32::more_data, 0), failure(win32::not_ready), reply(good())});
    RegistryReader reader(registry, quick());
    EXPECT_EQ(reader.query("Global"), win32::success);
    EXPECT_TRUE(same(reader.block(), good()));
    EXPECT_EQ(registry.offered(), (Sizes{1024, 1024, 2048, 2048, 4096, 4096}));
    EXPECT_EQ(reader.retries(), 3U);
}

TEST(RegistryReader, OtherFailuresAreFinal) {
    for (const std::uint32_t status : {win32::access_denied, win32::file_not_found, win32::bad_net_path, 12345U}) {
        FakeRegistry registry({reply(good()), failure(status), reply(good(1))});
        Waits waits;
        RegistryReader reader(registry, quick(&waits));
        EXPECT_EQ(reader.query("Global"), win32::success);
        EXPECT_EQ(reader.query("Global"), status);
        EXPECT_TRUE(reader.block().empty()) << "nothing of the block before";
        EXPECT_THAT(registry.calls, SizeIs(2));
        EXPECT_THAT(waits, IsEmpty());
        EXPECT_EQ(reader.retries(), 0U);
        EXPECT_EQ(reader.query("Global"), win32::success) << "the next query may succeed";
        EXPECT_TRUE(same(reader.block(), good(1)));
    }
}

// Replies that are incomplete or have a wrong length.

TEST(RegistryReader, ABlockWithoutALengthIsReadAgain) {
    FakeRegistry registry({reply(incomplete()), reply(incomplete()), reply(good())});
    RegistryReader reader(registry, quick());
    EXPECT_EQ(reader.query("Global"), win32::success);
    EXPECT_TRUE(same(reader.block(), good()));
    EXPECT_EQ(registry.offered(), doubled(3));
    EXPECT_EQ(reader.retries(), 2U);
}

TEST(RegistryReader, ABlockAlwaysWithoutALengthIsReturnedUnchanged) {
    FakeRegistry registry;
    registry.answer = [](const RegistryCall&) { return reply(incomplete()); };
    RegistryReader reader(registry, quick());
    EXPECT_EQ(reader.query("Global"), win32::success);
    EXPECT_TRUE(same(reader.block(), incomplete()));
    EXPECT_THAT(registry.calls, SizeIs(8)) << "as many attempts as with a busy registry";
    EXPECT_EQ(reader.retries(), 7U);
}

TEST(RegistryReader, ABlockShorterThanItsLengthIsReadAgain) {
    const auto length = static_cast<std::uint32_t>(good().size());
    FakeRegistry registry({reply(with_length(length + 8)), reply(with_length(0x7FFF'FFFF)), reply(good())});
    RegistryReader reader(registry, quick());
    EXPECT_EQ(reader.query("Global"), win32::success);
    EXPECT_TRUE(same(reader.block(), good()));
    EXPECT_EQ(reader.retries(), 2U);
    const Sizes offered = registry.offered();
    EXPECT_EQ(offered[0], offered[1]) << "the buffer was large enough for the length stated";
    EXPECT_LT(offered[1], offered[2]);
    EXPECT_LE(offered[2], 8192U) << "the length that a block states is not trusted either";
}

TEST(RegistryReader, ABlockAlwaysShorterThanItsLengthIsReturnedUnchanged) {
    const std::string incomplete_block = with_length(static_cast<std::uint32_t>(good().size()) + 800);
    FakeRegistry registry;
    registry.answer = [&](const RegistryCall&) { return reply(incomplete_block); };
    RegistryReader reader(registry, quick());
    EXPECT_EQ(reader.query("Global"), win32::success);
    EXPECT_TRUE(same(reader.block(), incomplete_block));
    EXPECT_GE(registry.calls.size(), 2U);
    EXPECT_LE(registry.calls.size(), 8U);
    hkpd::Diagnostics diagnostics;
    hkpd::v1::Block block;
    EXPECT_TRUE(block.open(reader.block(), diagnostics));
    EXPECT_TRUE(diagnostics.any_fault()) << "the parser reports it";
}

TEST(RegistryReader, TheLimitAppliesToIncompleteRepliesToo) {
    FakeRegistry registry;
    registry.answer = [](const RegistryCall&) { return reply(incomplete()); };
    RegistryPolicy policy = quick();
    policy.most_size = 3000;
    RegistryReader reader(registry, policy);
    EXPECT_EQ(reader.query("Global"), win32::success);
    EXPECT_TRUE(same(reader.block(), incomplete()));
    EXPECT_THAT(registry.offered(), Each(Le(3000U)));
}

TEST(RegistryReader, UnusualButCompleteRepliesAreReadOnce) {
    blob::Block without_objects{};
    const std::string replies[] = {to_text(blob::build(without_objects)), to_text(blob::samba_like(block_of())),
                                   good() + std::string(16, '\0')};
    for (const std::string& bytes : replies) {
        FakeRegistry registry({reply(bytes)});
        RegistryReader reader(registry, quick());
        EXPECT_EQ(reader.query("Global"), win32::success);
        EXPECT_TRUE(same(reader.block(), bytes));
        EXPECT_THAT(registry.calls, SizeIs(1));
        EXPECT_EQ(reader.retries(), 0U);
    }
}

TEST(RegistryReader, ASuccessWithoutBytesIsAnEmptyBlock) {
    FakeRegistry registry;
    registry.answer = [](const RegistryCall&) { return reply({}); };
    RegistryReader reader(registry, quick());
    EXPECT_EQ(reader.query("9999"), win32::success);
    EXPECT_TRUE(reader.block().empty());
    EXPECT_LE(registry.calls.size(), 8U);
}

TEST(RegistryReader, AnInvalidBlockIsReturnedUnchanged) {
    for (const std::string& bytes : {std::string("x"), std::string(500, 'x'), good().substr(0, 20)}) {
        FakeRegistry registry;
        registry.answer = [&](const RegistryCall&) { return reply(bytes); };
        RegistryReader reader(registry, quick());
        EXPECT_EQ(reader.query("Global"), win32::success);
        EXPECT_TRUE(same(reader.block(), bytes));
        EXPECT_LE(registry.calls.size(), 8U);
    }
}

TEST(RegistryReader, NeverReturnsMoreThanTheBuffer) {
    for (const std::uint32_t size : {1025U, 4096U, 0x7FFF'FFFFU, 0xFFFF'FFFFU}) {
        FakeRegistry registry;
        registry.answer = [&](const RegistryCall&) { return reply(good(), size); };
        RegistryPolicy policy = quick();
        policy.most_size = 2048;
        RegistryReader reader(registry, policy);
        EXPECT_EQ(reader.query("Global"), win32::success) << size;
        const std::size_t writable = registry.calls.back().offered + hkpd::PerformanceRegistry::spare_bytes;
        EXPECT_LE(reader.block().size(), writable);
        EXPECT_TRUE(text_of(reader.block()).starts_with(good())) << "the bytes received are kept";
        std::vector<std::byte> titles;
        EXPECT_EQ(reader.query_titles(PerformanceKey::text, "Counter", titles), win32::success);
        EXPECT_LE(titles.size(), writable);
    }
}

TEST(RegistryReader, KeepsTheBytesThatWineDoesNotCount) {
    const std::string wine = to_text(blob::wine_like(block_of(), 0));
    const std::size_t counted = good().size();
    ASSERT_EQ(wine.size(), counted + 88);
    // In the middle of a buffer, at its end, and across its end.
    for (const std::size_t offered : {std::size_t{4096}, counted + 88, counted + 40, counted}) {
        FakeRegistry registry;
        registry.answer = [&](const RegistryCall&) { return reply(wine, static_cast<std::uint32_t>(counted)); };
        RegistryPolicy policy = quick();
        policy.first_size = offered;
        RegistryReader reader(registry, policy);
        EXPECT_EQ(reader.query("Global"), win32::success);
        EXPECT_TRUE(same(reader.block(), wine)) << offered;
        EXPECT_THAT(registry.calls, SizeIs(1));
        hkpd::Diagnostics diagnostics;
        hkpd::v1::Block block;
        ASSERT_TRUE(block.open(reader.block(), diagnostics));
        ASSERT_EQ(block.objects().size(), 1U);
        EXPECT_EQ(block.objects()[0].title_index, 238U);
        EXPECT_EQ(diagnostics.count(hkpd::Severity::error), 0U);
    }
}

// Titles.

TEST(RegistryReader, TitlesAreReturnedUnchanged) {
    const std::string titles = titles_multi_sz({{1, u"1847"}, {2, u"System"}, {238, u"Prozessor"}});
    FakeRegistry registry({reply(titles), reply(titles + "x")});
    RegistryReader reader(registry, quick());
    std::vector<std::byte> got{std::byte{1}};
    EXPECT_EQ(reader.query_titles(PerformanceKey::nls_text, "Counter", got), win32::success);
    EXPECT_EQ(text_of(got), titles);
    EXPECT_EQ(reader.query_titles(PerformanceKey::data, "Help 007", got), win32::success);
    EXPECT_EQ(text_of(got), titles + "x");
    ASSERT_THAT(registry.calls, SizeIs(2));
    EXPECT_EQ(registry.calls[0].key, PerformanceKey::nls_text);
    EXPECT_EQ(registry.calls[0].name, "Counter");
    EXPECT_EQ(registry.calls[1].key, PerformanceKey::data);
    EXPECT_EQ(registry.calls[1].name, "Help 007");
}

TEST(RegistryReader, TitlesAreRetriedAndGrowToo) {
    std::map<std::uint32_t, std::u16string> many;
    for (std::uint32_t i = 0; i < 200; ++i) many[2 * i + 2] = u"Title of some length";
    const std::string titles = titles_multi_sz(many);
    FakeRegistry registry({failure(win32::busy), failure(win32::not_ready)});
    registry.answer = [&](const RegistryCall& call) { return sized_reply(titles, call.offered); };
    Waits waits;
    RegistryReader reader(registry, quick(&waits));
    std::vector<std::byte> got;
    EXPECT_EQ(reader.query_titles(PerformanceKey::text, "Counter", got), win32::success);
    EXPECT_EQ(text_of(got), titles);
    EXPECT_THAT(waits, ElementsAre(10ms, 20ms));
    EXPECT_EQ(reader.retries(), 2U);
}

TEST(RegistryReader, MissingTitles) {
    FakeRegistry registry({failure(win32::file_not_found), reply({})});
    RegistryReader reader(registry, quick());
    std::vector<std::byte> got;
    EXPECT_EQ(reader.query_titles(PerformanceKey::data, "Counter 007", got), win32::file_not_found);
    EXPECT_EQ(reader.query_titles(PerformanceKey::data, "Counter 007", got), win32::success);
    EXPECT_TRUE(got.empty());
    EXPECT_THAT(registry.calls, SizeIs(2));
}

// The end.

TEST(RegistryReader, ClosesTheKeyOnceAtTheEnd) {
    FakeRegistry registry({reply(good()), failure(win32::access_denied), failure(win32::more_data, 0), reply(good())});
    {
        RegistryReader reader(registry, quick());
        reader.query("Global");
        reader.query("Global");
        reader.query("Global");
        std::vector<std::byte> titles;
        reader.query_titles(PerformanceKey::text, "Counter", titles);
        EXPECT_EQ(registry.closed, 0U);
    }
    EXPECT_EQ(registry.closed, 1U);
}

}  // namespace registry_reader_test
