// Writes random runs of instances, and who they are: make_runs FOLDER FIRST COUNT. For each seed from FIRST on a file
// SEED.bin (V1 blobs end to end, in either byte order), SEED.blg (a performance log) or SEED.mcap (a capture of V1, V2
// or both), and SEED.json with the truth: for each row of each sample its object, parent, name, ids, start time, the
// number that PDH gives it among equal names, and `identity`, an integer that is another one for another process,
// thread or place. The value of the counter `token` is identity * 1000 + sample in every row: it shows whose it is in
// any output. The same bytes every time.
//
// It shares no code with the library. labels.py compares every output with the truth.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/blob_builder.hpp"
#include "support/log_bytes.hpp"
#include "support/mcap_builder.hpp"
#include "support/v2_builder.hpp"

namespace {

enum class Form : std::uint8_t { v1, v1_capture, v2_capture, both_capture, log_blocks, log_lists };

constexpr std::int64_t second = 10'000'000;
/// 2020-09-13 12:26:00 UTC as FILETIME, and the start of the machine.
constexpr std::int64_t first_time = 132'444'735'600'000'000, boot = first_time - 86'400 * second;

/// A row of a sample: what is written, and the truth about it.
struct Row {
    std::u16string parent{}, name{};
    std::int64_t parent_row = -1;  ///< in the object of the parent; -1: no parent
    std::optional<std::uint32_t> pid{}, tid{}, instance_id{};
    std::optional<std::int64_t> start{};
    std::int32_t unique_id = -1;  ///< written in V1; differs from instance_id where a process id counts instead
    std::uint32_t place = 0;      ///< among rows of equal names
    std::uint32_t identity = 0;
};

struct Object {
    std::uint32_t title = 0, parent_title = 0, token = 0;
    std::u16string_view name{}, token_name{};
    std::vector<Row> rows{};
    bool has_pid = false, has_tid = false, has_start = false;  ///< counters of its own
};

struct Sample {
    std::uint32_t number = 0;  ///< of this machine
    std::string source{}, machine{};
    std::int64_t time = 0;
    std::vector<Object> objects{};
};

/// Names are equal regardless of case. The names of the runs have capital letters of ASCII, and three others.
std::u16string folded(std::u16string_view name) {
    std::u16string text;
    for (const char16_t unit : name)
        text += unit == u'Ä' || unit == u'Ö' || unit == u'Ü' || (unit >= u'A' && unit <= u'Z')
                    ? static_cast<char16_t>(unit + 32)
                    : unit;
    return text;
}

class Dice {
  public:
    explicit Dice(std::uint32_t seed) : generator_(seed) {}
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(generator_() % end); }
    bool one_in(std::uint32_t n) { return below(n) == 0; }
    template <class List>
    const auto& any(const List& list) {
        return list[below(static_cast<std::uint32_t>(std::size(list)))];
    }

  private:
    std::mt19937 generator_;
};

struct Plan {
    std::uint32_t seed = 0;
    Form form = Form::v1;
    blob::Endian endian = blob::Endian::little;
    bool starts = false;      ///< whether processes and threads have an elapsed time
    bool imitations = false;  ///< whether real names look like labels: `svchost#1`, `svchost:8`
    bool changing_case = false;
    std::uint32_t samples = 0, machines = 1;
};

constexpr std::u16string_view usual_names[] = {u"svchost", u"svchost", u"svchost", u"Svchost",    u"SVCHOST", u"chrome",
                                               u"chrome",  u"w3wp",    u"cmd",     u"Äpfel",      u"äPFEL",   u"a b",
                                               u"n#b",     u"x:y",     u"f(g)",    u"c++ (x86)",  u"p/q",     u"p",
                                               u"quo\"te", u"com,ma",  u"k#3",     u"svchost#12", u"per%cent"};
constexpr std::u16string_view imitating_names[] = {u"svchost#1", u"svchost:8",   u"svchost:8:2", u"chrome/0",
                                                   u"svchost:4", u"svchost#1#1", u"svchost:8/0", u"svchost"};
constexpr std::u16string_view image_names[] = {u"ntdll.dll", u"kernel32.dll", u"NTDLL.DLL", u"a#1.dll", u"x:8"};
constexpr std::u16string_view disk_names[] = {u"C:", u"c:", u"D:", u"disk", u"disk", u"disk#x", u"Disk", u"a/b"};
constexpr std::u16string_view queue_names[] = {u"laser", u"laser", u"Laser", u"ink", u"a:b", u"_total_not"};

/// One machine: what lives on it, from sample to sample.
class Machine {
  public:
    Machine(const Plan& plan, Dice& dice, std::uint32_t& identities) : plan_(plan), dice_(dice), next_(identities) {
        processes_.push_back({.name = u"Idle", .pid = 0, .start = boot, .identity = ++next_, .threads = {}});
        add_thread(processes_.back(), boot);
        for (int i = 0; i < 4; ++i) start_process();
    }

    /// Returns the objects of the next sample.
    std::vector<Object> sample() {
        if (number_ > 0) change();
        std::vector<Object> objects;
        const bool all = plan_.form != Form::log_lists, always = plan_.form == Form::log_blocks;
        objects.push_back(process_object());
        // Objects may be absent from a sample: no instance was missing from it then. A row of a log has all of them.
        if (all && (always || !dice_.one_in(6))) objects.push_back(thread_object(objects.front()));
        if (all && (always || !dice_.one_in(6))) objects.push_back(image_object(objects.front()));
        objects.push_back(disk_object());
        if (all) objects.push_back(partition_object(objects.back()));
        if (all) objects.push_back(queue_object());
        for (Object& object : objects) set_places(object);
        ++number_;
        return objects;
    }

    /// Returns instances as a V2 provider has them.
    std::vector<Row> waves() {
        std::vector<Row> rows;
        std::set<std::pair<std::u16string, std::uint32_t>> present;
        for (std::uint32_t i = dice_.below(6); i > 0; --i) {
            Row row{.name = std::u16string(dice_.any(queue_names)), .instance_id = dice_.below(5)};
            if (!present.insert({folded(row.name), *row.instance_id}).second) continue;
            row.identity = lasting({2, {}, folded(row.name), *row.instance_id});
            rows.push_back(std::move(row));
        }
        return rows;
    }

  private:
    struct Thread {
        std::uint32_t tid = 0;
        std::int64_t start = 0;
        std::map<std::u16string, std::uint32_t> identities{};  ///< by name: threads are named by their position
    };
    struct Process {
        std::u16string name{};
        std::uint32_t pid = 0;
        std::int64_t start = 0;
        std::uint32_t identity = 0;
        bool hidden = false;
        std::vector<Thread> threads{};
        std::vector<std::u16string> images{};
    };
    /// Object, parent, name, and a number: a place, an id.
    struct Key {
        std::uint32_t object = 0;
        std::u16string parent{}, name{};
        std::uint32_t number = 0;
        auto operator<=>(const Key&) const = default;
    };
    /// An identity that has no start time, and the last sample of its object in which it was seen.
    struct Seen {
        std::uint32_t identity = 0, sample = 0;
    };

    void change() {
        std::erase_if(processes_, [&](const Process& process) { return process.pid != 0 && dice_.one_in(6); });
        for (Process& process : processes_) {
            std::erase_if(process.threads, [&](const Thread&) { return process.pid != 0 && dice_.one_in(6); });
            if (process.pid != 0 && dice_.one_in(3)) add_thread(process, now());
            const bool hidden = process.pid != 0 && dice_.one_in(10);
            // Without start times the input does not show that it is the same one that comes back.
            if (process.hidden && !hidden && !plan_.starts) process.identity = ++next_;
            process.hidden = hidden;
        }
        for (std::uint32_t i = dice_.below(4); i > 0; --i) start_process();
        if (dice_.one_in(3)) std::rotate(processes_.begin() + 1, processes_.begin() + 2, processes_.end());
    }

    std::int64_t now() { return first_time + number_ * second + ++clock_; }

    std::u16string process_name() {
        return std::u16string(plan_.imitations && dice_.one_in(2) ? dice_.any(imitating_names)
                                                                  : dice_.any(usual_names));
    }

    void start_process() {
        Process process{.name = process_name(), .pid = 4 + 4 * dice_.below(10), .start = now(), .threads = {}};
        const bool used =
            std::ranges::any_of(processes_, [&](const Process& other) { return other.pid == process.pid; });
        // Without start times a gap must show that a name and an id have another owner.
        const auto before = shown_.find({folded(process.name), process.pid});
        if (used || (!plan_.starts && before != shown_.end() && before->second + 1 >= number_)) return;
        process.identity = ++next_;
        for (std::uint32_t i = dice_.below(3); i < 3; ++i) add_thread(process, process.start);
        for (const std::u16string_view image : image_names)
            if (dice_.one_in(3)) process.images.emplace_back(image);
        // NTDLL.DLL and ntdll.dll are one name.
        std::set<std::u16string> names;
        std::erase_if(process.images, [&](const std::u16string& image) { return !names.insert(folded(image)).second; });
        const auto at = dice_.below(static_cast<std::uint32_t>(processes_.size())) + 1;
        processes_.insert(processes_.begin() + at, std::move(process));
    }

    void add_thread(Process& process, std::int64_t start) {
        for (int tries = 0; tries < 20; ++tries) {
            const std::uint32_t tid = process.pid == 0 ? 0 : 4 + 4 * dice_.below(plan_.starts ? 40 : 4000);
            bool used = !plan_.starts && !ids_.insert(tid).second;
            for (const Process& other : processes_)
                for (const Thread& thread : other.threads) used = used || thread.tid == tid;
            for (const Thread& thread : process.threads) used = used || thread.tid == tid;
            if (used) continue;
            process.threads.push_back({.tid = tid, .start = start});
            return;
        }
    }

    std::u16string shown(const std::u16string& name) {
        if (!plan_.changing_case || !dice_.one_in(4)) return name;
        std::u16string text = folded(name);
        if (text[0] >= u'a' && text[0] <= u'z') text[0] = static_cast<char16_t>(text[0] - 32);
        return text;
    }

    Object process_object() {
        Object object{.title = 230,
                      .token = 952,
                      .name = u"Process",
                      .token_name = u"Handle Count",
                      .has_pid = true,
                      .has_start = plan_.starts};
        listed_.clear();
        for (std::size_t i = 0; i < processes_.size(); ++i) {
            const Process& process = processes_[i];
            if (process.hidden) continue;
            listed_.push_back(i);
            shown_[{folded(process.name), process.pid}] = number_;
            object.rows.push_back({.name = shown(process.name),
                                   .pid = process.pid,
                                   .start = process.pid == 0 && dice_.one_in(2) ? now() : process.start,
                                   .unique_id = dice_.one_in(4) ? static_cast<std::int32_t>(dice_.below(9)) : -1,
                                   .identity = process.identity});
        }
        object.rows.push_back(total(230, {}));
        return object;
    }

    Row total(std::uint32_t object, const std::u16string& parent) {
        return {.parent = parent,
                .name = plan_.changing_case ? u"_total" : u"_Total",
                .identity = lasting({object, parent, u"_total", 0})};
    }

    Object thread_object(const Object& parents) {
        Object object{.title = 232,
                      .parent_title = 230,
                      .token = 694,
                      .name = u"Thread",
                      .has_pid = true,
                      .has_tid = true,
                      .has_start = plan_.starts};
        ++thread_samples_;
        for (std::size_t p = 0; p < listed_.size(); ++p) {
            Process& process = processes_[listed_[p]];
            for (std::size_t t = 0; t < process.threads.size(); ++t) {
                Thread& thread = process.threads[t];
                const std::u16string name(1, static_cast<char16_t>(u'0' + t));
                object.rows.push_back({.parent = parents.rows[p].name,
                                       .name = name,
                                       .parent_row = static_cast<std::int64_t>(p),
                                       .pid = process.pid,
                                       .tid = thread.tid,
                                       .start = thread.start,
                                       .identity = identity_of(process, thread, name)});
            }
        }
        object.rows.push_back(total(232, u"_total"));
        object.rows.back().parent = parents.rows.back().name;
        object.rows.back().parent_row = static_cast<std::int64_t>(parents.rows.size()) - 1;
        return object;
    }

    std::uint32_t identity_of(const Process& process, Thread& thread, const std::u16string& name) {
        if (process.pid == 0) return lasting({232, folded(process.name), name, 0});
        if (plan_.starts) {
            std::uint32_t& identity = thread.identities[name];
            return identity == 0 ? identity = ++next_ : identity;
        }
        return while_seen({232, folded(process.name), name, thread.tid}, process.pid, thread_samples_);
    }

    Object image_object(const Object& parents) {
        Object object{.title = 740, .parent_title = 230, .token = 788, .name = u"Image"};
        ++image_samples_;
        for (std::size_t p = 0; p < listed_.size(); ++p) {
            const Process& process = processes_[listed_[p]];
            for (const std::u16string& image : process.images) {
                const Key key{740, folded(process.name), folded(image), 0};
                object.rows.push_back({.parent = parents.rows[p].name,
                                       .name = image,
                                       .parent_row = static_cast<std::int64_t>(p),
                                       .pid = process.pid,
                                       .identity = while_seen(key, process.pid, image_samples_)});
            }
        }
        return object;
    }

    Object disk_object() {
        Object object{.title = 234, .token = 198, .name = u"PhysicalDisk", .token_name = u"Current Disk Queue Length"};
        for (std::uint32_t i = dice_.below(6); i > 0; --i)
            object.rows.push_back({.name = std::u16string(dice_.any(disk_names))});
        number_places(object);
        object.rows.push_back(total(234, {}));
        return object;
    }

    Object partition_object(const Object& parents) {
        Object object{.title = 236, .parent_title = 234, .token = 410, .name = u"LogicalDisk"};
        for (std::size_t p = 0; p + 1 < parents.rows.size(); ++p)
            for (std::uint32_t i = dice_.below(3); i > 0; --i)
                object.rows.push_back({.parent = parents.rows[p].name,
                                       .name = std::u16string(dice_.any(disk_names)),
                                       .parent_row = static_cast<std::int64_t>(p)});
        number_places(object);
        return object;
    }

    /// Instances some of which have an id of the provider.
    Object queue_object() {
        Object object{.title = 1450, .token = 1458, .name = u"Print Queue"};
        std::set<std::pair<std::u16string, std::uint32_t>> present;
        for (std::uint32_t i = dice_.below(6); i > 0; --i) {
            Row row{.name = std::u16string(dice_.any(queue_names))};
            if (!dice_.one_in(3)) {
                row.instance_id = dice_.below(5);
                row.unique_id = static_cast<std::int32_t>(*row.instance_id);
                if (!present.insert({folded(row.name), *row.instance_id}).second) continue;
            }
            object.rows.push_back(std::move(row));
        }
        number_places(object);
        for (Row& row : object.rows)
            if (row.instance_id) row.identity = lasting({1, {}, folded(row.name), *row.instance_id});
        return object;
    }

    /// Numbers rows of equal names, as PDH does.
    static void set_places(Object& object) {
        std::map<std::pair<std::u16string, std::u16string>, std::uint32_t> count;
        for (Row& row : object.rows) row.place = count[{folded(row.parent), folded(row.name)}]++;
        pass_over_names(object);
    }
    /// Increases places whose text is the real name of another row.
    static void pass_over_names(Object& object) {
        const auto text = [](const Row& row, std::uint32_t place) {
            std::u16string name = row.name;
            if (place != 0) {
                name += u'#';
                for (const char digit : std::to_string(place)) name += static_cast<char16_t>(digit);
            }
            return std::pair(folded(row.parent), folded(name));
        };
        std::set<std::pair<std::u16string, std::u16string>> taken;
        for (const Row& row : object.rows) {
            const auto hash = row.name.rfind(u'#');
            const auto is_digit = [](char16_t unit) { return unit >= u'0' && unit <= u'9'; };
            if (hash == std::u16string::npos || hash + 1 == row.name.size()) continue;
            if (std::ranges::all_of(row.name.substr(hash + 1), is_digit)) taken.insert(text(row, 0));
        }
        std::map<std::pair<std::u16string, std::u16string>, std::uint32_t> next;
        for (Row& row : object.rows) {
            if (row.place == 0 || taken.empty()) continue;
            std::uint32_t& place = next[text(row, 0)];
            place = std::max(place, row.place);
            while (taken.contains(text(row, place))) ++place;
            row.place = place++;
        }
    }
    /// Gives rows without ids the identity of their place.
    void number_places(Object& object) {
        set_places(object);
        for (Row& row : object.rows)
            row.identity = lasting({object.title, folded(row.parent), folded(row.name), row.place});
    }

    /// Returns the identity of those that do not die.
    std::uint32_t lasting(const Key& key) {
        std::uint32_t& identity = lasting_[key];
        return identity == 0 ? identity = ++next_ : identity;
    }
    /// Returns the identity of those that die when they are missing from a sample of their object.
    std::uint32_t while_seen(const Key& key, std::uint32_t pid, std::uint32_t sample) {
        Seen& seen = seen_[{key, pid}];
        if (seen.identity == 0 || seen.sample + 1 < sample) seen.identity = ++next_;
        seen.sample = sample;
        return seen.identity;
    }

    const Plan& plan_;
    Dice& dice_;
    std::uint32_t& next_;
    std::uint32_t number_ = 0, thread_samples_ = 0, image_samples_ = 0;
    std::int64_t clock_ = 0;
    std::vector<Process> processes_;
    std::vector<std::size_t> listed_;  ///< processes of this sample, in the order of its rows
    std::set<std::uint32_t> ids_;
    std::map<std::pair<std::u16string, std::uint32_t>, std::uint32_t> shown_;
    std::map<Key, std::uint32_t> lasting_;
    std::map<std::pair<Key, std::uint32_t>, Seen> seen_;
};

// ---- Truth ----

/// Returns text as UTF-8 in the quotes of JSON. The names have no surrogates.
std::string json_string(std::u16string_view text) {
    std::string all = "\"";
    for (const char16_t unit : text) {
        if (unit == u'"' || unit == u'\\')
            all.append(1, '\\').append(1, static_cast<char>(unit));
        else if (unit < 0x80)
            all += static_cast<char>(unit);
        else
            all.append(1, static_cast<char>(0xC0 | unit >> 6)).append(1, static_cast<char>(0x80 | (unit & 0x3F)));
    }
    return all + "\"";
}

template <class T>
std::string json_number(const std::optional<T>& number) {
    return number ? std::to_string(*number) : "null";
}

std::string to_json(const Row& row, std::uint32_t sample) {
    return "{\"parent\":" + (row.parent_row < 0 ? "null" : json_string(row.parent)) +
           ",\"name\":" + json_string(row.name) + ",\"pid\":" + json_number(row.pid) +
           ",\"tid\":" + json_number(row.tid) + ",\"start\":" + json_number(row.start) +
           ",\"instance_id\":" + json_number(row.instance_id) + ",\"place\":" + std::to_string(row.place) +
           ",\"identity\":" + std::to_string(row.identity) +
           ",\"token\":" + std::to_string(row.identity * 1000 + sample) + "}";
}

std::string to_json(const Plan& plan, const std::string& file, const std::vector<Sample>& samples) {
    std::string text = "{\"file\":\"" + file + "\",\"seed\":" + std::to_string(plan.seed) +
                       ",\"starts\":" + (plan.starts ? "true" : "false") +
                       ",\"imitations\":" + (plan.imitations ? "true" : "false") +
                       ",\"big_endian\":" + (plan.endian == blob::Endian::big ? "true" : "false") + ",\"samples\":[";
    std::string_view comma;
    for (const Sample& sample : samples) {
        text.append(std::exchange(comma, ",\n"))
            .append("{\"number\":" + std::to_string(sample.number) + ",\"source\":\"" + sample.source +
                    "\",\"machine\":\"" + sample.machine + "\",\"time\":" + std::to_string(sample.time) +
                    ",\"objects\":[");
        std::string_view between_objects;
        for (const Object& object : sample.objects) {
            text.append(std::exchange(between_objects, ","))
                .append("{\"index\":" + std::to_string(object.title) + ",\"name\":" + json_string(object.name) +
                        ",\"token\":" + std::to_string(object.token) + ",\"rows\":[");
            std::string_view between_rows;
            for (const Row& row : object.rows)
                text.append(std::exchange(between_rows, ",\n ")).append(to_json(row, sample.number));
            text.append("]}");
        }
        text.append("]}");
    }
    return text.append("]}\n");
}

// ---- The forms of files ----

std::u16string wide(std::string_view text) { return {text.begin(), text.end()}; }

template <class Bytes>
std::string text_of(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT(*-reinterpret-cast)
}

blob::Object v1_object(const Sample& sample, const Object& object) {
    using namespace blob::counter_type;
    blob::Object made{.title = object.title, .kind = blob::Kind::multi, .perf_time = sample.time, .perf_freq = second};
    // The token is between the others, so that no order of counters is usual.
    if (object.has_start) made.counters.push_back({.title = 684, .type = elapsed_time, .size = 8});
    made.counters.push_back({.title = object.token});
    if (object.has_pid) made.counters.push_back({.title = 784});
    if (object.has_tid) made.counters.push_back({.title = 804});
    for (const Row& row : object.rows) {
        blob::Instance instance{.name = row.name, .unique_id = row.unique_id};
        if (row.parent_row >= 0) {
            instance.parent_object = object.parent_title;
            instance.parent = static_cast<std::uint32_t>(row.parent_row);
        }
        if (object.has_start) instance.values.emplace_back(row.start.value_or(sample.time));
        instance.values.emplace_back(row.identity * 1000 + sample.number);
        if (object.has_pid) instance.values.emplace_back(row.pid.value_or(0));
        if (object.has_tid) instance.values.emplace_back(row.tid.value_or(0));
        made.instances.push_back(std::move(instance));
    }
    return made;
}

template <class SystemTime>
SystemTime system_time(const Sample& sample) {
    const std::int64_t milliseconds = (sample.time - first_time) / 10'000;
    SystemTime time{};
    time.second = static_cast<std::uint16_t>(milliseconds / 1000);
    time.milliseconds = static_cast<std::uint16_t>(milliseconds % 1000);
    return time;
}

blob::Blob v1_blob(const Sample& sample, std::span<const Object> objects, blob::Endian endian) {
    blob::Block block{.machine = wide(sample.machine),
                      .endian = endian,
                      .perf_time = sample.time - boot,
                      .perf_freq = second,
                      .perf_time_100ns = sample.time,
                      .system_time = system_time<blob::SystemTime>(sample)};
    for (const Object& object : objects) block.objects.push_back(v1_object(sample, object));
    return blob::build(block);
}

std::string v1_file(const std::vector<Sample>& samples, blob::Endian endian) {
    std::string text;
    for (const Sample& sample : samples) text += text_of(v1_blob(sample, sample.objects, endian).bytes());
    return text;
}

const hkpd::Guid waves = v2_blob::guid(0x0A1B2C3D, 0x4E5F, 0x6071, {0x82, 0x93, 1, 2, 3, 4, 5, 6});
constexpr std::string_view waves_text = "{0a1b2c3d-4e5f-6071-8293-010203040506}";

std::string v2_block(const Sample& sample) {
    v2_blob::Result result{.ids = {1}};
    for (const Row& row : sample.objects.at(0).rows)
        result.instances.push_back(
            {row.name, row.instance_id.value_or(v2_blob::none), {v2_blob::u32(row.identity * 1000 + sample.number)}});
    return text_of(v2_blob::build({.results = {result},
                                   .perf_time = sample.time - boot,
                                   .perf_time_100ns = sample.time,
                                   .perf_freq = second,
                                   .system_time = system_time<v2_blob::SystemTime>(sample)})
                       .bytes());
}

std::string capture(const std::vector<Sample>& samples, blob::Endian endian) {
    using mcap_file::channel, mcap_file::message;
    mcap_file::Builder file;
    file.channels.clear();
    std::map<std::string, unsigned> channels;
    unsigned next = 0;
    std::string records;
    const auto channel_of = [&](const std::string& topic, const std::string& encoding, mcap_file::Pairs metadata) {
        unsigned& id = channels[topic];
        if (id == 0) {
            id = ++next;
            const std::string made = channel(id, topic, encoding, metadata);
            file.channels += made;
            records += made;
        }
        return id;
    };
    const auto registration = [&](const std::string& machine, const std::string& request, std::string_view bytes) {
        const unsigned id = channel_of(
            "v2-registration/" + machine + "/" + std::string(waves_text) + "/" + request, "x-hkpd-v2-registration",
            {{"machine", machine}, {"counterset", std::string(waves_text)}, {"request", request}, {"language", "009"}});
        records += message(id, 0, 0, bytes);
    };
    std::set<std::string> registered;
    for (const Sample& sample : samples)
        if (sample.source == "v2" && registered.insert(sample.machine).second) {
            const v2_blob::Registration set{.guid = waves, .counters = {{.id = 1, .type = 0x0001'0000}}};
            registration(sample.machine, "1", text_of(v2_blob::build_registration(set).bytes()));
            registration(sample.machine, "9", text_of(v2_blob::build_string(u"Waves").bytes()));
            registration(sample.machine, "10", text_of(v2_blob::build_strings({{1, u"Height"}}).bytes()));
        }
    for (std::uint32_t sequence = 0; sequence < samples.size(); ++sequence) {
        const Sample& sample = samples[sequence];
        const mcap_file::Pairs of_machine{{"machine", sample.machine}};
        const auto time = static_cast<std::uint64_t>(sample.time - 116'444'736'000'000'000) * 100;
        if (sample.source == "v1") {
            const unsigned id = channel_of("v1/" + sample.machine, "x-hkpd-v1", of_machine);
            records += message(id, sequence, time, text_of(v1_blob(sample, sample.objects, endian).bytes()));
            continue;
        }
        const unsigned query = channel_of("v2-query/" + sample.machine, "x-hkpd-v2-query", of_machine);
        const unsigned block = channel_of("v2/" + sample.machine, "x-hkpd-v2", of_machine);
        const auto identifiers = v2_blob::build_identifiers({{.guid = waves, .name = u"*"}});
        records += message(query, sequence, time, text_of(identifiers.bytes()));
        records += message(block, sequence, time, v2_block(sample));
    }
    file.chunk(records, {.start = 1, .end = ~0ULL >> 1U});
    return file.finish();
}

/// Returns the counters of an object in a log of lists: names, types, and the values of a row.
struct LogCounter {
    std::u16string name;
    std::uint32_t type;
    std::int64_t (*value)(const Row&, const Sample&);
};
std::vector<LogCounter> log_counters(const Object& object) {
    std::vector<LogCounter> counters{
        {std::u16string(object.token_name), 0x0001'0000,
         [](const Row& row, const Sample& s) { return std::int64_t{row.identity * 1000 + s.number}; }}};
    if (object.has_pid)
        counters.push_back({u"ID Process", 0x0001'0000,
                            [](const Row& row, const Sample&) { return std::int64_t{row.pid.value_or(0)}; }});
    if (object.has_start)
        counters.push_back(
            {u"Elapsed Time", 0x3024'0500, [](const Row& row, const Sample& s) { return row.start.value_or(s.time); }});
    return counters;
}

log_file::Data log_row(const Sample& sample, bool blocks) {
    std::vector<log_file::RowRecord> records;
    for (const Object& object : sample.objects) {
        if (blocks) {
            records.push_back(log_file::block(v1_blob(sample, std::span(&object, 1), blob::Endian::little).bytes()));
            continue;
        }
        for (const LogCounter& counter : log_counters(object)) {
            log_file::RawInstances list{.time = sample.time};
            for (const Row& row : object.rows)
                list.instances.push_back({row.name, counter.value(row, sample), sample.time});
            records.push_back(log_file::instances(list));
        }
    }
    return log_file::row(records);
}

std::string log(const std::vector<Sample>& samples, bool blocks) {
    std::vector<log_file::Entry> entries;
    const std::u16string machine = u"\\\\" + wide(samples.at(0).machine);
    for (const Object& object : samples.at(0).objects) {
        if (blocks) {
            entries.push_back(log_file::block_entry(std::u16string(object.name), machine));
            continue;
        }
        for (const LogCounter& counter : log_counters(object))
            entries.push_back({.form = log_file::Form::instances,
                               .type = counter.type,
                               .machine = machine,
                               .object = std::u16string(object.name),
                               .instance = u"*",
                               .counter = counter.name});
    }
    log_file::Log log{.header = {.zone = {.bias = 0, .standard = {u"UTC"}, .daylight = {u"UTC"}}}};
    log.events.push_back({.event_class = log_file::catalogue_class,
                          .data = log_file::catalogue(entries),
                          .time = samples.front().time - 10});
    for (const Sample& sample : samples)
        log.events.push_back(
            {.event_class = log_file::row_class, .data = log_row(sample, blocks), .time = sample.time});
    const log_file::Trailer trailer{samples.front().time, samples.back().time,
                                    static_cast<std::uint32_t>(samples.size())};
    log.events.push_back(
        {.event_class = log_file::trailer_class, .data = log_file::trailer(trailer), .time = samples.back().time + 30});
    return log_file::build(log).text();
}

// ---- Runs ----

Plan plan_of(std::uint32_t seed, Dice& dice) {
    constexpr Form forms[] = {Form::v1,         Form::log_blocks,   Form::v1_capture, Form::v1,
                              Form::v2_capture, Form::both_capture, Form::log_lists,  Form::v1};
    Plan plan{.seed = seed, .form = forms[seed % 8]};
    const bool is_log = plan.form == Form::log_blocks || plan.form == Form::log_lists;
    if (!is_log && dice.one_in(3)) plan.endian = blob::Endian::big;
    if (!is_log && dice.one_in(3)) plan.machines = 2;
    plan.starts = dice.one_in(2);
    plan.imitations = dice.one_in(4);
    plan.changing_case = dice.one_in(5);
    plan.samples = 3 + dice.below(12);
    return plan;
}

std::vector<Sample> samples_of(const Plan& plan, Dice& dice) {
    const bool v1 = plan.form != Form::v2_capture, v2 = !v1 || plan.form == Form::both_capture;
    const bool is_log = plan.form == Form::log_blocks || plan.form == Form::log_lists;
    std::uint32_t identities = 0;
    std::vector<Machine> machines;
    for (std::uint32_t m = 0; m < plan.machines; ++m) machines.emplace_back(plan, dice, identities);
    std::vector<Sample> samples;
    for (std::uint32_t number = 0; number < plan.samples; ++number)
        for (std::uint32_t m = 0; m < plan.machines; ++m) {
            Sample sample{.number = number,
                          .source = is_log ? "log" : "v1",
                          .machine = m == 0 ? "ALPHA" : "BETA",
                          .time = first_time + number * second + m * second / 4};
            if (v1) {
                sample.objects = machines[m].sample();
                samples.push_back(sample);
            }
            if (!v2) continue;
            sample.source = "v2";
            sample.objects = {{.token = 1, .name = u"Waves", .rows = machines[m].waves()}};
            std::map<std::u16string, std::uint32_t> count;
            for (Row& row : sample.objects[0].rows) row.place = count[folded(row.name)]++;
            samples.push_back(std::move(sample));
        }
    return samples;
}

bool write(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream out(path, std::ios::binary);
    out << bytes;
    out.close();
    if (!out) std::cerr << path.string() << ": cannot be written\n";
    return static_cast<bool>(out);
}

bool write_run(const std::filesystem::path& folder, std::uint32_t seed) {
    Dice dice(seed);
    const Plan plan = plan_of(seed, dice);
    const std::vector<Sample> samples = samples_of(plan, dice);
    const bool blocks = plan.form == Form::log_blocks, is_log = blocks || plan.form == Form::log_lists;
    const std::string bytes = is_log                  ? log(samples, blocks)
                              : plan.form == Form::v1 ? v1_file(samples, plan.endian)
                                                      : capture(samples, plan.endian);
    const std::string file = std::to_string(seed) + (is_log ? ".blg" : plan.form == Form::v1 ? ".bin" : ".mcap");
    return write(folder / file, bytes) &&
           write(folder / (std::to_string(seed) + ".json"), to_json(plan, file, samples));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: make_runs FOLDER FIRST COUNT\n";
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    const auto first = static_cast<std::uint32_t>(std::stoul(argv[2])),
               count = static_cast<std::uint32_t>(std::stoul(argv[3]));
    std::filesystem::create_directories(folder);
    for (std::uint32_t seed = first; seed < first + count; ++seed)
        if (!write_run(folder, seed)) return 3;
    return 0;
}
