#include "v1/instance_list.hpp"

#include <array>

#include "base/text/encoding.hpp"
#include "v1/decode.hpp"
#include "v1/object_chain.hpp"

namespace hkpd::v1 {
namespace {

constexpr std::uint64_t least_instance = instance_definition_size + counter_block_size;

constexpr std::uint64_t round_up(std::uint64_t size, std::uint64_t unit) noexcept {
    return (size + unit - 1) / unit * unit;
}

/// Finds the number that makes up more than half of a series, by the majority vote of Boyer and Moore.
class Majority {
  public:
    void add(std::uint32_t number) noexcept {
        if (votes_ == 0) number_ = number;
        number == number_ ? ++votes_ : --votes_;
    }
    /// Returns the number that wins the vote; 0 if no number wins by two votes or more. If no number makes up more than
    /// half of the series, any of its numbers can win.
    std::uint32_t number() const noexcept { return votes_ > 1 ? number_ : 0; }

  private:
    std::uint32_t number_ = 0;
    std::uint64_t votes_ = 0;
};

/// The template argument `Format` of `ResumePoints` (object_chain.hpp) for lists of instances. An entry is an instance
/// definition with its counter block. The function `continues` returns true only for an instance that is confirmed (see
/// `plan_list`).
struct InstanceFormat {
    static constexpr std::uint64_t header_size = least_instance;
    static constexpr std::uint64_t step = 4;
    static constexpr std::uint64_t tail = list_padding;
    static constexpr bool recognisable = false;

    Bytes input;
    ByteOrder order{};
    std::uint64_t values_end = 0;
    std::uint32_t usual_definition = 0, usual_block = 0;  // lengths that most instances have; 0: unknown

    std::uint32_t field(std::uint64_t at) const noexcept { return load<std::uint32_t>(input.at(at), order); }

    /// Returns the offset, counted from `at`, of the end of the name in the definition at `at`; 0 if the name is not
    /// valid.
    std::uint64_t name_end(std::uint64_t at) const noexcept {
        const InstanceDefinition fields = instance_definition_at(input.at(at), order);
        const bool valid = fields.NameLength == 0 ||
                           (fields.NameOffset >= instance_definition_size && fields.NameLength <= longest_name_field);
        return valid ? v1::name_end(fields.NameOffset, fields.NameLength) : 0;
    }
    bool confirms_definition(std::uint64_t at, std::uint64_t length) const noexcept {
        const std::uint64_t end = name_end(at);
        return end != 0 && length >= end && (length - end < list_padding || length == usual_definition);
    }
    bool confirms_block(std::uint64_t length) const noexcept {
        return length >= counter_block_size && length >= values_end &&
               (length - values_end < block_padding || length == usual_block);
    }
    bool continues(std::uint64_t at) const noexcept {
        if (!input.contains(at, least_instance)) return false;
        const std::uint64_t definition = field(at);
        return confirms_definition(at, definition) && input.contains(at + definition, counter_block_size) &&
               confirms_block(field(at + definition));
    }
    std::uint64_t length_at(std::uint64_t at) const noexcept {
        const std::uint64_t definition = field(at);
        return definition + field(at + definition);
    }
};

/// The instances that were found by following the stated lengths. All members except `count` are offsets in the object.
struct ListWalk {
    std::uint64_t end = 0;    ///< where the last instance ends
    std::uint64_t last = 0;   ///< where the last instance begins
    std::uint64_t block = 0;  ///< where the counter block of the last instance begins
    std::uint32_t count = 0;
};

/// Follows the stated lengths through at most `most` instances. Calls `see(definition, block)` with the two lengths of
/// each instance. Stops where a length is too small or leads beyond the end of the object.
template <class See>
ListWalk walk_list(const ListShape& shape, std::uint32_t most, See&& see) noexcept {
    return with_order(shape.order, [&]<bool host>(std::bool_constant<host> /*order*/) {
        const Bytes bytes = shape.object;
        const std::uint64_t size = bytes.size();
        ListWalk walk{shape.start, shape.start, shape.start, 0};
        for (; walk.count < most && size - walk.end >= least_instance; ++walk.count) {
            const std::uint64_t space = size - walk.end;
            const auto definition = load<std::uint32_t, host>(bytes.at(walk.end));
            if (definition < instance_definition_size || definition > space - counter_block_size) break;
            const auto block = load<std::uint32_t, host>(bytes.at(walk.end + definition));
            if (block < counter_block_size || block > space - definition) break;
            see(definition, block);
            walk.last = walk.end;
            walk.block = walk.end + definition;
            walk.end = walk.block + block;
        }
        return walk;
    });
}

class ListRepair {
  public:
    explicit ListRepair(const ListShape& shape)
        : shape_(shape), format_{shape.object, shape.order, shape.values_end, 0, 0} {
        Majority definition, block;
        walk_list(shape_, no_index, [&](std::uint32_t of_definition, std::uint32_t of_block) {
            definition.add(of_definition);
            block.add(of_block);
        });
        format_.usual_definition = definition.number();
        format_.usual_block = block.number();
    }

    ListPlan plan() {
        std::uint64_t at = shape_.start;
        std::uint32_t ordinal = 0;
        for (; is_inside(at) && format_.continues(at); ++ordinal) at += format_.length_at(at);
        if (!is_inside(at) || size() - at < least_instance) return {{ordinal}, {}};
        const bool whole = leads_to_end(shape_);
        if (whole || ends_within_last()) {
            auto better = with_right_definition(at, ordinal);
            if (!better && whole) better = with_right_block(at, ordinal);
            return better && better->list.count == shape_.announced ? *better : ListPlan{{shape_.announced}, {}};
        }
        if (ordinal == shape_.announced && !points().first(at)) return {{ordinal}, {}};
        return resume(at, ordinal);
    }

  private:
    std::uint64_t size() const noexcept { return shape_.object.size(); }
    bool is_inside(std::uint64_t at) const noexcept { return at <= size() && size() - at >= list_padding; }

    /// Returns whether the stated lengths lead through all announced instances to the end of the object. Between the
    /// last counter block and the end of the object, zeros are allowed. Values of the last instance are allowed there
    /// too, because the stated length of its counter block may be too short for them, as in the instance _Total of
    /// Processor in Windows XP.
    bool ends_within_last() const noexcept {
        const ListWalk walk = walk_list(shape_, shape_.announced, [](auto...) {});
        if (walk.count == 0 || walk.count != shape_.announced) return false;
        if (!format_.confirms_definition(walk.last, walk.block - walk.last)) return false;
        const std::uint64_t end = std::max(walk.end, walk.block + shape_.values_end);
        return end <= size() && (!is_inside(end) || is_zero(shape_.object.from(end)));
    }

    ResumePoints<InstanceFormat>& points() {
        return points_
                   ? *points_
                   : points_.emplace(ChainPlan{shape_.object, shape_.order, shape_.start, size(), no_index}, format_);
    }

    /// Returns the number of confirmed instances (see `plan_list`) that lead from `at` to the end of the object: 0 if
    /// `at` is the end. Returns none if no chain of confirmed instances leads from `at` to the end.
    std::optional<std::uint32_t> instances_to_end(std::uint64_t at) {
        if (at > size()) return std::nullopt;
        if (!is_inside(at)) return 0;
        const std::uint32_t count = points().chain_at(at);
        return count == 0 ? std::nullopt : std::optional(count);
    }

    /// Finds the instances from `at` on. The instance at `at`, whose position in the list is `ordinal`, is not
    /// confirmed (see `plan_list`); all instances before it are confirmed.
    ListPlan resume(std::uint64_t at, std::uint32_t ordinal) {
        if (auto plan = with_right_definition(at, ordinal)) return *plan;
        if (auto plan = with_right_block(at, ordinal)) return *plan;
        ListPlan plan{{ordinal}, wrong_length(at)};
        if (const auto next = points().first(at + step_of_search)) {
            plan.list.detour = {.ordinal = ordinal, .at = *next};
            plan.list.count += points().chain_at(*next);
        }
        return plan;
    }

    std::optional<ListPlan> with_right_definition(std::uint64_t at, std::uint32_t ordinal) {
        const std::uint64_t end = format_.name_end(at);
        if (end == 0) return std::nullopt;
        for (const std::uint64_t length :
             {round_up(end, 8), round_up(end, 4), std::uint64_t{format_.usual_definition}}) {
            if (length == format_.field(at) || length < end || length > size() - at - counter_block_size) continue;
            const std::uint64_t block = format_.field(at + length);
            if (!format_.confirms_block(block)) continue;
            if (const auto after = instances_to_end(at + length + block))
                return ListPlan{{ordinal + 1 + *after, {ordinal, at, length, block}},
                                error(Errc::length_corrected, at, "PERF_INSTANCE_DEFINITION", length)};
        }
        return std::nullopt;
    }

    std::optional<ListPlan> with_right_block(std::uint64_t at, std::uint32_t ordinal) {
        const std::uint64_t definition = format_.field(at);
        if (definition > size() - at - counter_block_size || !format_.confirms_definition(at, definition))
            return std::nullopt;
        const std::uint64_t block_at = at + definition;
        for (const std::uint64_t length : {std::uint64_t{format_.usual_block}, round_up(format_.values_end, 8),
                                           round_up(format_.values_end, 4), format_.values_end}) {
            if (!format_.confirms_block(length)) continue;
            if (const auto after = instances_to_end(block_at + length))
                return ListPlan{{ordinal + 1 + *after, {ordinal, at, definition, length}},
                                error(Errc::length_corrected, block_at, "PERF_COUNTER_BLOCK", length)};
        }
        return std::nullopt;
    }

    /// Returns the fault of an instance at `at` that is not confirmed: its definition or its counter block has a wrong
    /// length.
    Error wrong_length(std::uint64_t at) const {
        const std::uint64_t definition = format_.field(at), end = format_.name_end(at);
        const bool confirmed = format_.confirms_definition(at, definition);
        if (!confirmed || definition > size() - at - counter_block_size)
            return error(Errc::list_broken, at, "PERF_INSTANCE_DEFINITION",
                         round_up(std::max<std::uint64_t>(end, instance_definition_size), 8));
        return error(Errc::list_broken, at + definition, "PERF_COUNTER_BLOCK",
                     std::max<std::uint64_t>(round_up(format_.values_end, 8), counter_block_size));
    }

    Error error(Errc code, std::uint64_t at, std::string_view structure, std::uint64_t expected) const {
        return {code, shape_.object.offset() + at, structure, "ByteLength", expected, format_.field(at)};
    }

    static constexpr std::uint64_t step_of_search = 4;

    ListShape shape_;
    InstanceFormat format_;
    std::optional<ResumePoints<InstanceFormat>> points_;
};

}  // namespace

bool leads_to_end(const ListShape& shape) noexcept {
    if (shape.start > shape.object.size()) return false;
    const ListWalk walk = walk_list(shape, shape.announced, [](auto...) {});
    return walk.count == shape.announced && shape.object.size() - walk.end < list_padding;
}

ListPlan plan_list(const ListShape& shape) {
    std::uint32_t shortest = no_index, longest = 0;
    const ListWalk walk = walk_list(shape, shape.announced, [&](auto, std::uint32_t block) {
        shortest = std::min(shortest, block);
        longest = std::max(longest, block);
    });
    const bool ends = walk.count == shape.announced && shape.object.size() - walk.end < list_padding;
    const bool even = walk.count == 0 || (shortest == longest && shortest >= shape.values_end);
    return ends && even ? ListPlan{{shape.announced}, {}} : ListRepair(shape).plan();
}

}  // namespace hkpd::v1
