#include "hkpd/v1_writer.hpp"

#include <utility>

#include "base/byte_writer.hpp"

namespace hkpd {
namespace {

// Sizes of structures and offsets of their fields, from winperf.h.
namespace block {
constexpr std::size_t total_length_at = 20, header_length_at = 24, object_count_at = 28, machine_length_at = 80;
}  // namespace block
namespace object {
constexpr std::size_t size = 64, total_length_at = 0, instance_count_at = 40;
}  // namespace object
constexpr std::uint32_t definition_size = 40, instance_size = 24;

/// Title index of the object Processor. Windows states it as DefaultObject in every block. User interfaces show the
/// default object first.
constexpr std::int32_t default_object = 238;
/// NumInstances of an object without a list of instances (PERF_NO_INSTANCES).
constexpr std::int32_t no_list = -1;

}  // namespace

V1BlockWriter::V1BlockWriter(const Moment& moment, std::string_view machine) : moment_(moment) {
    for (const char letter : {'P', 'E', 'R', 'F'}) append_u16(out_, static_cast<std::uint16_t>(letter));
    append_u32(out_, 1);  // LittleEndian
    append_u32(out_, 1);  // Version
    append_u32(out_, 1);  // Revision
    append_u32(out_, 0);  // TotalByteLength
    append_u32(out_, 0);  // HeaderLength
    append_u32(out_, 0);  // NumObjectTypes
    append_i32(out_, default_object);
    append_system_time(out_, moment.system_time);
    append_u32(out_, 0);  // aligns the next field
    append_i64(out_, moment.perf_time);
    append_i64(out_, moment.perf_frequency);
    append_i64(out_, moment.perf_time_100ns);
    append_u32(out_, 0);  // SystemNameLength
    const std::size_t name_at = out_.size() + 4;
    append_u32(out_, u32(name_at));
    if (!machine.empty()) append_utf16z(out_, machine);
    patch_u32(out_, block::machine_length_at, u32(out_.size() - name_at));
    pad_to_8(out_);
    patch_u32(out_, block::header_length_at, u32(out_.size()));
}

void V1BlockWriter::begin_object(const Object& object, std::span<const Counter> counters, std::uint32_t block_size) {
    object_ = out_.size();
    block_size_ = (block_size + 7) & ~7U;
    instances_ = 0;
    is_list_ = object.is_list;
    ++objects_;
    append_u32(out_, 0);  // TotalByteLength
    append_u32(out_, u32(object::size + counters.size() * definition_size));
    append_u32(out_, object::size);
    append_u32(out_, object.title_index);
    append_u32(out_, 0);
    append_u32(out_, object.help_index);
    append_u32(out_, 0);
    append_u32(out_, object.detail_level);
    append_u32(out_, u32(counters.size()));
    append_i32(out_, object.default_counter);
    append_i32(out_, object.is_list ? 0 : no_list);
    append_u32(out_, 0);  // CodePage: names are UTF-16
    append_i64(out_, object.perf_time);
    append_i64(out_, object.perf_frequency);
    for (const Counter& counter : counters) {
        append_u32(out_, definition_size);
        append_u32(out_, counter.title_index);
        append_u32(out_, 0);
        append_u32(out_, counter.help_index);
        append_u32(out_, 0);
        append_i32(out_, counter.scale);
        append_u32(out_, counter.detail_level);
        append_u32(out_, counter.type);
        append_u32(out_, counter.size);
        append_u32(out_, counter.offset);
    }
}

std::uint32_t V1BlockWriter::add_instance(std::string_view name, std::int32_t unique_id, std::uint32_t parent_object,
                                          std::uint32_t parent_instance) {
    const std::size_t start = out_.size();
    append_u32(out_, 0);  // ByteLength
    append_u32(out_, parent_object);
    append_u32(out_, parent_instance);
    append_i32(out_, unique_id);
    append_u32(out_, instance_size);  // NameOffset
    append_u32(out_, 0);              // NameLength
    if (!name.empty()) append_utf16z(out_, name);
    patch_u32(out_, start + 20, u32(out_.size() - start - instance_size));
    pad_to_8(out_);
    patch_u32(out_, start, u32(out_.size() - start));
    add_block();
    return instances_++;
}

void V1BlockWriter::add_block() {
    block_ = out_.size();
    out_.resize(block_ + block_size_);
    patch_u32(out_, block_, block_size_);
}

void V1BlockWriter::set(std::uint32_t offset, std::uint32_t size, std::uint64_t value) {
    if (std::uint64_t{offset} + size > block_size_) return;
    if (size == 8) patch_u64(out_, block_ + offset, value);
    if (size == 4) patch_u32(out_, block_ + offset, static_cast<std::uint32_t>(value));
}

void V1BlockWriter::end_object() {
    patch_u32(out_, object_ + object::total_length_at, u32(out_.size() - object_));
    if (is_list_) patch_u32(out_, object_ + object::instance_count_at, instances_);
}

std::vector<std::byte> V1BlockWriter::finish() {
    patch_u32(out_, block::total_length_at, u32(out_.size()));
    patch_u32(out_, block::object_count_at, objects_);
    return std::move(out_);
}

}  // namespace hkpd
