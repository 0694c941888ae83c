#include <algorithm>

#include "base/text/encoding.hpp"
#include "hkpd/v1.hpp"
#include "v1/decode.hpp"
#include "v1/instance_list.hpp"
#include "v1/object_chain.hpp"

namespace hkpd::v1 {
namespace {

constexpr std::string_view instance_structure = "PERF_INSTANCE_DEFINITION";
constexpr std::string_view block_structure = "PERF_COUNTER_BLOCK";

}  // namespace

std::optional<EncodedText> instance_name(const Bytes& definition, const InstanceDefinition& fields,
                                         std::uint32_t code_page, ByteOrder order) noexcept {
    if (fields.NameLength == 0) return EncodedText{{}, code_page, order};
    if (fields.NameOffset < instance_definition_size || !definition.contains(fields.NameOffset, fields.NameLength))
        return std::nullopt;
    if (fields.NameLength > longest_name_field) return std::nullopt;
    return name_text(definition.slice(fields.NameOffset, fields.NameLength), code_page, order);
}

InstanceDefinition Instance::definition() const noexcept {
    if (!definition_.empty()) return instance_definition_at(definition_.data(), order_);
    InstanceDefinition none{};
    none.UniqueID = no_unique_id;
    return none;
}

std::optional<EncodedText> Instance::name() const noexcept {
    if (definition_.empty()) return EncodedText{{}, code_page_, order_};
    return instance_name(definition_, definition(), code_page_, order_);
}

InstanceReader::InstanceReader(const Object& object, std::uint64_t& values_left, const FaultSink& faults) noexcept
    : object_(object),
      values_left_(values_left),
      faults_(faults),
      at_(object.header_.DefinitionLength),
      list_(object.kind_ == Kind::single ? InstanceList{1} : object.list_),
      planned_(object.kind_ != Kind::multi || object.clipped() || object.list_.detour.ordinal != no_index),
      ended_(object.kind_ == Kind::metadata_multi || object.kind_ == Kind::metadata_single) {}

bool InstanceReader::next(Instance& instance) {
    if (ended_) return false;
    const bool list = object_.kind_ == Kind::multi;
    if (!planned_ && !is_confirmed()) plan();
    if (ordinal_ == list_.count) return end_of_list();
    const bool corrected = ordinal_ == list_.detour.ordinal;
    if (corrected) at_ = list_.detour.at;
    if (!corrected && !(list ? is_valid_definition() : is_valid_block(at_))) return false;
    const auto [at, definition, length] = object_.place_of(list_.detour, at_, ordinal_);
    if (list && !corrected && !is_valid_block(at + definition)) return false;
    const std::uint64_t values = object_.values_per_instance_;
    if (values_left_ < values) {
        fault(Severity::error, Errc::value_limit, at_, list ? instance_structure : block_structure, "", values,
              values_left_);
        ended_ = true;
        return false;
    }
    values_left_ -= values;
    object_.read_instance(list_, at_, ordinal_, instance);
    if (list) report_name(instance);
    complete_ = object_.values_end_ <= instance.block.size();
    if (!complete_) report_values(instance);
    if (ordinal_ == 0) first_block_ = static_cast<std::uint32_t>(length);
    // If the stated length of a counter block is too high, the block can span the next definition. The instance that is
    // read next is then in fact a later one. A length that differs from the length of the first block is therefore
    // reported. If the block is too short for the values, `report_values` was called instead.
    if (complete_ && length != first_block_)
        fault(Severity::warning, Errc::counter_block_uneven, at_ + definition, block_structure, "ByteLength",
              first_block_, length);
    at_ += definition + length;
    ++ordinal_;
    return true;
}

std::size_t InstanceReader::take_valid(std::span<InstancePlace> places) noexcept {
    // This function leaves three instances to `next`: the first one, which determines the length of all counter blocks,
    // the last one, after which the list ends, and the instance at `list_.detour`, because one of its stated lengths is
    // wrong.
    const bool detour_ahead = ordinal_ <= list_.detour.ordinal && list_.detour.ordinal < list_.count;
    const std::uint64_t after = (detour_ahead ? list_.detour.ordinal + 1 : list_.count) - std::uint64_t{ordinal_};
    if (ended_ || object_.kind_ != Kind::multi || ordinal_ == 0 || after <= 1 || first_block_ < object_.values_end_ ||
        object_.bytes_.size() > no_index)
        return 0;
    const std::uint64_t most = std::min(after - 1, values_left_ / object_.values_per_instance_);
    places = places.first(static_cast<std::size_t>(std::min<std::uint64_t>(places.size(), most)));
    const std::size_t count = with_order(
        object_.order_, [&]<bool host>(std::bool_constant<host> /*order*/) { return find_valid<host>(places); });
    ordinal_ += static_cast<std::uint32_t>(count);
    values_left_ -= count * object_.values_per_instance_;
    complete_ = true;
    return count;
}

/// Fills `places` with the instances from `at_` on, up to the first one that is not valid. Advances past the valid
/// instances and returns their number.
template <bool host>
std::size_t InstanceReader::find_valid(std::span<InstancePlace> places) noexcept {
    const Bytes bytes = object_.bytes_;
    const std::uint64_t size = bytes.size(), block_size = first_block_;
    std::uint64_t at = at_;
    // Of the previous definition: `definition` is its ByteLength, `name` has its NameOffset and NameLength, and `step`
    // is the number of bytes from it to the next definition. Most definitions have the same ByteLength, NameOffset and
    // NameLength as the previous one. These fields are then not checked again, and `step` stays the same.
    std::uint32_t definition = 0;
    std::uint64_t name = 0, step = instance_definition_size;
    std::size_t count = 0;
    for (InstancePlace& place : places) {
        if (size - at < step) break;  // `at` never exceeds `size`
        const std::byte* const fields = bytes.at(at);
        const auto length = load<std::uint32_t, host>(fields);
        const auto name_here = load<std::uint64_t, host>(std::next(fields, 16));  // NameOffset and NameLength
        if (length != definition || name_here != name) {
            const auto offset = load<std::uint32_t, host>(std::next(fields, 16));
            const auto name_size = load<std::uint32_t, host>(std::next(fields, 20));
            if (length < instance_definition_size || !is_valid_name(offset, name_size, length)) break;
            if (!planned_ && length - name_end(offset, name_size) >= list_padding) break;
            definition = length;
            name = name_here;
            step = length + block_size;
            if (size - at < step) break;
        }
        if (load<std::uint32_t, host>(bytes.at(at + definition)) != block_size) break;
        place = {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + definition)};
        at += step;
        ++count;
    }
    at_ = at;
    return count;
}

/// Returns whether a name with this offset and length is valid in a definition of `definition` bytes, so that there is
/// nothing to report.
bool InstanceReader::is_valid_name(std::uint32_t offset, std::uint32_t length,
                                   std::uint32_t definition) const noexcept {
    if (length == 0) return true;
    if (is_utf16(object_.header_.CodePage) && ((offset | length) & 1) != 0) return false;
    return length <= longest_name_field && offset >= instance_definition_size && offset <= definition &&
           length <= definition - offset;
}

/// Returns whether the bytes at `at_` are as expected. If all announced instances have been read, the object must end
/// there. Otherwise an instance must begin there. Its definition must end where its name ends. The first counter block
/// must end where its values end, and all others must be as long as the first one. Padding is allowed.
bool InstanceReader::is_confirmed() const noexcept {
    const Bytes bytes = object_.bytes_;
    const std::uint64_t space = bytes.size() - at_;
    if (ordinal_ == list_.count) return space < list_padding;
    if (space < instance_definition_size + counter_block_size) return false;
    const InstanceDefinition fields = instance_definition_at(bytes.at(at_), object_.order_);
    const std::uint32_t definition = fields.ByteLength;
    if (definition < instance_definition_size || definition > space - counter_block_size) return false;
    if (!is_valid_name(fields.NameOffset, fields.NameLength, definition)) return false;
    const auto block = load<std::uint32_t>(bytes.at(at_ + definition), object_.order_);
    if (definition - name_end(fields.NameOffset, fields.NameLength) >= list_padding || block > space - definition ||
        block < std::max<std::uint64_t>(object_.values_end_, counter_block_size))
        return false;
    if (ordinal_ == 0 ? block - object_.values_end_ >= block_padding : block != first_block_) return false;
    return ordinal_ + 1 < list_.count || space - definition - block < list_padding;
}

/// Finds all instances of the list again, from the first one on, and reports a wrong length or count. This does not
/// change the instances that were already read, because each of them was confirmed (see `plan_list`).
void InstanceReader::plan() {
    planned_ = true;
    const ListPlan plan =
        plan_list({object_.bytes_, object_.order_, object_.header_.DefinitionLength, list_.count, object_.values_end_});
    if (plan.fault)
        faults_.add(Severity::error, *plan.fault, object_.header_.ObjectNameTitleIndex, plan.list.detour.ordinal);
    const std::uint32_t stated = std::exchange(list_, plan.list).count;
    if (list_.count != stated)
        object_.report_count(list_.count < stated || plan.fault ? Severity::error : Severity::warning, list_.count,
                             faults_);
}

/// Returns whether the definition at `at_` has a possible length and leaves space for a counter block after it. If not,
/// reports a fault and ends the list.
bool InstanceReader::is_valid_definition() {
    const std::uint64_t space = object_.bytes_.size() - at_;
    ended_ = true;
    if (space < instance_definition_size + counter_block_size) {
        object_.report_count(Severity::error, ordinal_, faults_);
        return false;
    }
    const auto length = load<std::uint32_t>(object_.bytes_.at(at_), object_.order_);
    if (length < instance_definition_size || length > space - counter_block_size) {
        const bool low = length < instance_definition_size;
        fault(Severity::error, Errc::instance_length, at_, instance_structure, "ByteLength",
              low ? instance_definition_size : space, low ? length : length + counter_block_size);
        return false;
    }
    ended_ = false;
    return true;
}

/// Returns whether the counter block at `at` can be read. If its length is too low, or if it extends beyond the object,
/// reports a fault and ends the list. A block that extends beyond the object can still be read if its length field is
/// inside the object: only its values inside the object, if any, are used.
bool InstanceReader::is_valid_block(std::uint64_t at) {
    const std::uint64_t space = object_.bytes_.size() - at;
    if (space < counter_block_size) {
        ended_ = true;
        fault(Severity::error, Errc::counter_block_length, at, block_structure, "ByteLength", counter_block_size,
              space);
        return false;
    }
    const auto length = load<std::uint32_t>(object_.bytes_.at(at), object_.order_);
    if (length >= counter_block_size && length <= space) return true;
    ended_ = true;
    const bool low = length < counter_block_size;
    fault(Severity::error, Errc::counter_block_length, at, block_structure, "ByteLength",
          low ? counter_block_size : space, length);
    return !low;
}

void InstanceReader::report_name(const Instance& instance) {
    const InstanceDefinition fields = instance.definition();
    if (ordinal_ != list_.detour.ordinal && is_valid_name(fields.NameOffset, fields.NameLength, fields.ByteLength))
        return;
    const auto name = instance.name();
    if (!name && fields.NameLength > longest_name_field) {
        fault(Severity::error, Errc::instance_name, at_ + 20, instance_structure, "NameLength", longest_name_field,
              fields.NameLength);
    } else if (!name) {
        const bool low = fields.NameOffset < instance_definition_size;
        fault(Severity::error, Errc::instance_name, at_ + 16, instance_structure, "NameOffset",
              low ? instance_definition_size : fields.ByteLength,
              low ? fields.NameOffset : std::uint64_t{fields.NameOffset} + fields.NameLength);
    } else if (fields.NameLength != 0 && fields.NameOffset % 2 != 0 && is_utf16(object_.header_.CodePage)) {
        fault(Severity::warning, Errc::instance_name, at_ + 16, instance_structure, "NameOffset",
              std::uint64_t{fields.NameOffset} + 1, fields.NameOffset);
    } else if (fields.NameLength % 2 != 0 && is_utf16(object_.header_.CodePage)) {
        fault(Severity::warning, Errc::instance_name, at_ + 20, instance_structure, "NameLength", fields.NameLength - 1,
              fields.NameLength);
    }
}

void InstanceReader::report_values(const Instance& instance) {
    if (ended_) return;  // the wrong block length was reported already and explains the missing values
    std::uint64_t unclaimed = 0;
    for (const Counter& counter : object_.counters_) {
        if (!counter.readable || counter.value_end() <= instance.block.size()) continue;
        if (value_of(instance, counter)) {
            unclaimed = std::max(unclaimed, counter.value_end());
            continue;
        }
        faults_.add({Errc::counter_outside_block, counter.offset + 36, "PERF_COUNTER_DEFINITION", "CounterOffset",
                     instance.block.size(), counter.value_end()},
                    object_.header_.ObjectNameTitleIndex, instance.ordinal);
    }
    if (unclaimed == 0) return;
    // All counters whose values lie beyond the end of the block share one fault: the block's stated length is wrong, as
    // in the instance _Total of Processor in Windows XP.
    const std::uint64_t at = instance.block.offset() - object_.bytes_.offset();
    claimed_ = at + unclaimed;
    fault(Severity::warning, Errc::counter_beyond_block_length, at, block_structure, "ByteLength", unclaimed,
          instance.block.size());
}

bool InstanceReader::end_of_list() {
    ended_ = true;
    const std::uint64_t from = std::max(at_, claimed_);
    const std::uint64_t size = object_.bytes_.size();
    if (!object_.clipped() && from < size && size - from >= 8)
        report_leftover(object_.bytes_.from(from), "PERF_OBJECT_TYPE", object_.header_.ObjectNameTitleIndex, faults_);
    return false;
}

void InstanceReader::fault(Severity severity, Errc code, std::uint64_t at, std::string_view structure,
                           std::string_view field, std::uint64_t expected, std::uint64_t found) {
    faults_.add(severity, {code, object_.bytes_.offset() + at, structure, field, expected, found},
                object_.header_.ObjectNameTitleIndex, ordinal_);
}

}  // namespace hkpd::v1
