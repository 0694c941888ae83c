// Queries of two threads while a third adds and removes instances and a fourth sets their values. All counters of an
// instance hold the same number, so that an instance read partly before and partly after a change is noticed. Run under
// -fsanitize=thread too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "hkpd/local_perflib.hpp"
#include "hkpd/provider.hpp"
#include "hkpd/v1_writer.hpp"
#include "live/perflib_query.hpp"
#include "support/provider_kit.hpp"
#include "support/waiting.hpp"

namespace provider_threads_test {

constexpr std::size_t counters = 16;
constexpr auto duration = std::chrono::milliseconds(800);
using Numbers = std::array<std::uint64_t, counters>;

hkpd::CountersetDescriptor wide_set(std::uint8_t number) {
    hkpd::CountersetDescriptor set;
    set.guid = provider_kit::guid(number);
    set.name = "Wide";
    set.instances = hkpd::v2::InstanceType::multi;
    for (std::uint32_t id = 0; id < counters; ++id)
        set.counters.push_back({.id = id,
                                .type = provider_kit::bulk_count,
                                .name = "Counter " + std::to_string(id),
                                .help = "",
                                .offset = static_cast<std::uint16_t>(8 * id)});
    return set;
}

bool set_all(hkpd::ProviderInstance& instance, std::uint64_t value) {
    Numbers numbers;
    numbers.fill(value);
    const std::array structs{std::as_bytes(std::span<const std::uint64_t>(numbers))};
    return instance.set(structs).has_value();
}

/// The state shared by the four threads: set 1 keeps instances, set 2 comes from a callback.
class SharedProvider {
  public:
    SharedProvider() {
        EXPECT_TRUE(provider_.add(wide_set(1)));
        EXPECT_TRUE(provider_.add(wide_set(2), [this](auto what, const auto&, hkpd::InstanceSink& sink) {
            return what == hkpd::Notification::collect_data ? give(sink) : 0U;
        }));
        for (std::uint32_t id = 0; id < 8; ++id)
            stable_.push_back(
                provider_.create_instance(provider_kit::guid(1), "stable " + std::to_string(id), id).value());
    }

    void run() {
        std::vector<std::future<void>> threads;
        threads.push_back(std::async(std::launch::async, [this] { query(); }));
        threads.push_back(std::async(std::launch::async, [this] { query(); }));
        threads.push_back(std::async(std::launch::async, [this] { come_and_go(); }));
        threads.push_back(std::async(std::launch::async, [this] { set(); }));
        std::this_thread::sleep_for(duration);
        // On a busy machine a thread may wait long for a processor.
        hkpd_test::wait_until([this] { return consistent_ > 100 && values_seen_ > 1; },
                              "the queries have seen more than 100 instances and more than one state");
        stop_ = true;
    }
    std::uint64_t failures() const { return failures_; }
    std::uint64_t consistent() const { return consistent_; }
    std::uint64_t values_seen() const { return values_seen_; }

  private:
    std::uint32_t give(hkpd::InstanceSink& sink) {
        Numbers numbers;
        numbers.fill(++given_);
        const std::array structs{std::as_bytes(std::span<const std::uint64_t>(numbers))};
        return sink.add("given", 0, structs) ? 0 : 1;
    }

    void query() {
        hkpd::PerfQuery query(perflib_);
        std::uint64_t last = 0;
        query.add(provider_kit::guid(1), "*");
        query.add(provider_kit::guid(2), "*");
        while (!stop_) {
            // Counters of one instance in separate results are of the same time too.
            query.add(provider_kit::guid(1), "stable 0", 3);
            query.add(provider_kit::guid(1), "stable 0", 12);
            if (query.collect() != 0) ++failures_;
            check(provider_kit::read_block(query.data().span()), last);
            query.remove(provider_kit::guid(1), "stable 0", 3);
            query.remove(provider_kit::guid(1), "stable 0", 12);
        }
    }

    void check(const std::vector<provider_kit::Result>& results, std::uint64_t& last) {
        for (const provider_kit::Result& result : results) {
            for (const provider_kit::Listed& instance : result.instances) {
                const bool equal =
                    std::ranges::all_of(instance.values, [&](auto v) { return v == instance.values[0]; });
                ++(equal ? consistent_ : failures_);
            }
        }
        const std::uint64_t now = results.at(2).instances.at(0).values.at(0);
        if (now != results.at(3).instances.at(0).values.at(0)) ++failures_;
        if (now != last) ++values_seen_;
        last = now;
    }

    void come_and_go() {
        for (std::uint32_t round = 0; !stop_; ++round) {
            std::vector<hkpd::ProviderInstance> instances;
            for (std::uint32_t i = 0; i < 10; ++i) {
                auto created =
                    provider_.create_instance(provider_kit::guid(1), "passing " + std::to_string(i), 100 + i);
                if (!created || !set_all(*created, round)) ++failures_;
                instances.push_back(*std::move(created));
            }
            instances[3].close();
            const auto sets = provider_.countersets();
            hkpd::V1BlockWriter block(provider_kit::moment(), "");
            append_v1_view(block, sets, hkpd::V1Numbering(5000, sets), {});
            if (block.finish().size() < 88) ++failures_;
        }
    }

    void set() {
        for (std::uint64_t value = 1; !stop_; ++value)
            for (hkpd::ProviderInstance& instance : stable_)
                if (!set_all(instance, value)) ++failures_;
    }

    hkpd::Provider provider_;
    hkpd::LocalPerfLib perflib_{provider_, provider_kit::moment, "Here"};
    std::vector<hkpd::ProviderInstance> stable_;
    std::atomic<bool> stop_ = false;
    std::atomic<std::uint64_t> given_ = 0, failures_ = 0, consistent_ = 0, values_seen_ = 0;
};

TEST(ProviderThreads, InstancesAreConsistent) {
    SharedProvider shared;
    shared.run();
    EXPECT_EQ(shared.failures(), 0U);
    EXPECT_GT(shared.consistent(), 100U);
    EXPECT_GT(shared.values_seen(), 1U) << "the queries saw more than one state";
}

TEST(ProviderThreads, NoCallbackAfterItsSetWasRemoved) {
    hkpd::Provider provider;
    hkpd::LocalPerfLib perflib(provider, provider_kit::moment, "Here");
    std::atomic<bool> stop = false;
    std::atomic<std::uint64_t> calls = 0, late = 0;
    const auto reader = std::async(std::launch::async, [&] {
        while (!stop) {
            hkpd::PerfQuery query(perflib);
            query.add(provider_kit::guid(1), "*");
            query.collect();
        }
    });
    // On a busy machine it may take many rounds until the other thread calls it.
    const auto end = std::chrono::steady_clock::now() + hkpd_test::long_enough;
    for (int round = 0; round < 300 || (calls == 0 && std::chrono::steady_clock::now() < end); ++round) {
        const auto alive = std::make_unique<std::atomic<bool>>(true);
        ASSERT_TRUE(provider.add(wide_set(1), [&, flag = alive.get()](auto, const auto&, auto&) {
            std::this_thread::yield();
            ++(flag->load() ? calls : late);
            return 0U;
        }));
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        provider.remove(provider_kit::guid(1));
        *alive = false;
    }
    stop = true;
    EXPECT_EQ(late, 0U);
    EXPECT_GT(calls, 0U) << "the reader has queried none of the sets";
}

TEST(ProviderThreads, QueriesEndWhileTheyCollect) {
    hkpd::Provider provider;
    hkpd::LocalPerfLib perflib(provider, provider_kit::moment, "Here");
    std::atomic<bool> inside = false, cancelled = false;
    ASSERT_TRUE(provider.add(wide_set(1), [&](auto what, const hkpd::MaskInformation& mask, auto&) {
        if (what != hkpd::Notification::collect_data) return 0U;
        inside = true;
        while (!*mask.cancel) std::this_thread::yield();
        cancelled = true;
        return 0U;
    }));
    hkpd::PerfLib::Handle query = 0;
    ASSERT_EQ(perflib.open_query({}, query), 0U);
    std::vector<std::byte> identifier;
    hkpd::v2::append_identifier(identifier, provider_kit::guid(1), "*");
    ASSERT_EQ(perflib.add_counters(query, identifier), 0U);
    {
        const auto reader = std::async(std::launch::async, [&] {
            std::array<std::byte, 1000> buffer{};
            std::uint32_t actual = 0;
            EXPECT_EQ(perflib.query_data(query, buffer, actual), hkpd::win32::invalid_handle);
        });
        hkpd_test::wait_until([&] { return inside.load(); }, "the provider collects data");
        EXPECT_EQ(perflib.close_query(query), 0U);
    }
    EXPECT_TRUE(cancelled);
}

}  // namespace provider_threads_test
