// Identities of instances compared with the specification, implemented literally and slowly, over random runs, and with
// the ids of real processes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text/names.hpp"
#include "hkpd/identity.hpp"
#include "support/identity_samples.hpp"
#include "support/random_lists.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace run_instances_reference_test {

/// An instance as the specification has it, from its sample alone.
struct Described {
    std::string machine;
    std::uint32_t object = 0;
    std::optional<std::string> parent;
    std::string name;
    std::optional<std::uint64_t> pid;
    std::optional<std::int32_t> instance_id;
    std::uint32_t place = 0;  // in the sample
    std::uint64_t thread = 0, start = 0;

    bool by_place() const { return !pid && !instance_id; }
    /// Returns everything that two instances must share to be the same, but the life.
    std::string key() const {
        std::string text = machine + '|' + std::to_string(object) + '|';
        if (parent) text += hkpd::fold_case(*parent) + '/';
        text += hkpd::fold_case(name) + '|' + (pid ? std::to_string(*pid) : "") + '|' +
                (instance_id ? std::to_string(*instance_id) : "");
        return by_place() ? text + '#' + std::to_string(place) : text;
    }
    std::string full_name() const {
        return machine + '|' + std::to_string(object) + '|' + (parent ? hkpd::fold_case(*parent) + '/' : "") +
               hkpd::fold_case(name);
    }
};

bool ends_in_number(const std::string& name, char before) {
    const auto last = name.find_last_not_of("0123456789");
    return last != std::string::npos && last + 1 < name.size() && name[last] == before;
}

bool is_total(const std::string& name) {
    const std::string folded = hkpd::fold_case(name), total = hkpd::fold_case("_Total");
    return folded == total || folded.ends_with(',' + total);
}

/// Describes the instances of a sample of V1.
class Describer {
  public:
    explicit Describer(const hkpd::Sample& sample) : sample_(sample) {}

    /// Describes the instances of an object.
    std::vector<Described> describe(std::size_t position) const {
        std::vector<Described> all;
        std::set<std::string> taken;  // real names that look like places
        for (std::size_t row = 0; row < sample_.objects()[position].instances.size(); ++row) {
            all.push_back(without_place(position, row));
            if (ends_in_number(all.back().name, '#')) taken.insert(all.back().full_name());
        }
        std::map<std::string, std::uint32_t> last;
        for (Described& one : all) {
            const auto [at, first] = last.emplace(one.full_name(), 0);
            if (first) continue;
            do ++at->second;
            while (taken.contains(one.full_name() + '#' + std::to_string(at->second)));
            one.place = at->second;
        }
        return all;
    }

  private:
    static const hkpd::Column* column(const hkpd::Object& object, std::uint32_t title) {
        const auto found = std::ranges::find(object.columns, title, &hkpd::Column::title_index);
        return found == object.columns.end() ? nullptr : &*found;
    }
    static std::uint64_t value(const hkpd::Column* column, std::size_t row) {
        return column != nullptr && column->is_valid(row) ? column->values[row] : 0;
    }

    Described without_place(std::size_t position, std::size_t row) const {
        const hkpd::Object& object = sample_.objects()[position];
        const hkpd::Instance& instance = object.instances[row];
        Described found;
        found.machine = sample_.machine.value();
        found.object = object.title_index;
        std::optional<Described> parent;
        if (const auto at = sample_.parent(instance)) {
            parent = without_place(at->object, at->instance);
            found.parent = parent->name;
        }
        found.name = std::string(instance.name.value_or("?"));
        const bool total = is_total(found.name) || (parent && is_total(parent->name));
        const hkpd::Column* const pids = column(object, id_process);
        if (instance.name && !total) {
            if (pids == nullptr)
                found.pid = parent ? parent->pid : std::nullopt;
            else if (pids->is_valid(row))
                found.pid = pids->values[row];
        }
        if (found.pid) {
            found.thread = value(column(object, id_thread), row);
            found.start = value(column(object, 684), row);
        } else if (instance.name && instance.unique_id) {
            found.instance_id = *instance.unique_id;
        }
        return found;
    }

    const hkpd::Sample& sample_;
};

/// Checks each choice of the library against what the specification allows: the rows of a sample that are equal in all
/// ids may be any of the lives with these ids.
class Specification {
  public:
    void check(const hkpd::Sample& sample, hkpd::RunInstances& run) {
        ++samples_;
        const Describer describer(sample);
        for (std::size_t o = 0; o < sample.objects().size(); ++o) {
            const hkpd::Object& object = sample.objects()[o];
            const hkpd::ObjectInstances& instances = run.instances(sample, o);
            ASSERT_EQ(instances.numbers.size(), object.instances.size());
            std::size_t& previous = objects_[{sample.machine.value(), object.title_index}];
            const std::vector<Described> described = describer.describe(o);
            for (std::size_t row = 0; row < object.instances.size(); ++row) {
                const Described& who = described[row];
                ASSERT_EQ(instances.places[row], who.place) << who.key();
                ASSERT_NO_FATAL_FAILURE(check(who, instances.numbers[row], previous, run)) << who.key();
            }
            previous = samples_;
        }
    }

    /// Checks the texts of all identities of a run.
    void check_texts(hkpd::RunInstances& run) {
        ASSERT_EQ(run.size(), lives_.size());
        std::map<std::string, std::size_t> names;
        for (const auto& [number, life] : lives_) ++names[life.who.full_name()];
        for (const auto& [number, life] : lives_) {
            const bool shared = names.at(life.who.full_name()) != 1;
            ASSERT_EQ(run.display(number), text_of(life, run[number], shared)) << life.who.key();
        }
    }
    std::size_t count() const { return lives_.size(); }
    std::size_t most_lives() const {
        std::size_t most = 0;
        for (const auto& [key, numbers] : numbers_) most = std::max(most, numbers.size());
        return most;
    }

  private:
    struct Life {
        Described who;
        std::size_t seen;
        std::uint32_t life;
    };

    /// Returns whether any instance of an object has these names.
    bool is_named(Described who, const std::optional<std::string>& parent, const std::string& name) const {
        who.parent = parent;
        who.name = name;
        const std::string wanted = who.full_name();
        return std::ranges::any_of(lives_, [&](const auto& known) { return known.second.who.full_name() == wanted; });
    }

    /// Returns the text of an identity. `shared`: whether another identity has its names.
    std::string text_of(const Life& life, const hkpd::Identity& identity, bool shared) const {
        std::string name(identity.name), place, id;
        std::optional<std::string> parent;
        if (identity.parent) parent = *identity.parent;
        if (identity.pid) id = std::to_string(*identity.pid);
        if (identity.instance_id) id = std::to_string(*identity.instance_id);
        if (life.who.by_place() && life.who.place != 0) place = '#' + std::to_string(life.who.place);
        // A name can look like one with an id or a place.
        const bool ends_in_id = ends_in_number(name, ':');
        const bool looks = ends_in_id || ends_in_number(name, '#') || ends_in_number(parent.value_or(""), ':');
        const bool with_id = !id.empty() && (shared || looks);
        const std::string lives = ':' + std::to_string(life.life);
        if (with_id) {
            std::string& before = parent && identity.pid ? *parent : name;
            const std::string plain = before;
            for (std::string zeros;; zeros += '0') {
                before = plain + ':' + zeros + id;
                if (!is_named(life.who, parent, name) && !is_named(life.who, parent, name + lives)) break;
            }
        }
        const bool with_life = numbers_.at(life.who.key()).size() > 1 || (with_id && ends_in_id);
        return (parent ? *parent + '/' : "") + name + place + (with_life ? lives : "");
    }

    bool may_be(const Life& life, const Described& who, std::size_t previous) const {
        if (life.seen == samples_ || life.who.thread != who.thread) return false;
        const bool mortal = who.pid && *who.pid != 0;
        if (mortal && life.who.start != 0 && who.start != 0) return life.who.start == who.start;
        return !mortal || life.seen == previous;
    }

    void check(const Described& who, std::uint32_t number, std::size_t previous, const hkpd::RunInstances& run) {
        ASSERT_LT(number, run.size());
        std::vector<std::uint32_t>& numbers = numbers_[who.key()];
        std::set<std::uint32_t> allowed;
        for (const std::uint32_t known : numbers)
            if (may_be(lives_.at(known), who, previous)) allowed.insert(known);
        if (allowed.empty()) {
            ASSERT_FALSE(lives_.contains(number)) << "another one has this number: " << lives_.at(number).who.key();
            numbers.push_back(number);
            lives_.emplace(number, Life{who, samples_, static_cast<std::uint32_t>(numbers.size())});
        } else {
            ASSERT_TRUE(allowed.contains(number)) << "it had one of " << allowed.size() << " other numbers";
        }
        Life& life = lives_.at(number);
        life.seen = samples_;
        if (who.start != 0) life.who.start = who.start;
        const hkpd::Identity identity = run[number];
        EXPECT_EQ(hkpd::fold_case(identity.name), hkpd::fold_case(who.name));
        ASSERT_EQ(identity.parent.has_value(), who.parent.has_value());
        EXPECT_EQ(hkpd::fold_case(identity.parent.value_or("")), hkpd::fold_case(who.parent.value_or("")));
        EXPECT_EQ(identity.pid, who.pid);
        EXPECT_EQ(identity.instance_id, who.instance_id);
        EXPECT_EQ(identity.place, who.by_place() ? who.place : 0);
        EXPECT_EQ(identity.life, life.life);
    }

    std::size_t samples_ = 0;
    std::map<std::pair<std::string, std::uint32_t>, std::size_t> objects_;  // the last sample with each object
    std::map<std::string, std::vector<std::uint32_t>> numbers_;             // by key, in the order of lives
    std::map<std::uint32_t, Life> lives_;
};

/// Processes, their threads and other children, and instances without processes, that come and go.
class RandomMachine {
  public:
    explicit RandomMachine(std::uint32_t seed) : random_(seed) {}

    blob::Blob next(std::size_t k, const std::u16string& machine) {
        change(processes_, 8, [this](blob::Instance& one) { one = process(); });
        change(plain_, 6, [this](blob::Instance& one) {
            one = {.name = name(), .unique_id = static_cast<std::int32_t>(below(3)) - 1};
        });
        const auto count = static_cast<std::uint32_t>(processes_.size());
        change(threads_, 8, [&](blob::Instance& one) {
            one = {.name = below(2) == 0 ? u"0" : u"1",
                   .values = {100 * below(2), below(3), below(3)},
                   .parent_object = process_object,
                   .parent = below(count + 1)};
        });
        change(children_, 8, [&](blob::Instance& one) {
            one = {.name = below(2) == 0 ? u"x" : u"X",
                   .parent_object = below(2) == 0 ? 10 : process_object,
                   .parent = below(8),
                   .unique_id = static_cast<std::int32_t>(below(3)) - 1};
        });
        constexpr blob::Counter start{.title = 684, .type = blob::counter_type::elapsed_time, .size = 8};
        std::vector<blob::Object> objects;
        objects.push_back(list(process_object, {{.title = id_process}, start}, processes_));
        objects.push_back(list(thread_object, {start, {.title = id_process}, {.title = id_thread}}, threads_));
        objects.push_back(plain(10, plain_));
        objects.push_back(plain(20, children_));
        // Without start times, in the same counters and instances.
        objects.push_back(list(240, {{.title = id_process}, {.title = 6}}, processes_));
        std::erase_if(objects, [this](const blob::Object&) { return below(8) == 0; });
        std::ranges::shuffle(objects, random_);
        blob::Blob blob = at_second(k, objects, machine);
        for (std::size_t o = 0; o < objects.size(); ++o)
            for (std::size_t i = 0; i < objects[o].instances.size(); ++i)
                if (below(40) == 0) damage_name(blob, o, i);
        return blob;
    }

  private:
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
    std::u16string name() {
        constexpr const char16_t* names[] = {u"a",        u"A",   u"b", u"Ä",   u"ä",  u"_Total",
                                             u"0,_total", u"a#1", u"",  u"a:5", u"a:1"};
        return names[below(below(2) == 0 ? 2 : 11)];
    }
    blob::Instance process() {
        blob::Instance one{.name = name(),
                           .values = {below(3), 100 * below(4)},
                           .unique_id = static_cast<std::int32_t>(below(20)) - 1};
        if (below(20) == 0) one.block_length = 8;  // without a start time
        if (below(20) == 0) one.block_length = 4;  // without an id
        return one;
    }
    template <class Make>
    void change(std::vector<blob::Instance>& all, std::uint32_t most, const Make& make) {
        const auto any = [&] { return below(static_cast<std::uint32_t>(all.size())); };
        if (!all.empty() && below(3) == 0) all.erase(all.begin() + any());
        if (all.size() < most && below(2) == 0)
            make(*all.emplace(all.begin() + below(static_cast<std::uint32_t>(all.size()) + 1)));
        if (!all.empty() && below(4) == 0) make(all[any()]);
        if (!all.empty() && below(4) == 0) std::swap(all[any()], all[any()]);
    }

    std::mt19937 random_;
    std::vector<blob::Instance> processes_, threads_, children_, plain_;
};

TEST(RunInstances, AgreeWithTheSpecification) {
    std::size_t count = 0, most_lives = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        RandomMachine one(seed), other(1000 + seed);
        std::vector<blob::Blob> blobs;
        for (std::size_t k = 0; k < 60; ++k)
            blobs.push_back(k % 3 == 2 ? other.next(k, u"OTHER") : one.next(k, u"ONE"));
        const auto samples = read_blobs(std::move(blobs));
        ASSERT_EQ(samples->all.size(), 60U);
        hkpd::RunInstances run;
        run.keep();
        Specification specification;
        for (const hkpd::Sample& sample : samples->all)
            ASSERT_NO_FATAL_FAILURE(specification.check(sample, run)) << "seed " << seed;
        ASSERT_FALSE(testing::Test::HasNonfatalFailure()) << "seed " << seed;
        ASSERT_NO_FATAL_FAILURE(specification.check_texts(run)) << "seed " << seed;
        EXPECT_FALSE(run.overflowed());
        count += specification.count();
        most_lives = std::max(most_lives, specification.most_lives());
    }
    EXPECT_GT(count, 5000U);
    EXPECT_GT(most_lives, 5U);
}

/// Checks lists with everything that can be wrong: repeated objects, circles of parents, lost ids. No two instances of
/// a sample have one number, and no two numbers stand for the same identity.
TEST(RunInstances, AreDistinctInDamagedLists) {
    using Key = std::tuple<std::string, std::uint32_t, std::string, std::string, std::optional<std::uint32_t>,
                           std::optional<std::int32_t>, std::uint32_t, std::uint32_t>;
    std::size_t count = 0;
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        RandomLists one(seed), other(1000 + seed);
        std::vector<blob::Blob> blobs;
        for (std::size_t k = 0; k < 20; ++k)
            blobs.push_back(k % 3 == 2 ? other.next(k, u"OTHER") : one.next(k, u"ONE"));
        const auto samples = read_blobs(std::move(blobs));
        ASSERT_EQ(samples->all.size(), 20U);
        hkpd::RunInstances run;
        run.keep();
        std::map<Key, std::uint32_t> numbers;
        for (const hkpd::Sample& sample : samples->all) {
            std::set<std::uint32_t> seen;
            for (std::size_t o = 0; o < sample.objects().size(); ++o)
                for (const std::uint32_t number : run.instances(sample, o).numbers) {
                    ASSERT_LT(number, run.size());
                    ASSERT_TRUE(seen.insert(number).second) << "two instances with one number";
                    const hkpd::Identity identity = run[number];
                    const Key key{sample.machine.value(),
                                  sample.objects()[o].title_index,
                                  (identity.parent ? "1" : "0") + hkpd::fold_case(identity.parent.value_or("")),
                                  hkpd::fold_case(identity.name),
                                  identity.pid,
                                  identity.instance_id,
                                  identity.place,
                                  identity.life};
                    ASSERT_EQ(numbers.emplace(key, number).first->second, number)
                        << "seed " << seed << ": two identities " << run.display(number);
                }
        }
        count += run.size();
    }
    EXPECT_GT(count, 3000U);
}

class WindowsIdentities : public WindowsData {};

TEST_F(WindowsIdentities, ProcessesOfVistaAreAsManyAsNamesWithIds) {
    Samples samples;
    const auto source = hkpd::open_files({path("data/v1/vista-2007")}, {});
    read_all(*source, nullptr, {}, samples);
    ASSERT_EQ(samples.all.size(), 11U);
    hkpd::RunInstances all;
    all.keep();
    std::set<std::pair<std::string, std::uint64_t>> known;
    std::set<std::uint32_t> processes;
    for (const hkpd::Sample& sample : samples.all) {
        const std::size_t position = sample.find(process_object).value();
        const hkpd::Object& object = sample.objects()[position];
        const auto& numbers = all.instances(sample, position).numbers;
        processes.insert(numbers.begin(), numbers.end());
        const auto id = std::ranges::find(object.columns, id_process, &hkpd::Column::title_index);
        for (std::size_t row = 0; row < object.instances.size(); ++row)
            known.emplace(*object.instances[row].name, id->values[row]);
    }
    EXPECT_GT(processes.size(), 50U);
    EXPECT_EQ(processes.size(), known.size());
    std::set<std::string> texts;
    for (const std::uint32_t number : processes) {
        EXPECT_EQ(all[number].life, 1U);
        EXPECT_TRUE(texts.insert(all.display(number)).second) << all.display(number);
    }
}

}  // namespace run_instances_reference_test
}  // namespace hkpd_test
