#include <algorithm>
#include <array>
#include <bitset>

#include "base/text/encoding.hpp"
#include "hkpd/v1.hpp"
#include "v1/decode.hpp"
#include "v1/object_chain.hpp"

namespace hkpd::v1 {
namespace {

constexpr std::string_view data_block_structure = "PERF_DATA_BLOCK";
constexpr std::uint64_t wine_gap = data_block_size;
/// Largest size of a machine's name, in bytes. Every line of output repeats the name, so a longer one could make the
/// output huge. Computer names have at most 255 characters.
constexpr std::uint64_t most_name = 1024;

constexpr std::array<unsigned char, 8> signature_little{'P', 0, 'E', 0, 'R', 0, 'F', 0};
constexpr std::array<unsigned char, 8> signature_big{0, 'P', 0, 'E', 0, 'R', 0, 'F'};

bool begins_with(const Bytes& input, std::uint64_t at, const std::array<unsigned char, 8>& signature) noexcept {
    return input.contains(at, 8) && std::memcmp(input.at(at), signature.data(), 8) == 0;
}

/// Returns the byte order of a block. The signature and the LittleEndian flag both show it. If they disagree, returns
/// the byte order in which Version is 1, because Version is 1 in every valid block. If Version is 1 in neither byte
/// order, the signature decides.
ByteOrder find_order(const Bytes& input, const FaultSink& faults) {
    const bool little_signature = begins_with(input, 0, signature_little);
    const auto flag = load<std::uint32_t>(input.at(8), ByteOrder::little);
    const auto version = load<std::uint32_t>(input.at(12), ByteOrder::little);
    if (little_signature && flag == 1) return ByteOrder::little;
    if (!little_signature && flag == 0) return ByteOrder::big;
    const bool little = version == 1 || (version != 0x0100'0000 && little_signature);
    faults.add({Errc::byte_order, input.offset() + 8, data_block_structure, "LittleEndian", 0, flag});
    return little ? ByteOrder::little : ByteOrder::big;
}

/// The extent of a block: where its objects begin and where the block ends.
class Extent {
  public:
    Extent(const Bytes& input, const DataBlock& header, ByteOrder order, const FaultSink& faults)
        : input_(input), header_(header), order_(order), faults_(faults) {
        find_start();
        find_end();
    }
    std::uint64_t start() const noexcept { return start_; }
    std::uint64_t end() const noexcept { return end_; }
    bool length_without_header() const noexcept { return samba_; }

  private:
    Walk walk(std::uint64_t from) const noexcept {
        const std::uint32_t announced = header_.NumObjectTypes;
        return walk_objects(input_, order_, from, announced == 0 ? no_index : announced);
    }
    void fault(Severity severity, Errc code, std::uint64_t field_offset, std::string_view field,
               std::uint64_t expected) {
        const auto found = load<std::uint32_t>(input_.at(field_offset), order_);
        faults_.add(severity, {code, input_.offset() + field_offset, data_block_structure, field, expected, found});
    }

    void find_start() {
        const std::uint64_t total = header_.TotalByteLength;
        start_ = header_.HeaderLength;
        const bool possible =
            start_ >= data_block_size && start_ % 4 == 0 && (start_ <= input_.size() || start_ <= total);
        const Walk here = walk(start_);
        const bool exact = here.end == total || here.end == total + start_;
        const Walk after_gap = exact && here.count != 0 ? Walk{} : walk(start_ + wine_gap);
        // Wine (dlls/kernelbase/registry.c) leaves a gap of 88 bytes before the objects and does not count the gap in
        // the length.
        const bool confirmed = here.count == 0 && !ends_here(total) && ends_here(total + wine_gap);
        gap_ =
            possible &&
            (confirmed || (after_gap.count != 0 && (here.count == 0 || (!exact && after_gap.end == total + wine_gap))));
        if (gap_) start_ += wine_gap;
        natural_ = gap_ ? after_gap : here;
        if (!possible || natural_.count < header_.NumObjectTypes) look_for_start(possible, natural_.count);
        if (gap_) fault(Severity::warning, Errc::gap_after_header, 24, "HeaderLength", start_);
    }

    /// Searches for the first object. Called if HeaderLength is impossible, or if it leads to fewer objects than
    /// NumObjectTypes states. In the second case, HeaderLength may be wrong and lead into the middle of the chain of
    /// objects. The search prefers an offset at which a chain of exactly NumObjectTypes objects begins that ends where
    /// the block ends. `possible`: whether HeaderLength is possible; `count`: number of objects to which HeaderLength
    /// leads.
    void look_for_start(bool possible, std::uint32_t count) {
        const auto chain_to = [&](std::uint64_t end, bool any) {
            return find_chain({input_, order_, name_end(), end, header_.NumObjectTypes}, any);
        };
        const std::uint64_t total = header_.TotalByteLength;
        auto found = total < input_.size() ? chain_to(total, false) : std::nullopt;
        if (!found) found = chain_to(std::max<std::uint64_t>(total, input_.size()), !possible);
        if (possible && (!found || *found == start_)) return;
        start_ = found.value_or(data_block_size);
        natural_ = walk(start_);
        gap_ = false;
        fault(possible && count != 0 ? Severity::warning : Severity::error, Errc::header_length, 24, "HeaderLength",
              start_);
    }

    /// Returns the first offset at which objects may begin: after the machine's name if its fields are valid, otherwise
    /// after the header.
    std::uint64_t name_end() const noexcept {
        const std::uint64_t offset = header_.SystemNameOffset, length = header_.SystemNameLength;
        const bool valid = length <= most_name && offset >= data_block_size && input_.contains(offset, length);
        return valid ? (offset + length + 3) / 4 * 4 : data_block_size;
    }

    void find_end() {
        const std::uint64_t total = header_.TotalByteLength;
        const std::uint64_t declared = gap_ ? total + wine_gap : total;
        const bool all = natural_.count == header_.NumObjectTypes && natural_.count != 0;
        end_ = declared;
        const bool with_header =
            (all && natural_.end == total + start_) || (!ends_here(total) && ends_here(total + start_));
        if (!gap_ && with_header && !(all && natural_.end == declared)) {
            // Samba (source3/registry/reg_perfcount.c) states the length of the objects alone, without the header.
            samba_ = true;
            end_ = total + start_;
            fault(Severity::warning, Errc::length_without_header, 20, "TotalByteLength", end_);
        } else if (all && natural_.end <= input_.size() && ends_here(natural_.end) && !ends_here(declared)) {
            end_ = natural_.end;
            fault(Severity::warning, Errc::block_length, 20, "TotalByteLength", end_);
        } else if (declared < start_) {
            end_ = std::max<std::uint64_t>(input_.size(), start_);
            fault(Severity::error, Errc::block_length, 20, "TotalByteLength", end_);
        }
        if (end_ > input_.size())
            faults_.add({Errc::block_truncated, input_.offset() + 20, data_block_structure, "TotalByteLength", end_,
                         input_.size()});
    }

    /// Returns whether the bytes at `at` confirm that the block ends there: the input ends or another block begins.
    bool ends_here(std::uint64_t at) const noexcept {
        return at == input_.size() || (at < input_.size() && is_block(input_.from(at)));
    }

    const Bytes& input_;
    const DataBlock& header_;
    ByteOrder order_;
    const FaultSink& faults_;
    std::uint64_t start_ = 0, end_ = 0;
    Walk natural_;  // the chain of objects from `start_`
    bool gap_ = false, samba_ = false;
};

std::optional<EncodedText> read_machine(const Bytes& input, const DataBlock& header, ByteOrder order,
                                        std::uint64_t header_end, const FaultSink& faults) {
    const std::uint64_t offset = header.SystemNameOffset, length = header.SystemNameLength;
    if (length == 0) return EncodedText{{}, 0, order};
    if (length > most_name) {
        faults.add(Severity::error, {Errc::machine_name, input.offset() + 80, data_block_structure, "SystemNameLength",
                                     most_name, length});
        return std::nullopt;
    }
    const bool inside = offset >= data_block_size && offset <= header_end && length <= header_end - offset;
    if (!inside || !input.contains(offset, length)) {
        const bool low = offset < data_block_size;
        faults.add(Severity::error, {Errc::machine_name, input.offset() + 84, data_block_structure, "SystemNameOffset",
                                     low ? data_block_size : header_end, low ? offset : offset + length});
        return std::nullopt;
    }
    const EncodedText text = name_text(input.slice(offset, length), 0, order);
    if (length % 2 != 0)
        faults.add(Severity::warning, {Errc::machine_name, input.offset() + 80, data_block_structure,
                                       "SystemNameLength", length - 1, length});
    return text;
}

/// Reports objects with the same title index. Sorts the objects only if a small filter shows, in one pass, that two
/// title indices may be equal.
void report_repeated(std::span<const ObjectEntry> objects, std::uint64_t offset, const FaultSink& faults) {
    if (objects.size() < 2) return;
    std::bitset<4096> seen;
    const auto may_repeat = [&seen](const ObjectEntry& entry) {
        const std::size_t bit = entry.title_index % seen.size();
        const bool before = seen[bit];
        seen[bit] = true;
        return before;
    };
    if (std::ranges::none_of(objects, may_repeat)) return;
    std::vector<const ObjectEntry*> sorted;
    sorted.reserve(objects.size());
    for (const ObjectEntry& entry : objects) sorted.push_back(&entry);
    std::ranges::stable_sort(sorted, {}, &ObjectEntry::title_index);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (sorted[i]->title_index != sorted[i - 1]->title_index) continue;
        const std::uint64_t at = std::max(sorted[i]->bytes.offset(), offset) + 12;
        faults.add({Errc::object_repeated, at, "PERF_OBJECT_TYPE", "ObjectNameTitleIndex", 0, sorted[i]->title_index},
                   sorted[i]->title_index);
    }
}

}  // namespace

bool has_signature(const Bytes& input) noexcept {
    if (begins_with(input, 0, signature_little)) return true;
    // If a zero byte precedes a little-endian block, that byte and the block's signature look like a big-endian
    // signature.
    return begins_with(input, 0, signature_big) && !is_block(input.from(1));
}

bool is_block(const Bytes& input) noexcept {
    if (input.size() < 16) return false;
    const auto field = [&](std::size_t at, ByteOrder order) { return load<std::uint32_t>(input.at(at), order); };
    const bool big_version = field(12, ByteOrder::big) == 1;
    if (begins_with(input, 0, signature_little))
        return field(8, ByteOrder::little) == 1 || field(12, ByteOrder::little) == 1 || big_version;
    // The bytes of the big-endian signature (00 'P' 00 'E' 00 'R' 00 'F') can also be inside a little-endian block: in
    // UTF-16, a machine name such as SMBPERF contains them. The check of Version rejects these bytes. A check of
    // LittleEndian, which is 0 in a big-endian block, would accept them, because the bytes after the name are 0 too.
    return begins_with(input, 0, signature_big) && big_version;
}

std::expected<void, Error> Block::open(const Bytes& input, const FaultSink& faults) {
    objects_.clear();
    machine_.reset();
    bytes_ = {};
    if (!has_signature(input))
        return std::unexpected(
            Error{Errc::not_performance_data, input.offset(), data_block_structure, "Signature", 8, input.size()});
    if (input.size() < data_block_size)
        return std::unexpected(
            Error{Errc::truncated_header, input.offset(), data_block_structure, "", data_block_size, input.size()});
    order_ = find_order(input, faults);
    read_data_block(input.data(), order_, header_);
    if (header_.TotalByteLength == 0 && header_.NumObjectTypes == 0)
        return std::unexpected(Error{Errc::incomplete_reply, input.offset() + 20, data_block_structure,
                                     "TotalByteLength", data_block_size, 0});
    if (header_.Version != 1)
        faults.add({Errc::version, input.offset() + 12, data_block_structure, "Version", 1, header_.Version});
    if (!header_.SystemTime.valid())
        faults.add({Errc::system_time, input.offset() + system_time_at, data_block_structure, "SystemTime", 0, 0});

    const Extent extent(input, header_, order_, faults);
    length_without_header_ = extent.length_without_header();
    machine_ = read_machine(input, header_, order_, extent.start(), faults);
    follow_chain({input, order_, extent.start(), extent.end(), header_.NumObjectTypes}, objects_, faults);
    report_repeated(objects_, input.offset(), faults);
    bytes_ = input.clip(0, extent.end());
    return {};
}

const ObjectEntry* Block::object(std::uint32_t title_index) const noexcept {
    const auto found = std::ranges::find(objects_, title_index, &ObjectEntry::title_index);
    return found == objects_.end() ? nullptr : &*found;
}

}  // namespace hkpd::v1
