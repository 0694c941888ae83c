// A simulated machine with both interfaces: a registry that serves titles and objects like Windows, and PerfLib on top
// of a provider. The records of a live source are kept one by one.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/live.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/source.hpp"
#include "source/sample_reader.hpp"
#include "support/blob_quirks.hpp"
#include "support/capture_reading.hpp"
#include "support/fake_clock.hpp"
#include "support/fake_perflib.hpp"
#include "support/fake_registry.hpp"
#include "support/provider_kit.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {

using TitleMap = std::map<std::uint32_t, std::u16string>;

/// Serves its members under the names of the predefined keys (HKEY_PERFORMANCE_DATA, HKEY_PERFORMANCE_TEXT,
/// HKEY_PERFORMANCE_NLSTEXT); each block is a second later.
class ServedRegistry final : public FakeRegistry {
  public:
    std::map<std::string, TitleMap> titles;  ///< by language (`009`): names are even, help is odd
    std::string ui = "009";                  ///< the language of HKEY_PERFORMANCE_NLSTEXT
    std::vector<blob::Object> objects;
    bool wine = false;                                         ///< whether blocks have Wine's form
    std::function<std::uint32_t(std::size_t)> block_status{};  ///< by the number of earlier requests for blocks
    std::vector<std::string> queries;                          ///< requests for blocks
    std::vector<std::string> blocks;                           ///< blocks returned
    std::vector<std::string> title_calls;                      ///< `009 help`

    ServedRegistry() {
        answer = [this](const RegistryCall& call) { return serve(call); };
    }

  private:
    RegistryAnswer serve(const RegistryCall& call) {
        std::istringstream words(call.name);
        std::string first, second;
        words >> first >> second;
        std::ranges::transform(first, first.begin(), [](unsigned char c) { return std::tolower(c); });
        if (first == "counter" || first == "help") {
            std::ranges::transform(second, second.begin(), [](unsigned char c) { return std::toupper(c); });
            return serve_titles(!second.empty()                              ? second
                                : call.key == hkpd::PerformanceKey::nls_text ? ui
                                                                             : "009",
                                first == "counter", call.offered);
        }
        if (first == "explain" || call.key != hkpd::PerformanceKey::data) return failure(hkpd::win32::file_not_found);
        return serve_block(call);
    }

    RegistryAnswer serve_titles(const std::string& spoken, bool names, std::size_t offered) {
        title_calls.push_back(spoken + (names ? " counter" : " help"));
        const auto found = titles.find(spoken);
        if (found == titles.end()) return failure(hkpd::win32::file_not_found);
        TitleMap half;
        for (const auto& [index, text] : found->second)
            if ((index % 2 == 0) == names) half.emplace(index, text);
        return sized_reply(titles_multi_sz(half), offered);
    }

    RegistryAnswer serve_block(const RegistryCall& call) {
        queries.push_back(call.name);
        const std::uint32_t status = block_status ? block_status(queries.size() - 1) : hkpd::win32::success;
        if (status != hkpd::win32::success) return failure(status);
        const auto second = static_cast<std::uint16_t>(queries.size());
        blob::Block block{.perf_time = second * 10'000'000};
        block.system_time.second = second % 60;
        std::set<std::uint32_t> wanted;
        std::istringstream words(call.name);
        for (std::uint32_t index = 0; words >> index;) wanted.insert(index);
        for (const blob::Object& object : objects)
            if (wanted.empty() || wanted.contains(object.title)) block.objects.push_back(object);
        const blob::Blob plain = blob::build(block);
        blocks.push_back(to_text(wine ? blob::wine_like(block, 0) : plain));
        const auto size = static_cast<std::uint32_t>(plain.size());
        return call.offered < size ? failure(hkpd::win32::more_data, 0) : reply(blocks.back(), size);
    }
};

/// Returns System, Processor, and the threads of two processes.
inline std::vector<blob::Object> served_objects() {
    return {{.title = 2, .counters = {{.title = 10}}, .values = {7}},
            {.title = 238,
             .kind = blob::Kind::multi,
             .counters = {{.title = 6, .type = blob::counter_type::large_rawcount, .size = 8}},
             .instances = {{.name = u"0", .values = {11}}, {.name = u"_Total", .values = {12}}}},
            {.title = 230,
             .kind = blob::Kind::multi,
             .counters = {{.title = 784}},
             .instances = {{.name = u"a", .values = {21}}, {.name = u"b", .values = {22}}}},
            {.title = 232,
             .kind = blob::Kind::multi,
             .counters = {{.title = 804}},
             .instances = {{.name = u"0", .values = {31}, .parent_object = 230, .parent = 0},
                           {.name = u"0", .values = {32}, .parent_object = 230, .parent = 1}}}};
}

/// Returns all indices of those objects, and a counter with the name of an object.
inline TitleMap served_titles() {
    TitleMap titles{{1, u"1847"}};
    for (const auto& [index, name] : TitleMap{{2, u"System"},
                                              {6, u"% Processor Time"},
                                              {10, u"File Operations/sec"},
                                              {44, u"Processor Queue Length"},
                                              {230, u"Process"},
                                              {232, u"Thread"},
                                              {238, u"Processor"},
                                              {784, u"ID Process"},
                                              {804, u"ID Thread"}}) {
        titles[index] = name;
        titles[index + 1] = u"Help on " + name;
    }
    return titles;
}

/// Both interfaces. Must outlive the sources that read it.
struct ServedMachine {
    provider_kit::Machine v2;
    std::vector<hkpd::ProviderInstance> instances;
    std::shared_ptr<ServedRegistry> registry = std::make_shared<ServedRegistry>();
    std::shared_ptr<FakePerfLib> perflib = std::make_shared<FakePerfLib>(v2.perflib);

    /// Counterset 1 (Demo 1) has the instances a and b, counterset 2 (Demo 2) a single one.
    ServedMachine() {
        registry->objects = served_objects();
        registry->titles["009"] = served_titles();
        EXPECT_TRUE(v2.provider.add(provider_kit::counterset(hkpd::v2::InstanceType::multi, 1)));
        EXPECT_TRUE(v2.provider.add(provider_kit::counterset(hkpd::v2::InstanceType::single, 2)));
        create(1, "a", 0, 41);
        create(1, "b", 1, 42);
        create(2, "", 0, 43);
    }
    void create(std::uint8_t set, std::string_view name, std::uint32_t id, std::uint64_t ticks) {
        auto instance = v2.provider.create_instance(provider_kit::guid(set), name, id);
        ASSERT_TRUE(instance);
        ASSERT_TRUE(instance->set(provider_kit::Data({.ticks = ticks})));
        instances.push_back(*std::move(instance));
    }

    hkpd::LiveMachine interfaces() const { return {.name = "DEMO", .registry = registry, .perflib = perflib}; }

    std::unique_ptr<hkpd::Source> open(hkpd::LiveQuery query, std::uint64_t ticks = 2) const {
        return hkpd::open_live(interfaces(), std::move(query), std::make_unique<CountedTicks>(ticks));
    }
};

/// A record with its own copy of the bytes, and its cost.
struct Taken {
    Kept kept;
    std::optional<std::uint64_t> cost;
};

/// Reads all records of a source.
struct LiveRead {
    std::vector<Taken> records;
    hkpd::Diagnostics diagnostics;

    explicit LiveRead(hkpd::Source& source) {
        while (const auto record = source.next(diagnostics)) records.push_back({keep(*record), record->cost});
        EXPECT_FALSE(source.next(diagnostics));
    }
    explicit LiveRead(const std::unique_ptr<hkpd::Source>& source) : LiveRead(*source) {}

    std::vector<Kept> of(hkpd::Record::Kind kind) const {
        std::vector<Kept> found;
        for (const Taken& taken : records)
            if (taken.kept.kind == kind) found.push_back(taken.kept);
        return found;
    }
    /// Returns the kinds as letters, `tr1i2`: consecutive titles or registrations are one letter.
    std::string kinds() const {
        std::string text;
        for (const Taken& taken : records) {
            const char kind = letter_of(taken.kept.kind);
            if ((kind == 't' || kind == 'r') && text.ends_with(kind)) continue;
            text += kind;
        }
        return text;
    }
    /// Returns the faults with this code.
    std::vector<hkpd::Diagnostic> faults(std::string_view code) const {
        std::vector<hkpd::Diagnostic> found;
        for (const hkpd::Diagnostic& diagnostic : diagnostics.kept())
            if (code_name(diagnostic.error.code) == code) found.push_back(diagnostic);
        return found;
    }

  private:
    static char letter_of(hkpd::Record::Kind kind) {
        using enum hkpd::Record::Kind;
        return kind == titles           ? 't'
               : kind == provenance     ? 'p'
               : kind == v1_block       ? '1'
               : kind == v2_block       ? '2'
               : kind == v2_identifiers ? 'i'
                                        : 'r';
    }
};

inline std::string message_of(const hkpd::Diagnostic& diagnostic) {
    std::string text;
    append_message(text, diagnostic.error);
    return text;
}

/// The samples of a source, with the names from its records.
class LiveSamples {
  public:
    explicit LiveSamples(hkpd::Source& source) : reader_(source, &titles, {}) {
        reader_.take_titles(titles);
        while (reader_.next(all.emplace_back(), diagnostics)) {
        }
        all.pop_back();
    }
    explicit LiveSamples(const std::unique_ptr<hkpd::Source>& source) : LiveSamples(*source) {}

    hkpd::Titles titles;
    hkpd::Diagnostics diagnostics;
    std::deque<hkpd::Sample> all;

  private:
    hkpd::SampleReader reader_;
};

}  // namespace hkpd_test
