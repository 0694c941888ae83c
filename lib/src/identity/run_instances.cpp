#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/number_hash.hpp"
#include "base/text/names.hpp"
#include "hkpd/identity.hpp"
#include "identity/distinct_ids.hpp"
#include "identity/instance_name.hpp"
#include "identity/instance_places.hpp"
#include "identity/known_instances.hpp"
#include "identity/process_id.hpp"
#include "identity/twins.hpp"
#include "sample/display_name.hpp"
#include "sample/memory.hpp"
#include "sample/title_repeats.hpp"

namespace hkpd {
namespace run_instances {

/// Hashes a key of a few numbers.
struct NumbersHash {
    template <std::size_t count>
    std::size_t operator()(const std::array<std::uint64_t, count>& numbers) const noexcept {
        std::uint64_t hash = 0;
        for (const std::uint64_t number : numbers) hash = mix_hash(hash, number);
        return static_cast<std::size_t>(hash);
    }
};

/// An instance of the current sample.
struct Seen {
    std::string_view name;
    Ids ids;
    std::uint32_t parent = no_index;  // number of the parent's identity
    std::uint32_t parent_pid = no_index;
    bool is_of_total = false;  // whether the parent is a total
};

/// Returns the ids of an instance with this parent and place, and a name of this form.
static Ids ids_of(const Instance& instance, std::uint32_t row, const ProcessColumns& columns, const Seen& seen,
                  NameForm form, std::uint32_t place) {
    Ids ids;
    if (instance.name && !seen.is_of_total && !is_total(*instance.name)) {
        ids.pid = columns.processes == nullptr ? seen.parent_pid : columns.process_id(row).value_or(no_index);
        if (ids.pid == no_index && form != NameForm::plain)
            ids.pid = split_name(form, *instance.name).pid.value_or(no_index);
        if (ids.pid != no_index) ids.thread = static_cast<std::uint32_t>(columns.thread_id(row));
        if (ids.pid != no_index && ids.pid != 0) ids.start = columns.start(row);
    }
    if (instance.name && ids.pid == no_index) ids.instance_id = instance.unique_id.value_or(v1::no_unique_id);
    if (!ids.any()) ids.place = place;
    return ids;
}

constexpr std::uint64_t two(std::uint32_t high, std::uint32_t low) noexcept { return std::uint64_t{high} << 32U | low; }

}  // namespace run_instances

using namespace run_instances;

struct RunInstances::State {
    struct Label {
        std::uint32_t group = 0, lives = 0, latest = no_index;
    };
    using GroupKey = std::array<std::uint64_t, 2>;  // object and parent's name, own name
    using LabelKey = std::array<std::uint64_t, 2>;  // group and pid, instance id and place

    void describe(std::uint32_t number, Identity& identity) const;
    void begin(const Sample& sample);
    ObjectInstances& find(const Sample& sample, std::size_t position, std::uint32_t depth);
    void number(const Sample& sample, std::size_t position, std::uint32_t depth, ObjectInstances& found);
    bool find_parents(const Sample& sample, std::size_t position, std::uint32_t depth);
    std::uint32_t object_of(const Sample& sample, std::size_t position);
    /// Returns whether the name has the process id in it, as those of Microsoft's counterset Process V2.
    bool has_own_id(const Known& known) const {
        if (known.ids.pid == no_index) return false;
        const KnownObject& object = objects[known.object];
        return (object.is_v2 && written_id(known.name) == known.ids.pid) ||
               (object.form != NameForm::plain && split_name(object.form, known.name).pid == known.ids.pid);
    }
    /// Returns whether a part of the name could be an id or a place that a text adds to another name.
    bool is_like_text(const Known& known) const {
        return written_id(known.name) || split_place(known.name) ||
               (known.parent != no_index && written_id(identities[known.parent].name));
    }
    bool is_real_name(std::uint32_t object, const std::optional<std::string>& parent, const std::string& name) const;
    void append_ids(std::string& out, const Known& known, std::size_t zeros) const;
    std::size_t zeros_of(const Known& known) const;
    void append_text(std::string& out, std::uint32_t number, bool with_pid);
    void set_parent(Seen& instance, std::uint32_t parent) const;
    bool is_same(const Known& known, const Seen& instance) const noexcept {
        return known.ids == instance.ids && known.parent == instance.parent && known.name == instance.name &&
               known.seen != samples;
    }
    /// Returns whether no other identity has the same names and ids.
    bool is_alone(const Known& known) const noexcept {
        return known.label != no_index && labels[known.label].lives == 1;
    }
    /// Returns whether an instance has the process id of its parent, which no other parent of its name has.
    bool has_pid_of_distinct(const Seen& instance) const noexcept {
        return instance.parent != no_index && instance.ids.pid == instance.parent_pid &&
               objects[identities[instance.parent].object].is_distinct;
    }
    std::uint32_t add(std::uint32_t object, const Seen& instance);
    std::uint32_t find_or_add(std::uint32_t object, const Seen& instance);
    void index(std::uint32_t number, std::uint32_t label_number);
    void index(KnownObject& object);
    std::uint32_t label_of(const Known& known);
    std::uint32_t name_number(std::string_view name);
    void evict_ended();
    /// Returns the maximum number of machines, and of objects. That of identities does not limit them, because a
    /// machine or object without instances has none.
    std::uint64_t most_without_instances() const noexcept {
        constexpr std::uint64_t few = 1024;
        return std::max(limits.series, few);
    }

    Limits limits;
    bool kept = false, overflowed = false;
    std::uint64_t name_bytes = 0;
    std::uint64_t most_identities = 0, most_name_bytes = 0;  // before the next eviction
    TextStore texts;
    KnownInstances identities;
    std::vector<KnownObject> objects;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> machines;  // source and name
    std::unordered_map<std::array<std::uint64_t, 2>, std::uint32_t, NumbersHash>
        object_numbers;                                    // machine, title, repeat
    std::unordered_map<std::string, std::uint32_t> names;  // folded
    std::unordered_map<GroupKey, std::uint32_t, NumbersHash> group_numbers;
    std::vector<std::uint32_t> groups;  // for each, the number of its identities
    std::unordered_map<LabelKey, std::uint32_t, NumbersHash> label_numbers;
    std::vector<Label> labels;

    // The current sample.
    std::pair<const void*, std::uint64_t> current{};
    std::uint32_t samples = 0, machine = no_index;
    std::vector<ObjectInstances> found;
    enum class Progress : std::uint8_t { none, begun, done };
    std::vector<Progress> progress;
    TitleRepeats repeats;  // of its objects
    // The current object.
    InstancePlaces places;
    DistinctIds distinct;
    std::vector<std::uint32_t> parents;  // the identity of each instance's parent
};

RunInstances::RunInstances(const Limits& limits) : state_(std::make_unique<State>()) { state_->limits = limits; }
RunInstances::RunInstances(RunInstances&&) noexcept = default;
RunInstances& RunInstances::operator=(RunInstances&&) noexcept = default;
RunInstances::~RunInstances() = default;

const std::shared_ptr<RunInstances>& RunInstances::of(const Sample& sample) {
    std::shared_ptr<RunInstances>& run = sample.memory().run;
    if (!run) run = std::make_shared<RunInstances>();
    return run;
}

const ObjectInstances& RunInstances::instances(const Sample& sample, std::size_t object) {
    state_->begin(sample);
    return state_->find(sample, object, 0);
}

std::uint32_t RunInstances::object_number(const Sample& sample, std::size_t object) {
    state_->begin(sample);
    return state_->object_of(sample, object);
}

void RunInstances::follow(const Sample& sample) {
    if (state_->objects.empty()) return;
    state_->begin(sample);
    for (std::size_t i = 0; i < sample.objects().size(); ++i)
        if (state_->object_numbers.contains({two(state_->machine, sample.objects()[i].title_index), 0}))
            state_->find(sample, i, 0);
}

std::optional<Identity> RunInstances::named(std::uint32_t number) const {
    std::optional<Identity> found;
    if (number != no_index && state_->identities[number].is_damaged == 0) state_->describe(number, found.emplace());
    return found;
}

Identity RunInstances::operator[](std::uint32_t number) const {
    Identity identity;
    state_->describe(number, identity);
    return identity;
}

/// Describes an identity to callers.
void RunInstances::State::describe(std::uint32_t number, Identity& identity) const {
    const Known& known = identities[number];
    if (known.parent != no_index) identity.parent = identities[known.parent].name;
    identity.name = known.name;
    identity.is_damaged = known.is_damaged != 0;
    if (known.ids.pid != no_index) identity.pid = known.ids.pid;
    if (known.ids.instance_id != v1::no_unique_id) identity.instance_id = known.ids.instance_id;
    identity.place = known.ids.place;
    identity.life = known.life;
}

std::string_view RunInstances::original_name(std::uint32_t number) const {
    const Known& known = state_->identities[number];
    const KnownObject& object = state_->objects[known.object];
    std::string_view name = known.name;
    if (object.names_places)
        if (const auto parts = split_place(name); parts && parts->place) name = parts->name;
    if (object.form != NameForm::plain) return split_name(object.form, name).name;
    return without_pid(name, known.ids.pid == no_index ? std::nullopt : std::optional(known.ids.pid));
}

std::size_t RunInstances::size() const noexcept { return state_->identities.size(); }

void RunInstances::keep() noexcept { state_->kept = true; }

bool RunInstances::overflowed() const noexcept { return state_->overflowed; }

std::string Identity::instance() const {
    std::string text;
    append_place(text, std::nullopt, name, place);
    return text;
}

void RunInstances::append_ids(std::string& out, std::uint32_t number) const {
    state_->append_ids(out, state_->identities[number], 0);
}

void RunInstances::append_display(std::string& out, std::uint32_t number) { state_->append_text(out, number, false); }

std::string RunInstances::display_with_pid(std::uint32_t number) {
    std::string text;
    state_->append_text(text, number, true);
    return text;
}

std::string RunInstances::display(std::uint32_t number) {
    std::string text;
    append_display(text, number);
    return text;
}

/// Returns whether an instance of the object, in the run so far, really has this name and a parent of that name.
bool RunInstances::State::is_real_name(std::uint32_t object, const std::optional<std::string>& parent,
                                       const std::string& name) const {
    const auto parent_number = parent ? names.find(fold_case(*parent)) : names.end(), own = names.find(fold_case(name));
    if (own == names.end() || (parent && parent_number == names.end())) return false;
    const auto group =
        group_numbers.find({two(objects[object].first, parent ? parent_number->second : no_index), own->second});
    return group != group_numbers.end() && groups[group->second] != 0;
}

/// Appends the names and ids of an identity, with so many zeros before the id.
void RunInstances::State::append_ids(std::string& out, const Known& known, std::size_t zeros) const {
    const Ids& ids = known.ids;
    const bool of_parent = known.parent != no_index && ids.pid != no_index;
    if (known.parent != no_index) {
        out += identities[known.parent].name;
        if (of_parent) append_id(out, ids.pid, zeros);
        out += parent_end;
    }
    append_place(out, std::nullopt, known.name, ids.place);
    if (ids.any() && !of_parent) append_id(out, ids.id(), zeros);
}

/// Returns the number of zeros before the id with which no instance really has the name of the text, with or without
/// the life.
std::size_t RunInstances::State::zeros_of(const Known& known) const {
    if (!known.ids.any()) return 0;
    std::optional<std::string> parent;
    if (known.parent != no_index) parent = identities[known.parent].name;
    std::string name(known.name);
    std::string& with_id = parent && known.ids.pid != no_index ? *parent : name;
    const std::size_t end = with_id.size();
    for (std::size_t zeros = 0;; ++zeros) {
        with_id.resize(end);
        append_id(with_id, known.ids.id(), zeros);
        std::string with_life = name;
        append_id(with_life, known.life);
        if (!is_real_name(known.object, parent, name) && !is_real_name(known.object, parent, with_life)) return zeros;
    }
}

/// Appends the text of an identity. No two of an object have the same one, and none has the name of another: with ids,
/// a name that ends like an id has the life as well, so that the number of its ids separates it from a shorter name's.
void RunInstances::State::append_text(std::string& out, std::uint32_t number, bool with_pid) {
    const Known& known = identities[number];
    index(objects[known.object]);
    index(objects[objects[known.object].first]);
    const Label& label = labels[known.label];
    const bool own_id = has_own_id(known), early = with_pid && known.ids.pid != no_index && !own_id;
    const bool with_ids = early || groups[label.group] > 1 || (known.ids.any() && !own_id && is_like_text(known));
    if (with_ids)
        append_ids(out, known, zeros_of(known));
    else
        append_place(out, known.parent == no_index ? std::nullopt : std::optional(identities[known.parent].name),
                     known.name, known.ids.place);
    const bool has_lives = early ? known.life > 1 : label.lives > 1;
    if (has_lives || (with_ids && known.ids.any() && written_id(known.name))) append_id(out, known.life);
}

/// Begins a sample, unless it is the current one.
void RunInstances::State::begin(const Sample& sample) {
    const std::pair<const void*, std::uint64_t> token{&sample.memory(), sample.memory().generation};
    if (token == current) return;
    current = token;
    // Before the limits are reached, so that the instances of this sample have identities.
    constexpr std::uint64_t part = 4;
    if (!kept && (identities.size() > std::max(most_identities, limits.series / part * (part - 1)) ||
                  name_bytes > std::max(most_name_bytes, limits.names / part * (part - 1))))
        evict_ended();
    ++samples;
    std::pair<std::uint32_t, std::string> key(std::to_underlying(sample.source), sample.machine.value_or(""));
    const auto known = machines.find(key);
    if (known != machines.end())
        machine = known->second;
    else if (machines.size() < most_without_instances())
        machine = machines.emplace(std::move(key), static_cast<std::uint32_t>(machines.size())).first->second;
    else
        machine = no_index;
    const std::size_t count = sample.objects().size();
    if (found.size() < count) found.resize(count);
    progress.assign(count, Progress::none);
    repeats.count(sample.objects());
}

ObjectInstances& RunInstances::State::find(const Sample& sample, std::size_t position, std::uint32_t depth) {
    ObjectInstances& instances = found[position];
    if (progress[position] == Progress::none) {
        progress[position] = Progress::begun;
        number(sample, position, depth, instances);
        progress[position] = Progress::done;
    }
    return instances;
}

/// Finds the identities of the parents of an object's instances. Returns whether any has a parent. Damaged input can
/// name parents in a circle, or in a long chain: a parent whose own identity depends on this object then has none.
bool RunInstances::State::find_parents(const Sample& sample, std::size_t position, std::uint32_t depth) {
    const Object& object = sample.objects()[position];
    const Object::Memory::Parents& stated = object.memory().parents;
    if (!stated.differ && stated.object == 0) return false;
    std::vector<std::uint32_t> own(object.instances.size(), no_index);
    std::uint32_t title = 0;
    const std::vector<std::uint32_t>* numbers = nullptr;
    for (std::size_t row = 0; row < own.size(); ++row) {
        const Instance& instance = object.instances[row];
        if (instance.parent_object == 0) continue;
        if (instance.parent_object != title) {
            title = instance.parent_object;
            const auto at = sample.find(title);
            const bool known =
                at && (progress[*at] == Progress::done || (progress[*at] == Progress::none && depth < limits.parents));
            numbers = known ? &find(sample, *at, depth + 1).numbers : nullptr;
        }
        if (numbers != nullptr && instance.parent_instance < numbers->size())
            own[row] = (*numbers)[instance.parent_instance];
    }
    parents = std::move(own);  // not before, because the parents' object uses it, too
    return true;
}

void RunInstances::State::number(const Sample& sample, std::size_t position, std::uint32_t depth,
                                 ObjectInstances& instances) {
    const Object& object = sample.objects()[position];
    const auto count = static_cast<std::uint32_t>(object.instances.size());
    const bool has_parents = find_parents(sample, position, depth);
    places.number(sample, object, instances.places);
    instances.numbers.assign(count, no_index);
    const std::uint32_t number = object_of(sample, position);
    if (number == no_index) {
        overflowed = overflowed || count != 0;
        return;
    }
    const ProcessColumns columns(sample.source, object);
    // Logs of single counters name places: process 580 may be `rundll32#1` in one row and `rundll32` in the next.
    const bool names_places = object.memory().has_places && id_kind(sample.source, object) == IdKind::name;
    objects[number].names_places = names_places;
    const NameForm form = objects[number].form;
    Seen seen;
    const auto see = [&](std::uint32_t row) -> const Instance& {
        const Instance& instance = object.instances[row];
        if (has_parents && seen.parent != parents[row]) set_parent(seen, parents[row]);
        seen.name = shown_name(instance);
        seen.ids = ids_of(instance, row, columns, seen, form, instances.places[row]);
        if (names_places && seen.ids.pid != no_index)
            if (const auto parts = split_place(seen.name); parts && parts->place) seen.name = parts->name;
        return instance;
    };
    const auto set = [&](std::uint32_t row, std::uint32_t identity, const Instance& instance) {
        instances.numbers[row] = identity;
        identities[identity].seen = samples;
        identities[identity].is_damaged = instance.name ? 0 : 1;
    };
    const std::uint32_t previous = objects[number].seen;
    if (previous == 0 && objects[number].first == number) {  // the object is new: its instances need no search
        const std::uint32_t first = identities.size();
        bool is_distinct = true;  // whether all instances certainly have different names or ids
        distinct.begin(identities, count);
        for (std::uint32_t row = 0; row < count; ++row) {
            const Instance& instance = see(row);
            const std::uint32_t identity = add(number, seen);
            // Without a parent that is known, its place is one among the children of that parent only.
            const bool has_own_place = seen.parent != no_index || instance.parent_object == 0;
            is_distinct = is_distinct && has_own_place && identity != no_index &&
                          distinct.add(identities[identity], has_pid_of_distinct(seen));
            if (identity != no_index) set(row, identity, instance);
        }
        KnownObject& known = objects[number];
        known.unindexed = first;
        known.unindexed_end = identities.size();
        known.is_distinct = is_distinct;
        if (!is_distinct) index(known);
    } else {
        const std::vector<std::uint32_t>& before = objects[number].numbers;
        bool moved = false;  // whether an instance was not where it was in the sample before
        for (std::uint32_t row = 0; row < count; ++row) {
            const Instance& instance = see(row);
            const std::uint32_t here = row < before.size() ? before[row] : no_index;
            const bool is_here = here != no_index && is_same(identities[here], seen) &&
                                 identities[here].seen == previous && (!moved || is_alone(identities[here]));
            const std::uint32_t identity = is_here ? here : find_or_add(number, seen);
            moved = moved || here == no_index || identity != here;
            if (identity != no_index) set(row, identity, instance);
        }
    }
    objects[number].numbers = instances.numbers;
    objects[number].seen = samples;
}

std::uint32_t RunInstances::State::object_of(const Sample& sample, std::size_t position) {
    const std::uint32_t title = sample.objects()[position].title_index, repeat = repeats[position];
    const auto number_of = [&, title, source = sample.source](std::uint32_t which) {
        const std::array<std::uint64_t, 2> key{two(machine, title), which};
        if (const auto known = object_numbers.find(key); known != object_numbers.end()) return known->second;
        if (machine == no_index || objects.size() >= most_without_instances()) return no_index;
        const auto number = static_cast<std::uint32_t>(objects.size());
        objects.push_back(
            {.is_v2 = source == SampleSource::v2, .form = name_form(english_name(sample.objects()[position]))});
        return object_numbers[key] = number;
    };
    const std::uint32_t whole = number_of(0), number = repeat == 0 || whole == no_index ? whole : number_of(repeat);
    if (number != no_index) objects[number].first = whole;
    return number;
}

/// Sets the parent of an instance, and what its ids depend on.
void RunInstances::State::set_parent(Seen& instance, std::uint32_t parent) const {
    instance.parent = parent;
    instance.parent_pid = parent == no_index ? no_index : identities[parent].ids.pid;
    instance.is_of_total = parent != no_index && is_total(identities[parent].name);
}

/// Adds an identity, which is not in `labels` yet. Returns its number, or `no_index` if there are too many.
std::uint32_t RunInstances::State::add(std::uint32_t object, const Seen& instance) {
    constexpr std::uint64_t copies = 2;  // in `texts` and in `names`
    const std::string_view name = instance.name;
    if (identities.size() >= std::min<std::uint64_t>(limits.series, no_index) ||
        copies * name.size() > limits.names - std::min(limits.names, name_bytes)) {
        overflowed = true;
        return no_index;
    }
    name_bytes += copies * name.size();
    const std::uint32_t number = identities.size();
    Known& known = identities.add();
    known.name = texts.add(name);
    known.ids = instance.ids;
    known.parent = instance.parent;
    known.object = object;
    return number;
}

/// Returns the identity of an instance that is not where it was in the sample before.
std::uint32_t RunInstances::State::find_or_add(std::uint32_t object, const Seen& instance) {
    const std::uint32_t previous = objects[object].seen, first = objects[object].first;
    const Ids& ids = instance.ids;
    index(objects[object]);
    if (first != object) index(objects[first]);
    const std::uint32_t label =
        label_of({.name = instance.name, .ids = ids, .parent = instance.parent, .object = object});
    // Of the latest identities of these ids, of which an input can have any number, the first that fits: equal
    // instances of consecutive samples are paired in their order.
    constexpr unsigned most_steps = 16;
    std::uint32_t at = labels[label].latest, best = no_index;
    for (unsigned step = 0; at != no_index && step < most_steps; ++step, at = identities[at].earlier) {
        Known& known = identities[at];
        if (known.seen == samples || known.ids.thread != ids.thread) continue;
        const bool has_starts = known.ids.start != 0 && ids.start != 0;
        if (has_starts && known.ids.start != ids.start) continue;
        // Without a start time, a process that was missing has ended; the others exist for ever.
        if (!has_starts && ids.pid != no_index && ids.pid != 0 && known.seen != previous) continue;
        best = at;
    }
    if (best != no_index) {
        if (ids.start != 0) identities[best].ids.start = ids.start;  // a damaged one is no other
        identities[best].parent = instance.parent;
        return best;
    }
    const std::uint32_t number = add(object, instance);
    objects[object].is_distinct = false;
    if (number != no_index) index(number, label);
    return number;
}

/// Adds an identity to those of a label.
void RunInstances::State::index(std::uint32_t number, std::uint32_t label_number) {
    Known& known = identities[number];
    Label& label = labels[label_number];
    known.label = label_number;
    known.earlier = std::exchange(label.latest, number);
    constexpr std::uint32_t most_lives = ~std::uint32_t{0} >> 1U;
    known.life = ++label.lives & most_lives;
    ++groups[label.group];
}

/// Adds the identities of an object to `labels`.
void RunInstances::State::index(KnownObject& object) {
    for (std::uint32_t number = object.unindexed; number < object.unindexed_end; ++number)
        index(number, label_of(identities[number]));
    object.unindexed = object.unindexed_end;
}

/// Returns the label of an identity, which is added if it is new: everything by which outputs know it but the life.
std::uint32_t RunInstances::State::label_of(const Known& known) {
    const std::uint32_t parent = known.parent == no_index ? no_index : name_number(identities[known.parent].name);
    const GroupKey group_key{two(objects[known.object].first, parent), name_number(known.name)};
    const auto [group, is_new_group] = group_numbers.try_emplace(group_key, static_cast<std::uint32_t>(groups.size()));
    if (is_new_group) groups.push_back(0);
    const Ids& ids = known.ids;
    const std::uint64_t id = two(static_cast<std::uint32_t>(ids.instance_id), ids.any() ? 0 : ids.place + 1);
    const auto [label, is_new] =
        label_numbers.try_emplace({two(group->second, ids.pid), id}, static_cast<std::uint32_t>(labels.size()));
    if (is_new) labels.push_back({.group = group->second});
    return label->second;
}

std::uint32_t RunInstances::State::name_number(std::string_view name) {
    return names.try_emplace(fold_case(name), static_cast<std::uint32_t>(names.size())).first->second;
}

/// Removes the identities of instances that are in no last sample of their object, and numbers the others anew.
void RunInstances::State::evict_ended() {
    State rest;
    rest.limits = limits;
    rest.samples = samples;
    rest.overflowed = overflowed;
    rest.current = current;
    rest.machines = std::move(machines);
    rest.object_numbers = std::move(object_numbers);
    std::vector<std::uint32_t> numbers(identities.size(), no_index);
    rest.objects.resize(objects.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
        rest.objects[i].is_v2 = objects[i].is_v2;
        rest.objects[i].form = objects[i].form;
        rest.objects[i].first = objects[i].first;
        rest.objects[i].seen = objects[i].seen;
    }
    const auto move = [&](std::uint32_t number) {
        if (numbers[number] != no_index) return;
        const Known& known = identities[number];
        numbers[number] = rest.identities.size();
        Known& moved = rest.identities.add();
        moved = known;
        moved.name = rest.texts.add(known.name);
        moved.label = moved.earlier = no_index;
        rest.name_bytes += 2 * known.name.size();
    };
    for (const KnownObject& object : objects)
        for (const std::uint32_t number : object.numbers)
            for (std::uint32_t at = number; at != no_index && numbers[at] == no_index; at = identities[at].parent)
                move(at);
    for (std::uint32_t number = 0; number < rest.identities.size(); ++number) {
        Known& known = rest.identities[number];
        if (known.parent != no_index) known.parent = numbers[known.parent];
    }
    for (std::uint32_t number = 0; number < rest.identities.size(); ++number) {
        Known& known = rest.identities[number];
        const std::uint32_t life = known.life;
        known.label = rest.label_of(known);
        Label& label = rest.labels[known.label];
        known.earlier = std::exchange(label.latest, number);
        label.lives = std::max(label.lives, life);
        ++rest.groups[label.group];
    }
    for (std::size_t i = 0; i < objects.size(); ++i)
        for (const std::uint32_t number : objects[i].numbers)
            rest.objects[i].numbers.push_back(number == no_index ? no_index : numbers[number]);
    // Not again before half of the space that is left is used.
    const auto next = [](std::uint64_t used, std::uint64_t limit) {
        return used + (limit - std::min(used, limit)) / 2;
    };
    rest.most_identities = next(rest.identities.size(), limits.series);
    rest.most_name_bytes = next(rest.name_bytes, limits.names);
    *this = std::move(rest);
}

}  // namespace hkpd
