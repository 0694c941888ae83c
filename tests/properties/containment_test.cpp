// The part of a machine with a hundred objects that survives damage to one of its structures: in every trial at least
// everything that the rules leave reachable. "A bad object costs that object; a bad instance chain costs the instances
// after it; a bad counter definition costs that counter."
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "sample/fill/v1_builder.hpp"
#include "support/blob_builder.hpp"

namespace containment_test {

using Random = std::mt19937;

// --- The machine ---

constexpr std::size_t object_count = 100;

/// Returns a distinct value for each place in the machine, unlikely to occur by accident.
std::uint64_t value_at(std::size_t k, std::size_t row, std::size_t c) {
    return (k + 1) * 1'000'003 + row * 10'007 + c * 101;
}

blob::Counter counter_of(std::size_t k, std::size_t c) {
    using namespace blob::counter_type;
    const auto title = static_cast<std::uint32_t>(1000 + 2 * (100 * k + c));
    if (k % 5 == 3 && c == 1) return {.title = title, .type = text_unicode, .size = 16};
    if (c == 3) return {.title = title, .type = raw_fraction};
    if (c == 4) return {.title = title, .type = raw_base};
    return c % 2 == 0 ? blob::Counter{.title = title, .type = counter}
                      : blob::Counter{.title = title, .type = bulk_count, .size = 8};
}

blob::Value built_value(const blob::Counter& counter, std::size_t k, std::size_t row, std::size_t c) {
    const std::uint64_t value = value_at(k, row, c);
    if (counter.size != 16) return value;
    const std::string digits = std::to_string(value);
    return blob::utf16(std::u16string(digits.begin(), digits.begin() + 7));
}

/// Returns one of the machine's objects: single objects, lists, lists with parents in the list before them, text, and
/// lists in a code page with longer structures than usual.
blob::Object object_of(std::size_t k) {
    constexpr std::array<std::size_t, 5> counters{6, 5, 3, 3, 8}, instances{0, 20, 20, 0, 12};
    const std::size_t kind = k % 5;
    blob::Object object{.title = static_cast<std::uint32_t>(2 * k + 2)};
    for (std::size_t c = 0; c < counters[kind]; ++c) object.counters.push_back(counter_of(k, c));
    const auto values = [&](std::size_t row) {
        std::vector<blob::Value> all;
        for (std::size_t c = 0; c < counters[kind]; ++c) all.push_back(built_value(object.counters[c], k, row, c));
        return all;
    };
    if (instances[kind] == 0) {
        object.values = values(0);
        return object;
    }
    object.kind = blob::Kind::multi;
    for (std::size_t row = 0; row < instances[kind]; ++row) {
        const std::string name = "instance " + std::to_string(row);
        blob::Instance instance{.name = std::u16string(name.begin(), name.end()), .values = values(row)};
        if (kind == 2) instance.parent_object = object.title - 2;
        if (kind == 2) instance.parent = static_cast<std::uint32_t>(row);
        if (kind == 4) instance.name = name;
        object.instances.push_back(instance);
    }
    if (kind == 4) {
        object.code_page = 1252;
        object.header_length = 72;
        object.counter_stride = 48;
    }
    return object;
}

blob::Block machine() {
    blob::Block block;
    for (std::size_t k = 0; k < object_count; ++k) block.objects.push_back(object_of(k));
    return block;
}

// --- Damage ---

/// Values that the rules give up if a structure is damaged: those of one object, from a row and a counter on.
struct Unreachable {
    std::size_t object = object_count;  ///< none
    std::size_t first_row = 0, last_row = SIZE_MAX, first_counter = 0, last_counter = SIZE_MAX;

    bool holds(std::size_t k, std::size_t row, std::size_t c) const {
        return k == object && row >= first_row && row <= last_row && c >= first_counter && c <= last_counter;
    }
};

std::uint32_t pick(Random& random, std::size_t below) { return static_cast<std::uint32_t>(random() % below); }

/// Sets a field to another value: an extreme, a little more or less, or anything.
void damage_field(blob::Blob& blob, std::size_t at, Random& random) {
    const std::uint32_t before = blob.get32(at);
    const std::array<std::uint32_t, 12> choices{0,           1,
                                                before + 1,  before - 1,
                                                before + 8,  before - 8,
                                                0x7FFF'FFFF, 0x80000000,
                                                0xFFFFFFFF,  static_cast<std::uint32_t>(random()),
                                                before * 2,  pick(random, blob.size())};
    const std::uint32_t value = choices[pick(random, choices.size())];
    blob.put32(at, value == before ? ~before : value);
}

void damage_range(blob::Blob& blob, std::size_t begin, std::size_t end, Random& random) {
    const bool same = random() % 4 == 0;  // a run of one byte, or noise
    const auto byte = static_cast<std::uint8_t>(random() % 2 == 0 ? 0xFF : 0);
    for (std::size_t at = begin; at < end; ++at) blob.put8(at, same ? byte : static_cast<std::uint8_t>(random()));
}

struct Target {
    const blob::Block& machine;
    blob::Blob& blob;
    Random& random;

    std::size_t any_object() const { return pick(random, object_count); }
    std::size_t any_list() const {
        for (;;)
            if (const std::size_t k = any_object(); machine.objects[k].kind == blob::Kind::multi) return k;
    }
    std::size_t any_instance(std::size_t k) const { return pick(random, machine.objects[k].instances.size()); }
    std::size_t any_counter(std::size_t k) const { return pick(random, machine.objects[k].counters.size()); }
    void field(std::size_t at) const { damage_field(blob, at, random); }
    void one_of(std::size_t at, std::vector<std::size_t> fields) const {
        field(at + fields[pick(random, fields.size())]);
    }
};

struct Class {
    std::string_view name;
    Unreachable (*damage)(const Target&);
    /// whether a lost value has to be reported: not if a valid definition may become another valid one. A note
    /// suffices, as NumInstances of a single block may become that of definitions without data, which is legal.
    bool reported;
    friend void PrintTo(const Class& what, std::ostream* out) { *out << what.name; }
};

namespace ob = blob::object_type;
namespace co = blob::counter_definition;
namespace in = blob::instance_definition;

Unreachable block_counts(const Target& t) {
    t.one_of(0, {blob::data_block::HeaderLength, blob::data_block::NumObjectTypes});
    return {};
}
Unreachable object_lengths(const Target& t) {
    const std::size_t k = t.any_object();
    t.one_of(t.blob.object(k), {ob::TotalByteLength, ob::DefinitionLength, ob::HeaderLength});
    return {.object = k};
}
Unreachable object_reach(const Target& t) {
    const std::size_t k = t.any_object(), to = k + 1 + pick(t.random, object_count - k);
    const std::size_t end = to == object_count ? t.blob.size() : t.blob.object(to);
    t.blob.put32(t.blob.object(k), static_cast<std::uint32_t>(end - t.blob.object(k)));
    return {.object = k};
}
Unreachable object_counts(const Target& t) {
    const std::size_t k = t.any_object();
    t.one_of(t.blob.object(k), {ob::NumCounters, ob::NumInstances});
    return {.object = k};
}
Unreachable definition_length(const Target& t) {
    const std::size_t k = t.any_object(), c = t.any_counter(k);
    t.field(t.blob.counter(k, c));
    return {.object = k, .first_counter = c};
}
Unreachable instance_length(const Target& t) {
    const std::size_t k = t.any_list(), i = t.any_instance(k);
    t.field(t.blob.instance(k, i));
    return {.object = k, .first_row = i};
}
Unreachable name_fields(const Target& t) {
    const std::size_t k = t.any_list(), i = t.any_instance(k);
    t.one_of(t.blob.instance(k, i), {in::NameOffset, in::NameLength});
    return {.object = k, .first_row = i, .last_row = i};
}
Unreachable block_length(const Target& t) {
    const std::size_t k = t.any_object();
    const std::size_t i = t.machine.objects[k].kind == blob::Kind::multi ? t.any_instance(k) : 0;
    t.field(t.blob.counter_block(k, i));
    return {.object = k, .first_row = i};
}
Unreachable counter_fields(const Target& t) {
    const std::size_t k = t.any_object(), c = t.any_counter(k);
    t.one_of(t.blob.counter(k, c), {co::CounterNameTitleIndex, co::CounterType, co::CounterSize, co::CounterOffset});
    return {.object = k, .first_counter = c, .last_counter = c};
}
Unreachable garbage_object(const Target& t) {
    const std::size_t k = t.any_object();
    damage_range(t.blob, t.blob.object(k), t.blob.object_end(k), t.random);
    return {.object = k};
}
Unreachable garbage_object_header(const Target& t) {
    const std::size_t k = t.any_object();
    damage_range(t.blob, t.blob.object(k), t.blob.object(k) + ob::size, t.random);
    return {.object = k};
}
Unreachable garbage_definition(const Target& t) {
    const std::size_t k = t.any_object(), c = t.any_counter(k);
    damage_range(t.blob, t.blob.counter(k, c), t.blob.counter(k, c) + co::size, t.random);
    return {.object = k, .first_counter = c};
}
Unreachable garbage_instance(const Target& t) {
    const std::size_t k = t.any_list(), i = t.any_instance(k);
    damage_range(t.blob, t.blob.instance(k, i), t.blob.counter_block(k, i), t.random);
    return {.object = k, .first_row = i};
}
Unreachable garbage_block(const Target& t) {
    const std::size_t k = t.any_list(), i = t.any_instance(k);
    const std::size_t begin = t.blob.counter_block(k, i);
    damage_range(t.blob, begin, begin + t.blob.get32(begin), t.random);
    return {.object = k, .first_row = i};
}

constexpr std::array<Class, 14> classes{{{"block header: HeaderLength, NumObjectTypes", block_counts, true},
                                         {"object: lengths", object_lengths, true},
                                         {"object: reaches to a later one", object_reach, true},
                                         {"object: counts", object_counts, true},
                                         {"definition: ByteLength", definition_length, true},
                                         {"definition: other fields", counter_fields, false},
                                         {"instance: ByteLength", instance_length, true},
                                         {"instance: name fields", name_fields, false},
                                         {"counter block: ByteLength", block_length, true},
                                         {"garbage: object", garbage_object, true},
                                         {"garbage: object header", garbage_object_header, true},
                                         {"garbage: definition", garbage_definition, true},
                                         {"garbage: instance", garbage_instance, true},
                                         {"garbage: counter block", garbage_block, true}}};

// --- Survivors ---

struct Reading {
    hkpd::Sample sample;
    hkpd::Diagnostics diagnostics;

    explicit Reading(const blob::Blob& blob) {
        hkpd::v1::Block block;
        if (!block.open(hkpd::Bytes(blob.bytes()), diagnostics)) return;
        hkpd::SampleBuilder builder(nullptr, {});
        builder.begin(sample, block, diagnostics);
        builder.add(sample, block, diagnostics);
        builder.finish(sample, 0, diagnostics);
    }
};

/// Finds the values of an object that are unchanged: those of the instance at the same place with the same name and of
/// the counter with the same title.
class Survivors {
  public:
    Survivors(const blob::Blob& blob, const blob::Block& machine) : machine_(machine), whole_(blob) {
        for (std::size_t k = 0; k < object_count; ++k)
            for (std::size_t row = 0; row < rows(k); ++row)
                places_[k][machine.objects[k].kind == blob::Kind::multi ? blob.instance(k, row)
                                                                        : blob.counter_block(k)] = row;
        total_ = count(whole_, {}).intact;
    }

    struct Count {
        std::size_t intact = 0, intact_in_object = 0, in_object = 0;
        std::string lost;  ///< the first missing value that the rules do not give up
    };

    Count count(const Reading& reading, const Unreachable& unreachable) const {
        Count counted;
        for (std::size_t k = 0; k < object_count; ++k) {
            const std::vector<bool> intact = intact_of(reading, k);
            const auto count = static_cast<std::size_t>(std::ranges::count(intact, true));
            counted.intact += count;
            if (k == unreachable.object) counted.intact_in_object = count;
            if (k == unreachable.object) counted.in_object = intact.size();
            if (count == intact.size()) continue;
            for (std::size_t row = 0; row < rows(k); ++row)
                for (std::size_t c = 0; c < columns(k); ++c)
                    if (counted.lost.empty() && !intact[row * columns(k) + c] && !unreachable.holds(k, row, c))
                        counted.lost = "object " + std::to_string(k) + ", instance " + std::to_string(row) +
                                       ", counter " + std::to_string(c);
        }
        return counted;
    }

    /// Returns an object, other than the damaged one, whose content has changed.
    std::string falsified(const Reading& reading, std::size_t damaged) const {
        for (const hkpd::Object& object : reading.sample.objects()) {
            const std::size_t k = object.title_index / 2 - 1;
            if (object.title_index % 2 != 0 || k >= object_count || k == damaged) continue;
            if (object.instances.size() != rows(k) || object.columns.size() != columns(k) ||
                std::ranges::count(intact_in(object, k), false) != 0)
                return "object " + std::to_string(k);
        }
        return {};
    }

    std::size_t total() const { return total_; }

  private:
    std::size_t rows(std::size_t k) const {
        const blob::Object& object = machine_.objects[k];
        return object.kind == blob::Kind::multi ? object.instances.size() : 1;
    }
    std::size_t columns(std::size_t k) const { return machine_.objects[k].counters.size(); }

    /// Returns whether each value of object `k` is unchanged, row by row.
    std::vector<bool> intact_of(const Reading& reading, std::size_t k) const {
        const auto found = reading.sample.find(machine_.objects[k].title);
        if (!found) return std::vector<bool>(rows(k) * columns(k));
        return intact_in(reading.sample.objects()[*found], k);
    }

    std::vector<bool> intact_in(const hkpd::Object& object, std::size_t k) const {
        std::vector<bool> intact(rows(k) * columns(k));
        for (std::size_t i = 0; i < object.instances.size(); ++i) {
            const auto place = places_[k].find(object.instances[i].offset);
            if (place == places_[k].end() || object.instances[i].name != name_of(k, place->second)) continue;
            for (const hkpd::Column& column : object.columns) {
                const std::size_t c = (column.title_index - 1000) / 2 - 100 * k;
                if (c < columns(k) && holds(object, column, i, value_at(k, place->second, c)))
                    intact[place->second * columns(k) + c] = true;
            }
        }
        return intact;
    }

    static bool holds(const hkpd::Object& object, const hkpd::Column& column, std::size_t row, std::uint64_t value) {
        if (!column.is_valid(row)) return false;
        if (column.storage == hkpd::Storage::number) return column.values[row] == value;
        return object.bytes(column, row) == std::to_string(value).substr(0, 7);
    }

    std::string name_of(std::size_t k, std::size_t row) const {
        return machine_.objects[k].kind == blob::Kind::multi ? "instance " + std::to_string(row) : "";
    }
    const blob::Block& machine_;
    std::array<std::map<std::uint64_t, std::size_t>, object_count> places_;
    Reading whole_;
    std::size_t total_ = 0;
};

class Containment : public testing::TestWithParam<Class> {
  protected:
    const blob::Block machine_ = machine();
    const blob::Blob whole_ = blob::build(machine_);
    const Survivors survivors_{whole_, machine_};
};

constexpr int trials = 300;

TEST_P(Containment, KeepsAllReachableValues) {
    ASSERT_GT(survivors_.total(), 5000U);
    Random random(41);
    double survived = 0, survived_in_object = 0;
    for (int trial = 0; trial < trials; ++trial) {
        blob::Blob damaged = whole_;
        const Unreachable unreachable = GetParam().damage({machine_, damaged, random});
        const Reading reading(damaged);
        const Survivors::Count counted = survivors_.count(reading, unreachable);
        SCOPED_TRACE("trial " + std::to_string(trial));
        EXPECT_EQ(counted.lost, "") << "damaged: object " << unreachable.object;
        EXPECT_EQ(survivors_.falsified(reading, unreachable.object), "") << "shows values of other structures";
        EXPECT_TRUE(!GetParam().reported || counted.intact == survivors_.total() || !reading.diagnostics.kept().empty())
            << survivors_.total() - counted.intact << " values lost without a report";
        survived += static_cast<double>(counted.intact) / static_cast<double>(survivors_.total());
        if (counted.in_object != 0)
            survived_in_object +=
                static_cast<double>(counted.intact_in_object) / static_cast<double>(counted.in_object);
    }
    std::cout << GetParam().name << ": " << trials << " trials, " << 100 * survived / trials << " % of "
              << survivors_.total() << " values intact";
    if (survived_in_object != 0) std::cout << ", " << 100 * survived_in_object / trials << " % of the damaged object's";
    std::cout << '\n';
    RecordProperty("survived_percent", std::to_string(100 * survived / trials));
    EXPECT_GE(survived / trials, 0.985) << "one object of a hundred is damaged";
}

INSTANTIATE_TEST_SUITE_P(Structures, Containment, testing::ValuesIn(classes), [](const auto& damage) {
    std::string name(damage.param.name);
    std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
    return name;
});

}  // namespace containment_test
