#include "statistics/series_table.hpp"

#include <algorithm>
#include <string_view>

#include "base/text/names.hpp"
#include "identity/instance_name.hpp"
#include "identity/twins.hpp"
#include "sample/display_name.hpp"

namespace hkpd {

void SeriesTable::begin(const Sample& sample, std::size_t position) {
    if (run_ == nullptr) {
        run_ = RunInstances::of(sample);
        run_->keep();
    }
    repeats_.count(std::span<const Column>(sample.objects()[position].columns));
    object_ = run_->object_number(sample, position);
    group_ = groups_.try_emplace(object_, static_cast<std::uint32_t>(groups_.size())).first->second;
    if (of_ == SeriesOf::places) {
        numbers_ = &run_places_.numbers(sample, position);
        return;
    }
    numbers_ = &run_->instances(sample, position).numbers;
    if (of_ == SeriesOf::identities) return;
    name_of_rows_.clear();
    for (const std::uint32_t identity : *numbers_)
        name_of_rows_.push_back(identity == no_index ? no_index : name_number(identity));
    numbers_ = &name_of_rows_;
}

/// Sets the English names of a counter, where they are not those of the sample.
static void set_english(RunCounter& counter, const Object& object, const Column& column) {
    const std::string_view of_object = english_name(object), of_counter = english_name(object, column);
    if (object.name && of_object != object.name->text) counter.english_object = of_object;
    if (column.name && of_counter != column.name->text) counter.english_name = of_counter;
}

/// Returns the number of a counter. Counters with the same title are distinguished by their order. A counter whose type
/// changes counts as a new counter, but not in a text log, which has no types.
std::uint32_t SeriesTable::counter_number(const Sample& sample, const Object& object, std::uint32_t position,
                                          std::uint32_t repeat) {
    const Column& column = object.columns[position];
    const std::uint32_t type = of_ == SeriesOf::places ? 0 : column.type;
    const std::tuple key(group_, column.title_index, repeat, type);
    const SampleSource source = sample.source;
    auto found = counter_numbers_.find(key);
    if (found == counter_numbers_.end()) {
        if (counters_.size() >= most_ || counters_.size() >= no_index) {
            overflowed_ = true;
            return no_index;
        }
        found = counter_numbers_.emplace(key, static_cast<std::uint32_t>(counters_.size())).first;
        counters_.push_back(std::make_shared<RunCounter>(RunCounter{.source = source,
                                                                    .machine = sample.machine.value_or(""),
                                                                    .object = object_label(source, object),
                                                                    .name = counter_label(source, column),
                                                                    .group = group_,
                                                                    .object_number = object.title_index,
                                                                    .number = column.title_index,
                                                                    .position = position,
                                                                    .counterset = counterset_text(object),
                                                                    .type = column.type,
                                                                    .attributes = column.attributes,
                                                                    .scale = column.scale,
                                                                    .of_list = object.kind == Kind::multi,
                                                                    .has_object_name = object.name.has_value(),
                                                                    .has_name = column.name.has_value(),
                                                                    .object_index = object_number(source, object),
                                                                    .index = hkpd::counter_number(source, column)}));
        set_english(*counters_.back(), object, column);
        return found->second;
    }
    RunCounter& known = *counters_[found->second];
    if (!known.has_object_name && object.name) {
        known.object = object.name->text;
        known.has_object_name = true;
    }
    if (!known.has_name && column.name) {
        known.name = column.name->text;
        known.has_name = true;
    }
    return found->second;
}

std::uint32_t SeriesTable::name_number(std::uint32_t identity) {
    if (names_of_.size() <= identity) names_of_.resize(identity + std::size_t{1}, no_index);
    std::uint32_t& known = names_of_[identity];
    if (known != no_index) return known;
    const Identity named = (*run_)[identity];
    std::string key = std::to_string(object_);
    for (const std::string_view part :
         {without_pid(named.parent.value_or(""), named.pid), run_->original_name(identity)})
        (key += '\0') += fold_case(part);
    const auto [found, is_new] = name_numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(names_.size()));
    if (is_new)
        names_.push_back({identity});
    else
        names_[found->second].several = true;
    return known = found->second;
}

/// Sets `found_` to the places of the series of a counter, which are added if they are new. A sample has mostly the
/// instances of the one before in the same order, and a search takes longer.
void SeriesTable::find_column(std::uint32_t counter, std::span<const std::uint32_t> rows) {
    constexpr std::size_t farthest = 64;
    if (counter != no_index && columns_.size() <= counter) columns_.resize(counter + std::size_t{1});
    std::vector<std::uint32_t> none_before;
    std::vector<std::uint32_t>& before = counter == no_index ? none_before : columns_[counter];
    std::size_t next = 0;  // in `before`
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint32_t instance = (*numbers_)[rows[i]];
        if (next < before.size() && before[next] != no_index &&
            series_[before[next]] == KeyIndex::Key(counter, instance)) {
            found_[i] = before[next++];
            continue;
        }
        found_[i] = search(counter, instance);
        // Those between have ended.
        const std::span near = std::span(before).subspan(std::min(next, before.size()));
        const auto same = std::ranges::find(near.first(std::min(near.size(), farthest)), found_[i]);
        if (same - near.begin() < static_cast<std::ptrdiff_t>(std::min(near.size(), farthest)))
            next += static_cast<std::size_t>(same - near.begin()) + 1;
    }
    before.resize(found_.size());
    std::ranges::transform(found_, before.begin(), [](std::size_t place) {
        return place == none ? no_index : static_cast<std::uint32_t>(place);
    });
}

std::size_t SeriesTable::search(std::uint32_t counter, std::uint32_t instance) {
    if (counter == no_index || instance == no_index) return none;
    const KeyIndex::Key key(counter, instance);
    if (const std::uint32_t found = places_.find(series_, key); found != no_index) return found;
    if (series_.size() >= most_ || series_.size() >= no_index) {
        ++left_out_;
        overflowed_ = true;
        return none;
    }
    series_.push_back(key);
    places_.add_last(series_);
    return series_.size() - 1;
}

Identity SeriesTable::identity(std::uint32_t instance) const {
    if (of_ != SeriesOf::names) return (*run_)[instance];
    Identity first = (*run_)[names_[instance].identity];
    first.name = run_->original_name(names_[instance].identity);
    if (first.parent) first.parent = without_pid(*first.parent, first.pid);
    if (names_[instance].several) {
        first.pid.reset();
        first.instance_id.reset();
        first.place = 0;
        first.life = 1;
    }
    return first;
}

std::string SeriesTable::display(std::uint32_t instance) const {
    if (of_ == SeriesOf::places) return std::string(run_places_.text(instance));
    if (of_ == SeriesOf::identities) return run_->display(instance);
    const Identity named = identity(instance);
    std::string text;
    append_place(text, named.parent, named.name, 0);
    if (names_[instance].several) append_all_places(text);
    return text;
}

std::string SeriesTable::display_with_pid(std::uint32_t instance) const { return run_->display_with_pid(instance); }

bool SeriesTable::is_shared(std::uint32_t instance) const noexcept {
    if (of_ == SeriesOf::places) return run_places_.is_shared(instance);
    return of_ == SeriesOf::names && names_[instance].several;
}

void SeriesTable::clear() {
    series_.clear();
    places_.clear();
    columns_.clear();
    left_out_ = 0;
}

void SeriesTable::restart() {
    run_places_.restart();
    run_ = nullptr;
    groups_.clear();
}

}  // namespace hkpd
