#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/list_order.hpp"
#include "base/text/located_text.hpp"
#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "identity/instance_name.hpp"
#include "sample/display_name.hpp"
#include "select/english.hpp"

namespace hkpd {
Pattern::Pattern(std::string_view text)
    : text_(text),
      folded_(fold_case(text)),
      index_(parse_number<std::uint32_t>(text)),
      plain_(text.find_first_of("*?") == std::string_view::npos) {}

bool Pattern::matches(std::string_view name) const {
    if (folded_ == "*") return true;
    return plain_ ? compare_names(text_, name) == 0 : matches_wildcard(folded_, fold_case(name));
}

bool Pattern::matches(std::uint32_t index, const std::optional<Titles::Answer>& name) const {
    if (index_ == index || folded_ == "*") return true;
    return name && matches(name->text);
}

std::vector<std::string> read_path_list(Bytes file) {
    const FileText content = open_text(file);
    Splitter lines(content.text, '\n');
    std::vector<std::string> paths;
    while (const auto line = lines.next()) {
        std::string path;
        content.text.append(path, content.text.trimmed(*line));
        // Windows' tools quote paths in their configuration files.
        if (path.size() >= 2 && path.front() == '"' && path.back() == '"') path = path.substr(1, path.size() - 2);
        if (!path.empty()) paths.push_back(std::move(path));
    }
    return paths;
}

namespace {

void all_of(std::size_t count, std::vector<std::uint32_t>& positions) {
    positions.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) positions[i] = i;
}

/// Returns whether an object matches. An object that has a title index matches by this index or by its name. Every
/// other object (from V2, or raw counters of a log) matches by its label, which is its name or, for example, its GUID.
/// A V2 object matches by its GUID even if it has a name; the pattern may omit the braces of the GUID.
bool object_matches(const Pattern& pattern, SampleSource source, const Object& object) {
    if (const auto index = object_number(source, object)) return pattern.matches(*index, object.name);
    if (object.counterset && parse_guid(pattern.text()) == object.counterset) return true;
    return pattern.matches(object_label(source, object));
}

/// Returns whether a counter matches by index or id, or by name.
bool counter_matches(const Pattern& pattern, SampleSource source, const Column& column) {
    if (const auto number = counter_number(source, column)) return pattern.matches(*number, column.name);
    return pattern.text() == "*" || (column.name && pattern.matches(column.name->text));
}

bool other_matches(const Pattern& pattern, std::string_view name) { return !name.empty() && pattern.matches(name); }

bool is_listed_object(const Object& object) noexcept {
    return object.kind == Kind::multi || object.kind == Kind::metadata_multi;
}

void merge(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
    std::vector<std::uint32_t> both;
    std::ranges::set_union(into, from, std::back_inserter(both));
    into = std::move(both);
}

}  // namespace

/// A pattern for instances. If no instance is really called `name#1`, `#1` is a place among the instances called
/// `name`; if none is really called `name:580`, it is the text of an identity (`RunInstances::append_display`).
struct InstancePattern {
    explicit InstancePattern(std::string_view text) : whole(text) {
        if (may_have_ids(text)) ids.emplace(without_zeros(text));
        const auto parts = split_place(text);
        if (!parts) return;
        name.emplace(parts->name);
        place = parts->place;
    }
    Pattern whole;
    std::optional<Pattern> name;         // the text before `#n`; none if the text has no `#n`
    std::optional<std::uint32_t> place;  // none for `#*`
    std::optional<Pattern> ids;          // none if the text cannot be that of an identity with ids
};

/// The names by which the rows of an object can be selected, case-folded.
struct FoldedNames {
    std::vector<std::pair<std::uint32_t, std::string>> all;  // row, name
    std::uint64_t bytes = 0;                                 // of all names
};

/// Finds rows of an object by the names of instances. Instance indices and tables of names are computed once for all
/// patterns.
class RowFinder {
  public:
    /// `work` is the number of names that may still be compared with patterns.
    RowFinder(const Sample& sample, std::size_t position, std::uint64_t& work)
        : sample_(sample), object_(sample.objects()[position]), position_(position), work_(work) {}

    /// Finds the rows whose instance matches. With `bare`, a name without a parent also matches instances that have a
    /// parent, and a name without `#index` selects all instances of that name. Without `bare`, names are read as in
    /// counter paths: a name without a parent matches only instances without a parent, and a name without `#index`
    /// selects only the first instance of that name, because paths omit `#0`.
    void find(const InstancePattern& wanted, bool bare, std::vector<std::uint32_t>& rows) {
        match(wanted.whole, std::nullopt, bare, rows);
        if (!rows.empty()) {
            const bool first_only = !bare && rows.size() > 1 && wanted.whole.is_plain();
            if (first_only) std::erase_if(rows, [this](std::uint32_t row) { return instances().places[row] != 0; });
            return;
        }
        if (wanted.name) match(*wanted.name, wanted.place, bare, rows);
        if (rows.empty() && wanted.ids) match_ids(*wanted.ids, rows);
    }

  private:
    void match(const Pattern& pattern, std::optional<std::uint32_t> place, bool bare,
               std::vector<std::uint32_t>& rows) {
        const auto add = [&](std::uint32_t row) {
            if (!place || instances().places[row] == *place) rows.push_back(row);
        };
        constexpr unsigned few = 4;  // number of patterns for which a table is not worth its cost
        if (pattern.is_plain() && searches_++ >= few) {
            const auto found = table(bare).find(pattern.folded());
            if (found != table(bare).end()) std::ranges::for_each(found->second, add);
            return;
        }
        const std::uint64_t work = cost_of(pattern, bare);
        if (work_ < work) {
            work_ = 0;
            return;
        }
        work_ -= work;
        if (pattern.text() == "*") {
            for (std::uint32_t row = 0; row < object_.instances.size(); ++row) add(row);
        } else if (pattern.is_plain()) {
            for (std::uint32_t row = 0; row < object_.instances.size(); ++row) {
                bool any = false;
                for_each_name(bare, row, [&](std::string_view name) { any = any || pattern.matches(name); });
                if (any) add(row);
            }
        } else {
            std::uint32_t matched = no_index;
            for (const auto& [row, name] : names(bare).all)
                if (row != matched && matches_wildcard(pattern.folded(), name)) add(matched = row);
        }
    }

    /// Returns the cost of a search, in comparisons of short names. A pattern with several `*` is tried at several
    /// positions of a name.
    std::uint64_t cost_of(const Pattern& pattern, bool bare) {
        constexpr std::uint64_t short_name = 32;
        if (pattern.is_plain() || pattern.text() == "*") return object_.instances.size();
        const Names& searched = names(bare);
        const auto stars = static_cast<std::uint64_t>(std::ranges::count(pattern.folded(), '*'));
        return (short_name * searched.all.size() + searched.bytes) / short_name * (1 + stars);
    }

    /// Calls `act` with each name by which a row can be selected.
    template <class Act>
    void for_each_name(bool bare, std::uint32_t row, const Act& act) const {
        const Instance& instance = object_.instances[row];
        if (!instance.name) return;
        const bool has_parent = sample_.parent(instance).has_value();
        if (bare || !has_parent) act(*instance.name);
        if (!has_parent) return;
        std::string text;
        append_place(text, sample_, instance, 0);
        act(text);
    }

    /// Finds the rows of identities by their texts with ids, with and without the life. A name that ends like an id is
    /// found by the text with the life alone: the one without could be another's text with the life.
    void match_ids(const Pattern& pattern, std::vector<std::uint32_t>& rows) {
        const std::uint64_t work = object_.instances.size();
        if (work_ < work) {
            work_ = 0;
            return;
        }
        work_ -= work;
        const RunInstances& run = *RunInstances::of(sample_);
        std::string text;
        for (std::uint32_t row = 0; row < object_.instances.size(); ++row) {
            const std::uint32_t number = instances().numbers[row];
            if (number == no_index || !object_.instances[row].name) continue;
            const Identity identity = run[number];
            if (!identity.pid && !identity.instance_id) continue;
            text.clear();
            run.append_ids(text, number);
            bool matches = !written_id(identity.name) && pattern.matches(text);
            if (!matches) {
                append_id(text, identity.life);
                matches = pattern.matches(text);
            }
            if (matches) rows.push_back(row);
        }
    }

    const ObjectInstances& instances() {
        if (instances_ == nullptr) instances_ = &RunInstances::of(sample_)->instances(sample_, position_);
        return *instances_;
    }

    using Names = FoldedNames;
    /// Returns the folded names by which each row can be selected, in the order of the rows.
    const Names& names(bool bare) {
        std::optional<Names>& made = bare ? bare_names_ : names_with_parents_;
        if (made) return *made;
        made.emplace();
        for (std::uint32_t row = 0; row < object_.instances.size(); ++row)
            for_each_name(bare, row, [&](std::string_view name) {
                made->bytes += made->all.emplace_back(row, fold_case(name)).second.size();
            });
        return *made;
    }

    using Table = std::unordered_map<std::string, std::vector<std::uint32_t>>;
    /// Returns a table that maps each case-folded name to the rows that can be selected by it.
    const Table& table(bool bare) {
        std::optional<Table>& made = bare ? bare_ : with_parents_;
        if (made) return *made;
        made.emplace();
        for (const auto& [row, name] : names(bare).all) {
            auto& rows = (*made)[name];
            if (rows.empty() || rows.back() != row) rows.push_back(row);
        }
        return *made;
    }

    const Sample& sample_;
    const Object& object_;
    std::size_t position_;
    std::uint64_t& work_;
    unsigned searches_ = 0;
    const ObjectInstances* instances_ = nullptr;
    std::optional<Names> bare_names_, names_with_parents_;
    std::optional<Table> bare_, with_parents_;
};

std::optional<CounterPath> CounterPath::parse(std::string_view text) {
    if (is_too_long(text)) return std::nullopt;
    CounterPath path;
    path.text = text;
    if (text.starts_with(R"(\\)")) {
        const auto end = text.find('\\', 2);
        if (end == std::string_view::npos) return std::nullopt;
        path.machine = text.substr(2, end - 2);
        text.remove_prefix(end);
    }
    if (text.starts_with('\\')) text.remove_prefix(1);  // people often omit it
    const auto last = text.rfind('\\');
    if (last == std::string_view::npos) return std::nullopt;
    path.object = text.substr(0, last);
    path.counter = text.substr(last + 1);
    if (path.object.empty() || path.counter.empty()) return std::nullopt;
    return path;
}

bool CounterPath::is_too_long(std::string_view text) noexcept {
    // Counts UTF-16 units: one for each byte that begins a UTF-8 character, and one more for a character of 4 bytes.
    const auto units =
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }) +
        std::ranges::count_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0xF0U; });
    return static_cast<std::size_t>(units) > longest;
}

class Filter::State {
  public:
    struct PatternFilter {
        explicit PatternFilter(std::string_view text) : pattern(text), instance(text), nearest(text) {}
        Pattern pattern;
        InstancePattern instance;
        Nearest nearest;
        bool seen = false;
    };
    struct PathFilter {
        explicit PathFilter(CounterPath wanted)
            : path(std::move(wanted)),
              without_instance(std::string_view(path.object)
                                   .substr(0, path.object.ends_with(')') ? path.object.find('(') : path.object.npos)),
              object(without_instance.text()),
              counter(path.counter),
              single(path.object),
              of_counter(path.counter) {
            if (!path.machine.empty()) machine.emplace(path.machine);
            // Names may contain parentheses: each "(" may begin the instance.
            const std::string_view text = path.object;
            if (!text.ends_with(')')) return;
            for (auto open = text.find('('); open != text.npos && splits.size() < most_splits;
                 open = text.find('(', open + 1))
                splits.push_back(
                    {Pattern(text.substr(0, open)), InstancePattern(text.substr(open + 1, text.size() - open - 2))});
        }
        static constexpr std::size_t most_splits = 64;
        struct Split {
            Pattern object;
            InstancePattern instance;
        };
        CounterPath path;
        // The object's name: the part of `path.object` before the first "(", or all of `path.object` if it does not end
        // in ")".
        Pattern without_instance;
        Nearest object, counter;  // the most similar names of objects and counters, if the path matches nothing
        std::optional<Pattern> machine;
        // `single`: the whole `path.object`, for objects without a list of instances. `of_counter`: the path's counter.
        Pattern single, of_counter;
        std::vector<Split> splits;  // the object and its instance, one entry for each "(" that may separate them
        std::string listed;         // `Object(*)` of an object with instances, if the path names no instance
        bool object_known = false;  // whether an object matches `without_instance`
        bool seen = false;
        bool in_english = false;  // whether the path has matched English names only, in any sample
    };

    void select(const Sample& sample, std::vector<Selected>& selected) {
        const bool requests = !object_filters.empty() || !instance_filters.empty() || !counter_filters.empty();
        if (path_filters.empty() && !requests) {
            selected.resize(sample.objects().size());  // existing entries keep their memory
            for (std::size_t i = 0; i < selected.size(); ++i) {
                selected[i].object = i;
                all_of(sample.objects()[i].instances.size(), selected[i].rows);
                all_of(sample.objects()[i].columns.size(), selected[i].columns);
            }
            return;
        }
        selected.clear();
        selection.clear();
        work_left = most_comparisons + 1;  // 0: more comparisons than allowed were necessary
        finders.clear();
        for (std::size_t i = 0; i < sample.objects().size(); ++i) finders.emplace_back(sample, i, work_left);
        if (requests) apply_filters(sample);
        const bool has_other = !path_filters.empty() && std::ranges::any_of(sample.objects(), [](const Object& object) {
            return has_other_names(object);
        });
        const bool translates = has_other || (!path_filters.empty() && english && english->update());
        for (PathFilter& request : path_filters)
            if (!select_path(request, sample, Language::local) && translates)
                request.in_english |= select_path(request, sample, Language::english);
        gave_up = gave_up || work_left == 0;
        finders.clear();  // they refer to the sample
        group(selected);
        offer_names(sample);
    }

    std::vector<Unmatched> unmatched() const {
        std::vector<Unmatched> all;
        const auto collect = [&all](std::string_view kind, const std::vector<PatternFilter>& requests) {
            for (const PatternFilter& request : requests)
                if (!request.seen)
                    all.push_back({std::string(kind) + " '" + request.pattern.text() + "'", request.nearest.name()});
        };
        collect("object", object_filters);
        collect("instance", instance_filters);
        collect("counter", counter_filters);
        for (const PathFilter& request : path_filters) {
            if (request.seen) continue;
            const std::string& nearest = !request.listed.empty() ? request.listed
                                         : request.object_known  ? request.counter.name()
                                                                 : request.object.name();
            all.push_back({"path '" + request.path.text + "'", nearest});
        }
        return all;
    }

    void add(std::size_t object, const std::vector<std::uint32_t>& rows, const std::vector<std::uint32_t>& columns) {
        auto& wanted = selection[object];
        // `rows` is empty only if the object has no instances. The columns of such an object are stored under
        // `no_index`.
        if (rows.empty()) merge(wanted[no_index], columns);
        for (const std::uint32_t row : rows) merge(wanted[row], columns);
    }

    /// Groups the rows for which the same columns are selected.
    void group(std::vector<Selected>& selected) {
        for (auto& [object, rows] : selection) {
            std::map<std::vector<std::uint32_t>, std::size_t, ListOrder> by_columns;  // places in `selected`
            for (auto& [row, columns] : rows) {
                const auto [found, is_new] = by_columns.try_emplace(columns, selected.size());
                if (is_new) selected.push_back({object, {}, std::move(columns)});
                if (row != no_index) selected[found->second].rows.push_back(row);
            }
        }
    }

    void apply_filters(const Sample& sample) {
        const auto wanted = [](std::vector<PatternFilter>& requests, const auto& matches) {
            bool any = requests.empty();
            for (PatternFilter& request : requests)
                if (matches(request.pattern)) any = request.seen = true;
            return any;
        };
        for (std::size_t i = 0; i < sample.objects().size(); ++i) {
            const Object& object = sample.objects()[i];
            if (!wanted(object_filters, [&](const Pattern& p) {
                    return object_matches(p, sample.source, object) || other_matches(p, other_name(object));
                }))
                continue;
            Selected one{i, {}, {}};
            if (instance_filters.empty()) all_of(object.instances.size(), one.rows);
            for (PatternFilter& request : instance_filters) {
                if (!is_listed_object(object)) continue;
                std::vector<std::uint32_t> rows;
                finders[i].find(request.instance, true, rows);
                request.seen = request.seen || !rows.empty();
                merge(one.rows, rows);
            }
            if (!instance_filters.empty() && one.rows.empty()) continue;
            for (std::uint32_t c = 0; c < object.columns.size(); ++c) {
                const Column& column = object.columns[c];
                if (wanted(counter_filters, [&](const Pattern& p) {
                        return counter_matches(p, sample.source, column) ||
                               other_matches(p, other_name(object, column));
                    }))
                    one.columns.push_back(c);
            }
            if (!counter_filters.empty() && one.columns.empty()) continue;
            add(i, one.rows, one.columns);
        }
    }

    enum class Language : std::uint8_t { local, english };

    /// Returns whether a pattern matches the name of an object or counter in a language. `local`: whether it matches
    /// the name that the sample has.
    bool matches(const Pattern& pattern, Language language, bool local, const std::optional<Titles::Answer>& name,
                 std::string_view other, std::optional<std::uint32_t> index, const Sample& sample) {
        if (language == Language::local || pattern.text() == "*" || (local && !other.empty())) return local;
        if (!other.empty()) return pattern.matches(other);
        if (!english) return local;
        english->find(name, index, sample.machine ? std::string_view(*sample.machine) : std::string_view(), names);
        return std::ranges::any_of(names, [&](std::string_view text) { return pattern.matches(text); });
    }
    bool matches(const Pattern& pattern, Language language, const Sample& sample, const Object& object) {
        return matches(pattern, language, object_matches(pattern, sample.source, object), object.name,
                       other_name(object), object_number(sample.source, object), sample);
    }
    bool matches(const Pattern& pattern, Language language, const Sample& sample, const Object& object,
                 const Column& column) {
        return matches(pattern, language, counter_matches(pattern, sample.source, column), column.name,
                       other_name(object, column), counter_number(sample.source, column), sample);
    }

    /// Selects what a path requests, by the names of the sample or by English names. Returns whether the path matched.
    bool select_path(PathFilter& request, const Sample& sample, Language language) {
        bool matched = false;
        if (request.machine && !request.machine->matches(sample.machine.value_or(""))) return matched;
        for (std::size_t i = 0; i < sample.objects().size(); ++i) {
            const std::uint64_t work = 1 + request.splits.size();  // names of objects to compare
            work_left -= std::min(work_left, work);
            if (work_left == 0) return matched;
            const Object& object = sample.objects()[i];
            Selected one{i, {}, {}};
            bool named = false;
            if (is_listed_object(object)) {
                for (const PathFilter::Split& split : request.splits) {
                    if (!one.rows.empty()) break;  // the first match is used
                    if (!matches(split.object, language, sample, object)) continue;
                    named = true;
                    finders[i].find(split.instance, false, one.rows);
                }
            } else if (matches(request.single, language, sample, object)) {
                all_of(object.instances.size(), one.rows);
            }
            if (one.rows.empty() && !named) continue;
            work_left -= std::min<std::uint64_t>(work_left, object.columns.size() + one.rows.size());
            for (std::uint32_t c = 0; c < object.columns.size(); ++c)
                if (matches(request.of_counter, language, sample, object, object.columns[c])) one.columns.push_back(c);
            // An object that currently has no instances exists all the same, so the path is not reported as unmatched.
            matched = matched || (named && object.instances.empty() && !one.columns.empty());
            if (one.rows.empty() || one.columns.empty()) continue;
            matched = true;
            add(i, one.rows, one.columns);
        }
        request.seen = request.seen || matched;
        return matched;
    }

    void offer_names(const Sample& sample);
    void offer(Nearest& nearest, const std::optional<Titles::Answer>& name) {
        if (!name || offers_left == 0) return;
        --offers_left;
        nearest.offer(name->text);
    }
    void offer_names(PathFilter& request, const Sample& sample, const Object& object) {
        --offers_left;
        if (!object_matches(request.without_instance, sample.source, object)) {
            if (object.name) request.object.offer(object.name->text);
            return;
        }
        request.object_known = true;
        if (is_listed_object(object) && !request.path.object.ends_with(')'))
            request.listed = object_label(sample.source, object) + "(*)";
        for (const Column& column : object.columns) offer(request.counter, column.name);
    }

    std::optional<EnglishNames> english;  // none: paths match only the names of the sample
    std::vector<std::string_view> names;  // kept for its memory
    std::uint64_t work_left = most_comparisons;
    bool gave_up = false;            // whether any sample needed more than `most_comparisons`
    std::vector<RowFinder> finders;  // of the objects of the current sample
    std::vector<PatternFilter> object_filters, instance_filters, counter_filters;
    std::vector<PathFilter> path_filters;
    // Limits of the search for names that are similar to an unmatched filter. `samples_left`: number of further samples
    // in which such names are looked for. `offers_left`: number of further names that are compared, in all samples
    // together.
    std::uint32_t samples_left = 8, offers_left = 100'000;
    // The selection from the current sample: object → row → columns.
    std::map<std::size_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> selection;
};

/// Compares the names in the sample with each path and each pattern for objects or counters that has matched nothing so
/// far. Keeps the most similar name for each of them, as a suggestion to the user (`Unmatched::nearest`).
void Filter::State::offer_names(const Sample& sample) {
    const auto is_open = [](const auto& requests) {
        return std::ranges::any_of(requests, [](const auto& request) { return !request.seen; });
    };
    const bool objects = is_open(object_filters), counters = is_open(counter_filters);
    if (samples_left == 0 || (!objects && !counters && !is_open(path_filters))) return;
    --samples_left;
    const auto offer_to = [this](std::vector<PatternFilter>& requests, const std::optional<Titles::Answer>& name) {
        for (PatternFilter& request : requests)
            if (!request.seen) offer(request.nearest, name);
    };
    for (const Object& object : sample.objects()) {
        if (objects) offer_to(object_filters, object.name);
        const auto is_object = [&](const PatternFilter& request) {
            return object_matches(request.pattern, sample.source, object);
        };
        if (counters && (object_filters.empty() || std::ranges::any_of(object_filters, is_object)))
            for (const Column& column : object.columns) offer_to(counter_filters, column.name);
        for (PathFilter& request : path_filters)
            if (!request.seen && offers_left != 0) offer_names(request, sample, object);
    }
}

Filter::Filter() : state_(std::make_unique<State>()) {}
Filter::Filter(const Filter& other) : state_(std::make_unique<State>(*other.state_)) {}
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(const Filter& other) {
    if (this != &other) state_ = std::make_unique<State>(*other.state_);
    return *this;
}
Filter& Filter::operator=(Filter&&) noexcept = default;
Filter::~Filter() = default;

void Filter::add_object(std::string_view pattern) { state_->object_filters.emplace_back(pattern); }

void Filter::add_instance(std::string_view pattern) { state_->instance_filters.emplace_back(pattern); }

void Filter::add_counter(std::string_view pattern) { state_->counter_filters.emplace_back(pattern); }

void Filter::add_path(CounterPath path) { state_->path_filters.emplace_back(std::move(path)); }

void Filter::use_english(const Titles& titles) { state_->english.emplace(titles); }

std::vector<std::string> Filter::matched_in_english() const {
    std::vector<std::string> paths;
    for (const auto& request : state_->path_filters)
        if (request.in_english) paths.push_back(request.path.text);
    return paths;
}

void Filter::select(const Sample& sample, std::vector<Selected>& selected) { state_->select(sample, selected); }

bool Filter::gave_up() const noexcept { return state_->gave_up; }

std::vector<Unmatched> Filter::unmatched() const { return state_->unmatched(); }

}  // namespace hkpd
