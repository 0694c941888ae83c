#include "abi/arrow_table.hpp"

#include <algorithm>
#include <utility>

#include "hkpd/counter_type.hpp"
#include "hkpd/identity.hpp"
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

void Validity::append(std::size_t count, bool valid) {
    for (; count != 0 && size_ % 8 != 0; --count) append(valid);
    bits_.insert(bits_.end(), count / 8, valid ? 0xFF : 0);
    size_ += count / 8 * 8;
    if (!valid) nulls_ += static_cast<std::int64_t>(count / 8 * 8);
    for (count %= 8; count != 0; --count) append(valid);
}

void Batch::reserve(std::size_t more) {
    const std::size_t needed = rows() + more;
    if (needed <= raw.capacity()) return;
    const std::size_t space = std::max(needed, 2 * raw.capacity());
    time.reserve(space);
    raw.reserve(space);
    value.reserve(space);
    for (auto& column : positions) column.reserve(space);
}

void Batch::clear() noexcept {
    time.clear();
    raw.clear();
    value.clear();
    for (auto& column : positions) column.clear();
    for (Validity* const validity : {&has_time, &has_machine, &has_raw, &has_value, &has_reason}) validity->clear();
    texts = {};
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

/// Finds the path of each instance of an object in the dictionary of instances: `parent/name#number`, without `#0`.
void TableBuilder::find_instances(const Sample& sample, const Object& object) {
    const hkpd::ObjectInstances& known = hkpd::RunInstances::of(sample)->instances(
        sample, static_cast<std::size_t>(&object - sample.objects().data()));
    instances_.clear();
    for (std::size_t row = 0; row < object.instances.size(); ++row) {
        text_.clear();
        append_place(text_, sample, object.instances[row], known.places[row]);
        instances_.push_back(dictionary(Key::instance).position(text_));
    }
}

void TableBuilder::add(Reader& reader) {
    // Dictionaries start anew if their names would be too much for a run: the names of a hostile input never end.
    for (Dictionary& dictionary : dictionaries_)
        if (batch_->rows() == 0 && dictionary.bytes() > Limits().names) dictionary.restart();
    const Sample& sample = reader.sample();
    const std::size_t before = rows();
    const auto time = unix_time(sample);
    const std::int32_t machine = sample.machine ? dictionary(Key::machine).position(*sample.machine) : 0;
    if (filter_ != nullptr) {
        filter_->select(sample, selected_);
    } else {
        selected_.resize(sample.objects().size());
        for (std::size_t i = 0; i < selected_.size(); ++i) selected_[i].object = i;
        std::size_t values = 0;
        for (const Object& object : sample.objects()) values += object.columns.size() * object.instances.size();
        batch_->reserve(values);
    }
    for (const Selected& part : selected_) {
        const Object& object = sample.objects()[part.object];
        find_instances(sample, object);
        const std::int32_t name = dictionary(Key::object).position(object_label(sample.source, object));
        const std::size_t columns = filter_ == nullptr ? object.columns.size() : part.columns.size();
        for (std::size_t i = 0; i < columns; ++i)
            add_rows(reader, object, object.columns[filter_ == nullptr ? i : part.columns[i]], name,
                     filter_ == nullptr ? nullptr : &part.rows);
    }
    const std::size_t added = rows() - before;
    batch_->time.resize(rows(), time.value_or(0));
    batch_->has_time.append(added, time.has_value());
    positions(Key::machine).resize(rows(), machine);
    batch_->has_machine.append(added, sample.machine.has_value());
}

/// Appends the values of a column: those of `rows`, or all if it is null.
void TableBuilder::add_rows(Reader& reader, const Object& object, const Column& column, std::int32_t name,
                            const std::vector<std::uint32_t>* rows) {
    const CookedColumn cooked = reader.cooked(object, column);
    const std::size_t count = rows == nullptr ? column.values.size() : rows->size();
    const bool integers = column.storage == Storage::number && column.type != perf_double_raw;
    if (rows == nullptr) {
        batch_->raw.insert(batch_->raw.end(), column.values.begin(), column.values.end());
        batch_->value.insert(batch_->value.end(), cooked.values.begin(), cooked.values.end());
        positions(Key::instance).insert(positions(Key::instance).end(), instances_.begin(), instances_.end());
    } else {
        for (const std::uint32_t row : *rows) {
            batch_->raw.push_back(column.values[row]);
            batch_->value.push_back(cooked.values[row]);
            positions(Key::instance).push_back(instances_[row]);
        }
    }
    const std::size_t total = batch_->rows();
    positions(Key::object).resize(total, name);
    positions(Key::counter)
        .resize(total, dictionary(Key::counter).position(counter_label(reader.sample().source, column)));
    positions(Key::type).resize(total, dictionary(Key::type).position(type_text(column.type)));
    const bool all_valid = std::ranges::all_of(cooked.reasons, [](Reason reason) { return reason == Reason::none; });
    if (column.status.empty() || !integers) {
        batch_->has_raw.append(count, integers);
    } else {
        for (std::size_t i = 0; i < count; ++i)
            batch_->has_raw.append(column.is_valid(rows == nullptr ? i : (*rows)[i]));
    }
    if (all_valid) {
        batch_->has_value.append(count, true);
        batch_->has_reason.append(count, false);
        positions(Key::reason).resize(total, 0);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const CookedValue one = cooked[rows == nullptr ? i : (*rows)[i]];
        batch_->has_value.append(one.has_value());
        batch_->has_reason.append(one.reason != Reason::none);
        const std::string_view reason = reason_name(one.reason);
        positions(Key::reason).push_back(reason.empty() ? 0 : dictionary(Key::reason).position(reason));
    }
}

std::shared_ptr<const Batch> TableBuilder::finish() {
    for (std::size_t key = 0; key < keys; ++key) batch_->texts[key] = dictionaries_[key].texts();
    auto next = pool_->take();
    return {std::exchange(batch_, std::move(next)).release(),
            [pool = pool_](Batch* batch) { pool->give_back(std::unique_ptr<Batch>(batch)); }};
}

}  // namespace hkpd::abi
