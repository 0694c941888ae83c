#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "sample/display_name.hpp"

namespace hkpd {
namespace {

void all_of(std::size_t count, std::vector<std::uint32_t>& positions) {
    positions.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) positions[i] = i;
}

/// `parent/name` with the direct parent only, as Windows' paths have it.
std::string name_with_parent(const Sample& sample, const Instance& instance) {
    std::string name;
    if (const auto parent = sample.parent(instance)) {
        name = sample.objects()[parent->object].instances[parent->instance].name.value_or("");
        name += '/';
    }
    return name += instance.name.value_or("");
}

bool instance_matches(const Pattern& pattern, const Sample& sample, const Object& object, std::uint32_t row) {
    if (pattern.text() == "*") return true;
    const Instance& instance = object.instances[row];
    if (!instance.name) return false;
    if (!sample.parent(instance)) return pattern.matches(*instance.name);
    if (pattern.matches(name_with_parent(sample, instance))) return true;
    std::string path;
    append_instance_path(path, sample, object, row);
    return pattern.matches(path);
}

/// `name#index`, taken apart; index none for `#*`.
struct Indexed {
    std::string_view name;
    std::optional<std::uint32_t> index;
};
std::optional<Indexed> split_index(std::string_view text) {
    const auto hash = text.rfind('#');
    if (hash == std::string_view::npos) return std::nullopt;
    const std::string_view digits = text.substr(hash + 1);
    if (digits == "*") return Indexed{text.substr(0, hash), std::nullopt};
    const auto index = parse_number<std::uint32_t>(digits);
    return index ? std::optional(Indexed{text.substr(0, hash), index}) : std::nullopt;
}

/// Rows whose instance a wish names. `#digits` at the end is an index among equals only where no instance is called
/// so; `bare` lets the name alone do for an instance that has a parent.
void match_rows(std::string_view wanted, bool bare, const Sample& sample, const Object& object,
                std::vector<std::uint32_t>& rows) {
    const auto find = [&](const Pattern& pattern, const std::vector<std::uint32_t>* indices,
                          std::optional<std::uint32_t> index) {
        for (std::uint32_t row = 0; row < object.instances.size(); ++row) {
            if (indices != nullptr && index && (*indices)[row] != *index) continue;
            const auto& name = object.instances[row].name;
            if (instance_matches(pattern, sample, object, row) || (bare && name && pattern.matches(*name)))
                rows.push_back(row);
        }
    };
    find(Pattern(wanted), nullptr, std::nullopt);
    if (!rows.empty()) {
        // In a path, a name alone is the first of that name: `#0` is left out.
        const bool first_only = !bare && rows.size() > 1 && wanted.find_first_of("*?") == std::string_view::npos;
        if (!first_only) return;
        std::vector<std::uint32_t> indices;
        number_instances(sample, object, indices);
        std::erase_if(rows, [&indices](std::uint32_t row) { return indices[row] != 0; });
        return;
    }
    const auto indexed = split_index(wanted);
    if (!indexed) return;
    std::vector<std::uint32_t> indices;
    number_instances(sample, object, indices);
    find(Pattern(indexed->name), &indices, indexed->index);
}

/// By index or name; of V2 by name or GUID, with or without braces. Where there is no name, wildcards are compared with
/// what stands for it.
bool object_matches(const Pattern& pattern, SampleSource source, const Object& object) {
    if (const auto index = object_number(source, object)) return pattern.matches(*index, object.name);
    if (object.counterset && parse_guid(pattern.text()) == object.counterset) return true;
    return pattern.matches(object_label(source, object));
}

/// By index or id, or name.
bool counter_matches(const Pattern& pattern, SampleSource source, const Column& column) {
    if (const auto number = counter_number(source, column)) return pattern.matches(*number, column.name);
    return pattern.text() == "*" || (column.name && pattern.matches(column.name->text));
}

bool is_listed_object(const Object& object) noexcept {
    return object.kind == Kind::multi || object.kind == Kind::metadata_multi;
}

void merge(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
    std::vector<std::uint32_t> both;
    std::ranges::set_union(into, from, std::back_inserter(both));
    into = std::move(both);
}

}  // namespace

std::optional<CounterPath> CounterPath::parse(std::string_view text) {
    CounterPath path;
    path.text = text;
    if (text.starts_with(R"(\\)")) {
        const auto end = text.find('\\', 2);
        if (end == std::string_view::npos) return std::nullopt;
        path.machine = text.substr(2, end - 2);
        text.remove_prefix(end);
    }
    if (!text.starts_with('\\')) return std::nullopt;
    const auto last = text.rfind('\\');
    if (last == 0) return std::nullopt;
    path.object = text.substr(1, last - 1);
    path.counter = text.substr(last + 1);
    if (path.object.empty() || path.counter.empty()) return std::nullopt;
    return path;
}

class Filter::State {
  public:
    void want_object(std::string_view pattern) { objects_.emplace_back(pattern); }
    void want_instance(std::string_view pattern) { instances_.emplace_back(pattern); }
    void want_counter(std::string_view pattern) { counters_.emplace_back(pattern); }
    void want_path(CounterPath path) { paths_.emplace_back(std::move(path)); }
    void select(const Sample& sample, std::vector<Selected>& selected);
    std::vector<Unmet> unmet() const;

  private:
    struct Wish {
        explicit Wish(std::string_view text) : pattern(text), nearest(text) {}
        Pattern pattern;
        Nearest nearest;
        bool met = false;
    };
    struct PathWish {
        explicit PathWish(CounterPath wanted);
        /// What is before the instance.
        std::string_view object_name() const noexcept { return std::string_view(path.object).substr(0, name_size); }
        CounterPath path;
        std::size_t name_size;
        Nearest object, counter;
        std::string listed;         // the object, where its instances are not named
        bool object_known = false;  // some object has the name
        bool met = false;
    };
    void select_wishes(const Sample& sample);
    void select_path(PathWish& wish, const Sample& sample);
    void add(std::size_t object, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns);
    void group(std::vector<Selected>& selected);
    void offer_names(const Sample& sample);
    void offer_names(PathWish& wish, const Sample& sample, const Object& object);

    std::vector<Wish> objects_, instances_, counters_;
    std::vector<PathWish> paths_;
    // Names are compared with wishes in the first samples alone, and in those not without end.
    std::uint32_t samples_left_ = 8, offers_left_ = 100'000;
    // What is wanted of the current sample: object → row → columns.
    std::map<std::size_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> wanted_;
};

Filter::Filter() : state_(std::make_unique<State>()) {}
Filter::Filter(const Filter& other) : state_(std::make_unique<State>(*other.state_)) {}
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(const Filter& other) {
    if (this != &other) state_ = std::make_unique<State>(*other.state_);
    return *this;
}
Filter& Filter::operator=(Filter&&) noexcept = default;
Filter::~Filter() = default;

void Filter::want_object(std::string_view pattern) { state_->want_object(pattern); }

void Filter::want_instance(std::string_view pattern) { state_->want_instance(pattern); }

void Filter::want_counter(std::string_view pattern) { state_->want_counter(pattern); }

void Filter::want_path(CounterPath path) { state_->want_path(std::move(path)); }

void Filter::select(const Sample& sample, std::vector<Selected>& selected) { state_->select(sample, selected); }

std::vector<Unmet> Filter::unmet() const { return state_->unmet(); }

void Filter::State::select(const Sample& sample, std::vector<Selected>& selected) {
    const bool wishes = !objects_.empty() || !instances_.empty() || !counters_.empty();
    if (paths_.empty() && !wishes) {
        selected.resize(sample.objects().size());  // what is there keeps its memory
        for (std::size_t i = 0; i < selected.size(); ++i) {
            selected[i].object = i;
            all_of(sample.objects()[i].instances.size(), selected[i].rows);
            all_of(sample.objects()[i].columns.size(), selected[i].columns);
        }
        return;
    }
    selected.clear();
    wanted_.clear();
    if (wishes) select_wishes(sample);
    for (PathWish& wish : paths_) select_path(wish, sample);
    group(selected);
    offer_names(sample);
}

void Filter::State::add(std::size_t object, const std::vector<std::uint32_t>& rows,
                        const std::vector<std::uint32_t>& columns) {
    auto& wanted = wanted_[object];
    // An object without instances is shown for its counters.
    if (rows.empty()) merge(wanted[no_index], columns);
    for (const std::uint32_t row : rows) merge(wanted[row], columns);
}

/// Rows of which the same columns are wanted belong together.
void Filter::State::group(std::vector<Selected>& selected) {
    for (auto& [object, rows] : wanted_) {
        const std::size_t first = selected.size();
        for (auto& [row, columns] : rows) {
            auto found = std::find_if(selected.begin() + static_cast<std::ptrdiff_t>(first), selected.end(),
                                      [&](const Selected& before) { return before.columns == columns; });
            if (found == selected.end()) found = selected.insert(found, {object, {}, std::move(columns)});
            if (row != no_index) found->rows.push_back(row);
        }
    }
}

void Filter::State::select_wishes(const Sample& sample) {
    const auto wanted = [](std::vector<Wish>& wishes, const auto& matches) {
        bool any = wishes.empty();
        for (Wish& wish : wishes) {
            if (!matches(wish.pattern)) continue;
            any = wish.met = true;
        }
        return any;
    };
    for (std::size_t i = 0; i < sample.objects().size(); ++i) {
        const Object& object = sample.objects()[i];
        if (!wanted(objects_, [&](const Pattern& p) { return object_matches(p, sample.source, object); })) continue;
        Selected one{i, {}, {}};
        if (instances_.empty()) all_of(object.instances.size(), one.rows);
        for (Wish& wish : instances_) {
            if (!is_listed_object(object)) continue;
            std::vector<std::uint32_t> rows;
            match_rows(wish.pattern.text(), true, sample, object, rows);
            wish.met = wish.met || !rows.empty();
            merge(one.rows, rows);
        }
        if (!instances_.empty() && one.rows.empty()) continue;
        for (std::uint32_t c = 0; c < object.columns.size(); ++c) {
            const Column& column = object.columns[c];
            if (wanted(counters_, [&](const Pattern& p) { return counter_matches(p, sample.source, column); }))
                one.columns.push_back(c);
        }
        if (!counters_.empty() && one.columns.empty()) continue;
        add(i, one.rows, one.columns);
    }
}

void Filter::State::select_path(PathWish& wish, const Sample& sample) {
    const CounterPath& path = wish.path;
    if (!path.machine.empty() && !Pattern(path.machine).matches(sample.machine.value_or(""))) return;
    const Pattern single(path.object), counter(path.counter);
    for (std::size_t i = 0; i < sample.objects().size(); ++i) {
        const Object& object = sample.objects()[i];
        Selected one{i, {}, {}};
        bool named = false;
        if (!is_listed_object(object) && object_matches(single, sample.source, object))
            all_of(object.instances.size(), one.rows);
        // Names hold parentheses too: each "(" may be the one that begins the instance, the first one first.
        const std::string_view text = path.object;
        const bool closed = is_listed_object(object) && text.ends_with(')');
        for (auto open = closed ? text.find('(') : text.npos; open != text.npos && one.rows.empty();
             open = text.find('(', open + 1)) {
            if (!object_matches(Pattern(text.substr(0, open)), sample.source, object)) continue;
            named = true;
            match_rows(text.substr(open + 1, text.size() - open - 2), false, sample, object, one.rows);
        }
        for (std::uint32_t c = 0; c < object.columns.size(); ++c)
            if (counter_matches(counter, sample.source, object.columns[c])) one.columns.push_back(c);
        // An object that has no instances now is there all the same.
        wish.met = wish.met || (named && object.instances.empty() && !one.columns.empty());
        if (one.rows.empty() || one.columns.empty()) continue;
        wish.met = true;
        add(i, one.rows, one.columns);
    }
}

Filter::State::PathWish::PathWish(CounterPath wanted)
    : path(std::move(wanted)),
      name_size(path.object.ends_with(')') ? std::min(path.object.find('('), path.object.size()) : path.object.size()),
      object(object_name()),
      counter(path.counter) {}

/// Keeps, for each wish that nothing has met so far, the name that is most like it.
void Filter::State::offer_names(const Sample& sample) {
    const auto is_open = [](const auto& wishes) {
        return std::ranges::any_of(wishes, [](const auto& wish) { return !wish.met; });
    };
    const bool objects = is_open(objects_), counters = is_open(counters_);
    if (samples_left_ == 0 || (!objects && !counters && !is_open(paths_))) return;
    --samples_left_;
    const auto offer = [this](std::vector<Wish>& wishes, const std::optional<Titles::Answer>& name) {
        for (Wish& wish : wishes) {
            if (wish.met || !name || offers_left_ == 0) continue;
            --offers_left_;
            wish.nearest.offer(name->text);
        }
    };
    for (const Object& object : sample.objects()) {
        if (objects) offer(objects_, object.name);
        const auto is_object = [&](const Wish& wish) { return object_matches(wish.pattern, sample.source, object); };
        if (counters && (objects_.empty() || std::ranges::any_of(objects_, is_object)))
            for (const Column& column : object.columns) offer(counters_, column.name);
        for (PathWish& wish : paths_)
            if (!wish.met && offers_left_ != 0) offer_names(wish, sample, object);
    }
}

void Filter::State::offer_names(PathWish& wish, const Sample& sample, const Object& object) {
    --offers_left_;
    if (!object_matches(Pattern(wish.object_name()), sample.source, object)) {
        if (object.name) wish.object.offer(object.name->text);
        return;
    }
    wish.object_known = true;
    if (is_listed_object(object) && !wish.path.object.ends_with(')'))
        wish.listed = object_label(sample.source, object) + "(*)";
    for (const Column& column : object.columns) {
        if (!column.name || offers_left_ == 0) continue;
        --offers_left_;
        wish.counter.offer(column.name->text);
    }
}

std::vector<Unmet> Filter::State::unmet() const {
    std::vector<Unmet> all;
    const auto collect = [&all](std::string_view kind, const std::vector<Wish>& wishes) {
        for (const Wish& wish : wishes)
            if (!wish.met) all.push_back({std::string(kind) + " '" + wish.pattern.text() + "'", wish.nearest.name()});
    };
    collect("object", objects_);
    collect("instance", instances_);
    collect("counter", counters_);
    for (const PathWish& wish : paths_) {
        if (wish.met) continue;
        const std::string& nearest = !wish.listed.empty() ? wish.listed
                                     : wish.object_known  ? wish.counter.name()
                                                          : wish.object.name();
        all.push_back({"path '" + wish.path.text + "'", nearest});
    }
    return all;
}

}  // namespace hkpd
