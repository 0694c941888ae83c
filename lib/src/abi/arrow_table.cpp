#include "abi/arrow_table.hpp"

#include <algorithm>
#include <utility>

#include "hkpd/counter_type.hpp"
#include "hkpd/identity.hpp"
#include "identity/instance_name.hpp"
#include "sample/display_name.hpp"

namespace hkpd::abi {

std::int32_t Dictionary::position(std::string_view text) {
    if (expected_ < positions_.size() && this->text(expected_) == text) return static_cast<std::int32_t>(expected_++);
    if (const auto found = positions_.find(text); found != positions_.end()) {
        expected_ = static_cast<std::size_t>(found->second) + 1;
        return found->second;
    }
    const auto position = static_cast<std::int32_t>(positions_.size());
    positions_.emplace(text, position);
    texts_.bytes += text;
    texts_.offsets.push_back(static_cast<std::int32_t>(texts_.bytes.size()));
    shared_.reset();
    expected_ = positions_.size();
    return position;
}

std::shared_ptr<const Texts> Dictionary::texts() {
    if (!shared_) shared_ = std::make_shared<const Texts>(texts_);
    return shared_;
}

void Dictionary::restart() {
    texts_ = {};
    positions_.clear();
    shared_.reset();
    expected_ = 0;
}

/// Writes the bits of the rows so far, which all have a value.
void Validity::write() {
    bits_.assign(size_ / 8, 0xFF);
    if (size_ % 8 != 0) bits_.push_back(static_cast<std::uint8_t>((1U << size_ % 8) - 1));
}

void Validity::append_bits(std::size_t count, bool valid) {
    if (count == 0) return;
    if (nulls_ == 0) write();
    if (!valid) nulls_ += count;
    const std::size_t begin = size_;
    size_ += count;
    bits_.resize((size_ + 7) / 8);
    if (!valid) return;
    std::size_t row = begin;
    for (; row < size_ && row % 8 != 0; ++row)
        bits_[row / 8] = static_cast<std::uint8_t>(bits_[row / 8] | 1U << row % 8);
    for (; row + 8 <= size_; row += 8) bits_[row / 8] = 0xFF;
    if (row < size_) bits_[row / 8] = static_cast<std::uint8_t>((1U << size_ % 8) - 1);
}

void Validity::append(const Validity& other) {
    if (other.nulls_ == 0) return append(other.size_, true);
    if (nulls_ == 0) write();
    const unsigned shift = size_ % 8;
    if (shift == 0) {
        bits_.insert(bits_.end(), other.bits_.begin(), other.bits_.end());
    } else {
        for (const std::uint8_t byte : other.bits_) {
            bits_.back() = static_cast<std::uint8_t>(bits_.back() | byte << shift);
            bits_.push_back(static_cast<std::uint8_t>(byte >> (8 - shift)));
        }
    }
    size_ += other.size_;
    nulls_ += other.nulls_;
    bits_.resize((size_ + 7) / 8);
}

/// Writes the rows so far.
void Words::write(std::size_t rows) {
    written_ = true;
    values_.reserve(std::max(rows_, space_));
    append_copies(values_, rows, usual_.value_or(0));
    validity_.append(rows, usual_.has_value());
}

void Words::append(const Words& other, std::size_t times) {
    if (!other.written_) return append(times * other.rows_, usual_);
    if (times == 0) return;
    if (!written_) write(rows_);
    rows_ += times * other.rows_;
    if (other.rows_ == 1) {
        append_copies(values_, times, other.values_.front());
        return validity_.append(times, other.validity_.nulls() == 0);
    }
    for (std::size_t i = 0; i < times; ++i) {
        values_.insert(values_.end(), other.values_.begin(), other.values_.end());
        validity_.append(other.validity_);
    }
}

void Batch::reserve(std::size_t more) {
    const std::size_t needed = rows() + more;
    if (needed <= raw.capacity()) return;
    const std::size_t space = std::max(needed, 2 * raw.capacity());
    time.reserve(space);
    raw.reserve(space);
    value.reserve(space);
    for (Words& column : columns.words) column.reserve(space);
}

void Batch::clear() noexcept {
    time.clear();
    raw.clear();
    value.clear();
    for (Words& column : columns.words) column.clear();
    for (Validity* const validity : {&has_time, &has_raw, &has_value}) validity->clear();
    texts = {};
    zeros.reset();
    ones.reset();
}

std::unique_ptr<Batch> BatchPool::take() {
    {
        const std::scoped_lock lock(mutex_);
        if (spare_) return std::move(spare_);
    }
    return std::make_unique<Batch>();
}

void BatchPool::give_back(std::unique_ptr<Batch> batch) noexcept {
    batch->clear();
    const std::scoped_lock lock(mutex_);
    spare_ = std::move(batch);
}

/// Fills `instances_` with those of an object: the instances of `rows`, or all if it is null.
void TableBuilder::find_instances(const Sample& sample, std::size_t object, const std::vector<std::uint32_t>* rows) {
    RunInstances& run = *RunInstances::of(sample);
    const ObjectInstances& known = run.instances(sample, object);
    const std::vector<Instance>& instances = sample.objects()[object].instances;
    for (Words& column : instances_.words) column.clear();
    const Instance* previous = nullptr;
    // The parent, which consecutive instances often share: whether it has a name, and the position of that.
    bool has_parent = false;
    std::uint32_t parent = 0;
    std::optional<std::string_view> parent_name;  // `?` if it is damaged
    const std::size_t count = rows == nullptr ? instances.size() : rows->size();
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = rows == nullptr ? i : (*rows)[i];
        const Instance& instance = instances[row];
        const std::optional<Identity> identity = run.named(known.numbers[row]);
        if (previous == nullptr || !have_same_parent(*previous, instance)) {
            has_parent = false;
            parent_name.reset();
            if (const auto found = sample.parent(instance)) {
                const Instance& owner = sample.objects()[found->object].instances[found->instance];
                parent_name = shown_name(owner);
                has_parent = owner.name.has_value();
                // The run's spelling, because names are equal regardless of case.
                if (has_parent)
                    parent = position(Key::parent, identity && identity->parent ? *identity->parent : *parent_name);
            }
        }
        previous = &instance;
        instances_[Key::parent].append(1, has_parent ? std::optional(parent) : std::nullopt);
        std::optional<std::uint32_t> name, place;
        if (instance.name) {
            const auto position_of = [this](Key key, const std::optional<std::string_view>& of, std::string_view own,
                                            std::uint32_t number) {
                if (!of && number == 0) return position(key, own);
                text_.clear();
                append_place(text_, of, own, number);
                return position(key, text_);
            };
            name = position_of(Key::instance, std::nullopt, identity ? identity->name : *instance.name,
                               identity ? identity->place : 0);
            place = position_of(Key::pdh_instance, parent_name, *instance.name, known.places[row]);
        }
        instances_[Key::instance].append(1, name);
        instances_[Key::pdh_instance].append(1, place);
        instances_[Key::pid].append(1, identity ? identity->pid : std::nullopt);
        std::optional<std::uint32_t> id;
        if (identity && identity->instance_id) id = static_cast<std::uint32_t>(*identity->instance_id);
        instances_[Key::instance_id].append(1, id);
        instances_[Key::life].append(1, identity ? std::optional(identity->life) : std::nullopt);
    }
}

void TableBuilder::add(Reader& reader) {
    if (!batch_) batch_ = pool_->take();
    // Dictionaries start anew if their names would be too much for a run: the names of a hostile input never end.
    for (Dictionary& dictionary : dictionaries_)
        if (batch_->rows() == 0 && dictionary.bytes() > Limits().names) dictionary.restart();
    const Sample& sample = reader.sample();
    const std::size_t before = rows();
    const auto time = unix_time(sample);
    std::optional<std::uint32_t> machine;
    if (sample.machine) machine = position(Key::machine, *sample.machine);
    if (filter_ != nullptr) {
        filter_->select(sample, selected_);
        for (const Selected& part : selected_) add_object(reader, part.object, &part);
    } else {
        std::size_t values = 0;
        for (const Object& object : sample.objects()) values += object.columns.size() * object.instances.size();
        batch_->reserve(values);
        for (std::size_t object = 0; object < sample.objects().size(); ++object) add_object(reader, object, nullptr);
    }
    const std::size_t added = rows() - before;
    append_copies(batch_->time, added, time.value_or(0));
    batch_->has_time.append(added, time.has_value());
    batch_->columns[Key::machine].append(added, machine);
}

/// Appends the values of an object: those that are selected, or all if `selected` is null.
void TableBuilder::add_object(Reader& reader, std::size_t position_of, const Selected* selected) {
    const Sample& sample = reader.sample();
    const Object& object = sample.objects()[position_of];
    const std::vector<std::uint32_t>* const rows = selected == nullptr ? nullptr : &selected->rows;
    const std::size_t columns = selected == nullptr ? object.columns.size() : selected->columns.size();
    const std::size_t instances = rows == nullptr ? object.instances.size() : rows->size();
    for (std::size_t i = 0; i < columns; ++i) {
        const Column& column = object.columns[selected == nullptr ? i : selected->columns[i]];
        add_column(reader.cooked(object, column), column, rows);
        KeyColumns& to = batch_->columns;
        to[Key::counter].append(instances, column.name ? position(Key::counter, column.name->text)
                                                       : position(Key::counter, counter_label(sample.source, column)));
        to[Key::type].append(instances, position(Key::type, type_text(column.type)));
    }
    batch_->columns[Key::object].append(columns * instances,
                                        position(Key::object, object_label(sample.source, object)));
    find_instances(sample, position_of, rows);
    for (const Key key : {Key::parent, Key::instance, Key::pid, Key::instance_id, Key::life, Key::pdh_instance})
        batch_->columns[key].append(instances_[key], columns);
}

/// Appends the values of a column and their reasons: those of `rows`, or all if it is null.
void TableBuilder::add_column(const CookedColumn& cooked, const Column& column,
                              const std::vector<std::uint32_t>* rows) {
    const std::size_t count = rows == nullptr ? column.values.size() : rows->size();
    const bool integers = column.storage == Storage::number && column.type != perf_double_raw;
    if (rows == nullptr) {
        batch_->raw.insert(batch_->raw.end(), column.values.begin(), column.values.end());
        batch_->value.insert(batch_->value.end(), cooked.values.begin(), cooked.values.end());
    } else {
        for (const std::uint32_t row : *rows) {
            batch_->raw.push_back(column.values[row]);
            batch_->value.push_back(cooked.values[row]);
        }
    }
    if (column.status.empty() || !integers) {
        batch_->has_raw.append(count, integers);
    } else {
        for (std::size_t i = 0; i < count; ++i)
            batch_->has_raw.append(1, column.is_valid(rows == nullptr ? i : (*rows)[i]));
    }
    if (std::ranges::all_of(cooked.reasons, [](Reason reason) { return reason == Reason::none; })) {
        batch_->has_value.append(count, true);
        batch_->columns[Key::reason].append(count, std::nullopt);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const CookedValue one = cooked[rows == nullptr ? i : (*rows)[i]];
        batch_->has_value.append(1, one.has_value());
        const std::string_view reason = reason_name(one.reason);
        batch_->columns[Key::reason].append(
            1, reason.empty() ? std::nullopt : std::optional(position(Key::reason, reason)));
    }
}

std::shared_ptr<const Batch> TableBuilder::finish() {
    const auto provide = [this](auto& words, std::uint32_t value) {
        if (!words || words->size() < rows())
            words = std::make_shared<const std::vector<std::uint32_t>>(batch_->raw.capacity(), value);
        return words;
    };
    batch_->zeros = provide(zeros_, 0);
    batch_->ones = provide(ones_, 1);
    for (std::size_t key = 0; key < keys; ++key) batch_->texts[key] = dictionaries_[key].texts();
    return {batch_.release(), [pool = pool_](Batch* batch) { pool->give_back(std::unique_ptr<Batch>(batch)); }};
}

}  // namespace hkpd::abi
