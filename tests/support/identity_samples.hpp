// Runs of samples for the tests of identity, and a second, slow way to identify an instance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/sample.hpp"
#include "support/blob_builder.hpp"
#include "support/sample_reading.hpp"

namespace hkpd_test {

inline constexpr std::uint32_t process_object = 230, thread_object = 232, id_process = 784, id_thread = 804;

inline blob::Object list(std::uint32_t title, std::vector<blob::Counter> counters,
                         std::vector<blob::Instance> instances) {
    return {
        .title = title, .kind = blob::Kind::multi, .counters = std::move(counters), .instances = std::move(instances)};
}

/// Instances without ids.
inline blob::Object plain(std::uint32_t title, std::vector<blob::Instance> instances) {
    return list(title, {{.title = 6}}, std::move(instances));
}

struct Process {
    std::u16string name;
    std::uint32_t id;
};
inline blob::Object processes(const std::vector<Process>& all) {
    blob::Object object = list(process_object, {{.title = 6}, {.title = id_process}}, {});
    for (const Process& process : all) object.instances.push_back({.name = process.name, .values = {1, process.id}});
    return object;
}

struct Thread {
    std::u16string name;
    std::uint32_t process, id, parent;  ///< the place of its process in the list
};
inline blob::Object threads(const std::vector<Thread>& all) {
    blob::Object object = list(thread_object, {{.title = id_process}, {.title = id_thread}}, {});
    for (const Thread& thread : all)
        object.instances.push_back({.name = thread.name,
                                    .values = {thread.process, thread.id},
                                    .parent_object = process_object,
                                    .parent = thread.parent});
    return object;
}

/// Returns thirteen of them among others, with ids 100, 104, ...; one may be missing.
inline std::vector<Process> service_hosts(std::size_t without = 99) {
    std::vector<Process> all{{u"Idle", 0}, {u"System", 4}};
    for (std::size_t i = 0; i < 13; ++i)
        if (i != without) all.push_back({u"svchost", static_cast<std::uint32_t>(100 + 4 * i)});
    all.push_back({u"explorer", 900});
    all.push_back({u"_Total", 0});
    return all;
}

/// Returns two threads of each process, `0` and `1`; their ids are ten times those of the processes.
inline std::vector<Thread> threads_of(const std::vector<Process>& all) {
    std::vector<Thread> found;
    for (std::uint32_t place = 0; place < all.size(); ++place)
        for (std::uint32_t i = 0; i < 2; ++i)
            found.push_back({i == 0 ? u"0" : u"1", all[place].id, 10 * all[place].id + i, place});
    return found;
}

/// Returns the block of the k-th second.
inline blob::Blob at_second(std::size_t k, std::vector<blob::Object> objects, std::u16string machine = u"DEMO") {
    const auto ticks = static_cast<std::int64_t>(k) * 10'000'000;
    return blob::build({.objects = std::move(objects),
                        .machine = std::move(machine),
                        .perf_time = ticks,
                        .perf_time_100ns = 132'444'736'001'230'000 + ticks});
}

/// Returns samples of one machine, a second apart.
inline std::unique_ptr<Samples> read_run(std::vector<std::vector<blob::Object>> run) {
    std::vector<blob::Blob> blobs;
    for (std::size_t k = 0; k < run.size(); ++k) blobs.push_back(at_second(k, std::move(run[k])));
    return read_blobs(std::move(blobs));
}

inline void damage_name(blob::Blob& blob, std::size_t object, std::size_t instance) {
    blob.put32(blob.instance(object, instance) + blob::instance_definition::NameOffset, 0x80000000);
}

/// Returns places as text: `0 - 2`, with a dash for `no_index`.
inline std::string places(std::span<const std::uint32_t> all) {
    std::string text;
    for (const std::uint32_t place : all)
        text.append(text.empty() ? "" : " ").append(place == hkpd::no_index ? "-" : std::to_string(place));
    return text;
}

/// Identities of the instances of a sample, each written in full with its ancestors and compared with all others.
/// Detects no cycles except that of an object whose instances have parents in it.
class WhoIsWho {
  public:
    struct Who {
        std::string text;
        bool traceable = true;  ///< false if a name or an id is damaged, of the instance or an ancestor
    };

    explicit WhoIsWho(const hkpd::Sample& sample) : sample_(sample) {}

    const Who& operator()(std::size_t object, std::size_t row) {
        const auto place = std::pair(object, row);
        if (const auto found = known_.find(place); found != known_.end()) return found->second;
        Who who = without_ordinal(object, row);
        std::size_t ordinal = 0;
        for (std::size_t other = 0; other < row; ++other)
            if (without_ordinal(object, other).text == who.text) ++ordinal;
        who.text += " the " + std::to_string(ordinal) + "th";
        return known_[place] = who;
    }

  private:
    static std::string id(const hkpd::Object& object, std::size_t row, std::uint32_t title, bool& valid) {
        for (const hkpd::Column& column : object.columns) {
            if (column.title_index != title) continue;
            valid = valid && column.is_valid(row);
            return column.is_valid(row) ? std::to_string(column.values[row]) : "damaged";
        }
        return "none";
    }

    Who without_ordinal(std::size_t position, std::size_t row) {
        const hkpd::Object& object = sample_.objects()[position];
        const hkpd::Instance& instance = object.instances[row];
        Who who;
        const auto parent = sample_.parent(instance);
        if (parent && instance.parent_object != object.title_index) {
            who = (*this)(parent->object, parent->instance);
        } else if (instance.parent_object != 0) {
            who.text =
                "[" + std::to_string(instance.parent_object) + "," + std::to_string(instance.parent_instance) + "]";
        }
        who.text += "/" + std::to_string(object.title_index) + ":";
        who.text += instance.name ? "'" + std::string(*instance.name) + "'" : "damaged";
        who.traceable = who.traceable && instance.name.has_value();
        who.text += " unique " + std::to_string(instance.unique_id.value_or(-1));
        who.text += " process " + id(object, row, id_process, who.traceable);
        who.text += " thread " + id(object, row, id_thread, who.traceable);
        return who;
    }

    const hkpd::Sample& sample_;
    std::map<std::pair<std::size_t, std::size_t>, Who> known_;
};

}  // namespace hkpd_test
