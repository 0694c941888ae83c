// Reads a result of a V2 block and its instances.
#include <algorithm>

#include "hkpd/v2.hpp"
#include "v2/decode.hpp"

namespace hkpd::v2 {
namespace {

constexpr std::string_view ids_structure = "PERF_MULTI_COUNTERS";
constexpr std::string_view instance_structure = "PERF_INSTANCE_HEADER";
constexpr std::string_view value_structure = "PERF_COUNTER_DATA";

constexpr std::uint64_t least_value = counter_data_size + 8;

constexpr std::uint64_t aligned(std::uint64_t size) noexcept { return (size + 7) / 8 * 8; }

/// Returns the offset at which the values that begin at `at` end. `values`: their number; `body`: the bytes of a result
/// after its headers. Returns none if a length is too small or leads beyond the end of `body`.
std::optional<std::uint64_t> values_end(Bytes body, std::uint64_t at, std::uint32_t values) noexcept {
    for (; values != 0; --values) {
        if (!body.contains(at, counter_data_size)) return std::nullopt;
        const std::uint32_t size = u32_at(body, at + 4);
        if (size < counter_data_size || !body.contains(at, size)) return std::nullopt;
        at += size;
    }
    return at;
}

/// Returns the offset at which the instance that begins at `at` ends. `values`: number of its values; `body`: the bytes
/// of a result after its headers. Returns none if a length is too small or leads beyond the end of `body`.
std::optional<std::uint64_t> instance_end(Bytes body, std::uint64_t at, std::uint32_t values) noexcept {
    if (!body.contains(at, instance_header_size)) return std::nullopt;
    const std::uint32_t size = u32_at(body, at);
    if (size < instance_header_size || !body.contains(at, size)) return std::nullopt;
    return values_end(body, at + size, values);
}

/// Returns the number of instances from `at` on if they fill the rest of the body exactly; otherwise 0.
std::uint32_t instances_from(Bytes body, std::uint64_t at, std::uint32_t values) noexcept {
    std::uint32_t count = 0;
    for (; at < body.size(); ++count) {
        const auto end = instance_end(body, at, values);
        if (!end) return 0;
        at = *end;
    }
    return count;
}

}  // namespace

std::expected<void, Error> Result::open(const ResultEntry& entry, std::uint32_t object, const FaultSink& faults) {
    ids_.clear();
    type_ = static_cast<ResultType>(entry.header.dwType);
    status_ = entry.header.dwStatus;
    object_ = object;
    values_per_instance_ = listed_ = expected_ = list_size_ = 0;
    list_at_ = 0;
    cut_ = entry.bytes.size() < entry.header.dwSize;
    body_ = entry.bytes.from(counter_header_size);
    switch (type_) {
        case ResultType::error:
            report_lost(entry, faults);
            return {};
        case ResultType::single_counter:
        case ResultType::multiple_instances:
            values_per_instance_ = 1;
            break;
        case ResultType::multiple_counters:
        case ResultType::counterset:
            if (auto read = read_ids(body_, faults); !read) return read;
            break;
        default:
            type_ = ResultType::error;
            return std::unexpected(
                Error{Errc::result_type, entry.bytes.offset() + 4, result_structure, "dwType", 0, entry.header.dwType});
    }
    if (has_instances()) return read_list();
    listed_ = expected_ = 1;
    return {};
}

/// Reports the faults of a result of type `error`. If the status of the result is success, or if the result contains
/// data, the type must be wrong: the values of the result are lost, and the type is reported. Otherwise, reports only
/// the bytes after the header, if there are any.
void Result::report_lost(const ResultEntry& entry, const FaultSink& faults) const {
    // Fewer than 8 bytes are padding.
    if (status_ == 0 || (body_.size() >= 8 && !v1::is_zero(body_)))
        faults.add({Errc::result_type, entry.bytes.offset() + 4, result_structure, "dwType", 0, 0}, object_);
    else
        report_rest(body_, result_structure, faults, object_);
}

/// Reads PERF_MULTI_COUNTERS, and sets the body to the bytes after it. Corrects dwSize if no list of instances or
/// values can begin at the end that dwSize states, but one can begin right after the ids.
std::expected<void, Error> Result::read_ids(Bytes bytes, const FaultSink& faults) {
    if (bytes.size() < multi_counters_size) return too_short(bytes, ids_structure, multi_counters_size);
    const auto wire = wire_at<layout::PERF_MULTI_COUNTERS>(bytes.data());
    const std::uint64_t size = wire.dwSize.value(), count = wire.dwCounters.value();
    const std::uint64_t expected = multi_counters_size + count * 4;
    const auto wrong_size = [&](std::uint64_t rule, std::uint64_t found) {
        return Error{Errc::counter_ids, bytes.offset(), ids_structure, "dwSize", rule, found};
    };
    values_per_instance_ = static_cast<std::uint32_t>(count);
    const auto leads_on = [&](std::uint64_t end) {
        return end >= expected && end <= bytes.size() && follows_ids(bytes.from(end));
    };
    const bool usual = size == expected || size == aligned(expected);
    const bool corrected = !usual && !leads_on(size) && leads_on(aligned(expected));
    if (corrected)
        faults.add({Errc::length_corrected, bytes.offset(), ids_structure, "dwSize", aligned(expected), size}, object_);
    else if (size < multi_counters_size)
        return std::unexpected(wrong_size(expected, size));
    else if (size > bytes.size())
        return std::unexpected(wrong_size(bytes.size(), size));
    else if (expected > size)
        return std::unexpected(
            Error{Errc::counter_ids, bytes.offset() + 4, ids_structure, "dwCounters", size, expected});
    const std::uint64_t end = corrected ? aligned(expected) : size;
    for (std::uint64_t at = multi_counters_size; at < expected; at += 4) ids_.push_back(u32_at(bytes, at));
    body_ = bytes.from(end);
    if (end % 8 != 0) {
        faults.add(Severity::warning, {Errc::length_uneven, bytes.offset(), ids_structure, "dwSize", 0, size}, object_);
        // Some lengths do not include the padding after an odd number of ids.
        if (!leads_on(end) && leads_on(aligned(end))) body_ = bytes.from(aligned(end));
    }
    report_rest(bytes.slice(expected, end - expected), ids_structure, faults, object_);
    return {};
}

/// Returns whether `bytes` can follow the ids: it is exactly a list of instances, or it is the values of one instance,
/// followed by at most 7 bytes of padding.
bool Result::follows_ids(Bytes bytes) const noexcept {
    if (!bytes.contains(0, counter_data_size)) return values_per_instance_ == 0 && !has_instances();
    if (has_instances()) return u32_at(bytes, 0) == bytes.size();
    const auto end = values_end(bytes, 0, values_per_instance_);
    return end && bytes.size() - *end < 8;
}

/// Reads PERF_MULTI_INSTANCES, and sets the body to all bytes of the result after it. The body does not end where
/// dwTotalSize states, so that a wrong dwTotalSize costs no instances.
std::expected<void, Error> Result::read_list() {
    if (body_.size() < multi_instances_size) return too_short(body_, list_structure, multi_instances_size);
    const auto wire = wire_at<layout::PERF_MULTI_INSTANCES>(body_.data());
    list_at_ = body_.offset();
    list_size_ = wire.dwTotalSize.value();
    listed_ = wire.dwInstances.value();
    body_ = body_.from(multi_instances_size);
    const std::uint64_t least = instance_header_size + std::uint64_t{values_per_instance_} * counter_data_size;
    expected_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(listed_, body_.size() / least));
    return {};
}

InstanceReader::InstanceReader(const Result& result, std::uint64_t& values_left, std::vector<Value>& values,
                               const FaultSink& faults) noexcept
    : result_(result),
      values_left_(values_left),
      values_(values),
      faults_(faults),
      listed_(result.listed_),
      ended_(result.type_ == ResultType::error) {}

bool InstanceReader::next(Instance& instance) {
    if (ended_) return false;
    const bool list = result_.has_instances();
    if (ordinal_ == listed_ && !more_than_listed()) return end_of_list();
    if (list && !is_valid_header()) return false;
    const std::uint32_t values = result_.values_per_instance_;
    if (values_left_ < values) {
        fault(Severity::error, Errc::value_limit, at_, list ? instance_structure : value_structure, "", values,
              values_left_);
        ended_ = true;
        return false;
    }
    values_left_ -= values;
    instance.name = EncodedText{};
    instance.InstanceId = any_instance;
    instance.offset = result_.body_.offset() + at_;
    instance.ordinal = ordinal_;
    suspect_.reset();
    if (list) read_header(instance);
    values_.assign(values, Value{{}, true});
    ended_ = !std::ranges::all_of(values_, [this](Value& value) { return read_value(value); });
    if (suspect_ && (ended_ || !continues())) drop_shifted();
    instance.values = values_;
    ++ordinal_;
    return true;
}

/// Stores a length that is too long by 8 bytes or more, if it is the first such length of the instance. The excess
/// bytes are either padding or the next value. `first`: position of the first value after this length.
void InstanceReader::suspect(Errc code, std::uint64_t at, std::uint64_t expected, std::uint64_t found,
                             std::size_t first) {
    if (!suspect_ && found >= expected + 8) suspect_ = Suspect{code, at, expected, found, first};
}

/// Returns whether the instance that was just read is followed by the next instance, or by the end of the result if no
/// instance must follow. Always true if the result is truncated.
bool InstanceReader::continues() const noexcept {
    const Bytes body = result_.body_;
    const bool last = !result_.has_instances() || ordinal_ + 1 >= listed_;
    // Fewer than 8 bytes are padding.
    if (last && (body.size() - at_ < 8 || at_ + multi_instances_size == result_.list_size_)) return true;
    return result_.cut_ ||
           (result_.has_instances() && instance_end(body, at_, result_.values_per_instance_).has_value());
}

/// Reports the suspect length and marks the values after it as damaged, because each of them was read from the bytes of
/// another value. Does nothing if there is no suspect length, or no value after it.
void InstanceReader::drop_shifted() {
    if (!suspect_ || suspect_->first >= values_.size()) return;
    const Suspect& suspect = *suspect_;
    const bool header = suspect.code == Errc::instance_length;
    fault(Severity::error, suspect.code, suspect.at, header ? instance_structure : value_structure,
          header ? "Size" : "dwSize", suspect.expected, suspect.found);
    for (std::size_t i = suspect.first; i < values_.size(); ++i) values_[i] = Value{{}, true};
    ended_ = true;  // the next instance begins at an unknown offset
}

/// Returns whether the PERF_INSTANCE_HEADER at `at_` has a possible length and lies inside the body. If not, reports a
/// fault and ends the list.
bool InstanceReader::is_valid_header() {
    const std::uint64_t space = result_.body_.size() - at_;
    ended_ = true;
    if (space < instance_header_size) {
        faults_.add(Severity::error,
                    {Errc::instance_count, result_.list_at_ + 4, list_structure, "dwInstances", ordinal_, listed_},
                    result_.object_);
        return false;
    }
    const std::uint32_t size = u32_at(result_.body_, at_);
    if (size < instance_header_size || size > space) {
        const bool low = size < instance_header_size;
        fault(Severity::error, Errc::instance_length, at_, instance_structure, "Size",
              low ? instance_header_size : space, size);
        return false;
    }
    ended_ = false;
    return true;
}

/// Reads the header at `at_`, which is valid, and advances to the values after it.
void InstanceReader::read_header(Instance& instance) {
    const auto wire = wire_at<layout::PERF_INSTANCE_HEADER>(result_.body_.at(at_));
    const std::uint32_t size = wire.Size.value();
    instance.InstanceId = wire.InstanceId.value();
    const std::uint64_t name_at = at_ + instance_header_size;
    const auto [text, terminated] = characters(result_.body_.slice(name_at, size - instance_header_size));
    if (size % 8 != 0) fault(Severity::warning, Errc::length_uneven, at_, instance_structure, "Size", 0, size);
    if (text.bytes.size() > longest_name_text) {
        instance.name.reset();
        fault(Severity::error, Errc::instance_name, name_at, instance_structure, "", longest_name_text,
              text.bytes.size());
    } else {
        instance.name = text;
        if (!terminated) fault(Severity::warning, Errc::string_unterminated, name_at, instance_structure, "", 0, 0);
    }
    suspect(Errc::instance_length, at_, aligned(instance_header_size + text.bytes.size() + 2), size, 0);
    at_ += size;
}

/// Reads the PERF_COUNTER_DATA at `at_` and advances past it. Returns false if its length is impossible, so that the
/// next value cannot be found. In either case, stores the value in `value` if it can be read.
bool InstanceReader::read_value(Value& value) {
    const Bytes body = result_.body_;
    const std::uint64_t space = body.size() - at_;
    if (space < counter_data_size) {
        fault(Severity::error, Errc::value_length, at_, value_structure, "", counter_data_size, space);
        return false;
    }
    const auto wire = wire_at<layout::PERF_COUNTER_DATA>(body.at(at_));
    const std::uint64_t data_size = wire.dwDataSize.value(), size = wire.dwSize.value();
    const std::uint64_t value_at = at_ + counter_data_size;
    const bool low = size < counter_data_size || (size < least_value && data_size > size - counter_data_size);
    if (low || size > space) {
        fault(Severity::error, Errc::value_length, at_ + 4, value_structure, "dwSize", low ? least_value : space, size);
        // Despite a truncation or a wrong length, the number itself can be intact.
        if (!low && is_number_size(data_size) && body.contains(value_at, data_size))
            value = {body.slice(value_at, data_size), false};
        return false;
    }
    const std::uint64_t most = size - counter_data_size;
    const bool inside = data_size <= most;
    if (inside) value = {body.slice(value_at, data_size), false};
    if (!inside || !is_number_size(data_size))
        fault(Severity::error, Errc::value_size, at_, value_structure, "dwDataSize", inside ? 8 : most, data_size);
    else
        report_rest(body.slice(value_at + data_size, most - data_size), value_structure, faults_, result_.object_);
    if (size % 8 != 0) fault(Severity::warning, Errc::length_uneven, at_ + 4, value_structure, "dwSize", 0, size);
    suspect(Errc::value_length, at_ + 4, std::max(least_value, counter_data_size + aligned(data_size)), size,
            static_cast<std::size_t>(&value - values_.data()) + 1);
    at_ += size;
    return true;
}

/// Returns whether more instances follow than dwInstances states, and end exactly where the result ends. If so, reports
/// this and counts them as listed.
bool InstanceReader::more_than_listed() {
    if (!result_.has_instances() || result_.cut_) return false;
    const std::uint32_t more = instances_from(result_.body_, at_, result_.values_per_instance_);
    if (more == 0) return false;
    faults_.add(Severity::warning,
                {Errc::instance_count, result_.list_at_ + 4, list_structure, "dwInstances", listed_ + more, listed_},
                result_.object_);
    listed_ += more;
    return true;
}

bool InstanceReader::end_of_list() {
    ended_ = true;
    if (result_.cut_) return false;
    const bool list = result_.has_instances();
    const std::uint64_t size = result_.body_.size();
    const std::uint64_t expected = at_ + multi_instances_size, found = result_.list_size_;
    // If dwTotalSize agrees with the result's length, the bytes after the list are at fault, not dwTotalSize.
    if (list && found != expected && found != size + multi_instances_size)
        faults_.add(Severity::warning,
                    {Errc::result_length, result_.list_at_, list_structure, "dwTotalSize", expected, found},
                    result_.object_);
    report_rest(result_.body_.from(at_), result_structure, faults_, result_.object_);
    return false;
}

void InstanceReader::fault(Severity severity, Errc code, std::uint64_t at, std::string_view structure,
                           std::string_view field, std::uint64_t expected, std::uint64_t found) {
    faults_.add(severity, {code, result_.body_.offset() + at, structure, field, expected, found}, result_.object_,
                result_.has_instances() ? ordinal_ : no_index);
}

std::optional<std::uint64_t> number_of(const Value& value) noexcept {
    if (value.damaged || !is_number_size(value.bytes.size())) return std::nullopt;
    return load_number(value.bytes.data(), value.bytes.size(), ByteOrder::little);
}

}  // namespace hkpd::v2
