#include "write/json/objects.hpp"

#include <algorithm>
#include <array>

#include "hkpd/counter_type.hpp"
#include "hkpd/v2.hpp"
#include "sample/display_name.hpp"
#include "write/logged_counter.hpp"
#include "write/row_tiles.hpp"

namespace hkpd {
namespace {

std::string_view kind_name(Kind kind) noexcept {
    switch (kind) {
        case Kind::single:
            return "single";
        case Kind::metadata_single:
            return "metadata_single";
        case Kind::metadata_multi:
            return "metadata_multi";
        default:
            return "multi";
    }
}

struct AttributeName {
    std::uint64_t bit;
    std::string_view name;
};
constexpr std::array attribute_names{
    AttributeName{v2::attribute::by_reference, "by_reference"},
    AttributeName{v2::attribute::no_displayable, "no_displayable"},
    AttributeName{v2::attribute::no_group_separator, "no_group_separator"},
    AttributeName{v2::attribute::display_as_real, "display_as_real"},
    AttributeName{v2::attribute::display_as_hex, "display_as_hex"},
};

}  // namespace

void JsonObjects::write(const Selected& part) {
    const Object& object = sample_.objects()[part.object];
    known_ = known_by(sample_.source, object);
    json_.StartObject();
    write_identity(object);
    json_.string("kind", kind_name(object.kind));
    if (is_v1()) {
        json_.unsigned_number("code_page", object.code_page);
        json_.number("perf_time", object.clock.time);
        json_.number("perf_freq", object.clock.frequency);
    }
    json_.key("counters");
    json_.StartArray();
    for (const std::uint32_t position : part.columns) write_counter(object.columns[position], part);
    json_.EndArray();
    json_.key("instances");
    json_.StartArray();
    for_each_tile(part.rows, [&](std::span<const std::uint32_t> tile, std::size_t) {
        cook(part, tile);
        for (const std::uint32_t row : tile) write_instance(object, row, part, row - tile.front());
    });
    json_.EndArray();
    json_.EndObject();
}

void JsonObjects::write_identity(const Object& object) {
    if (!is_v2()) {
        json_.key("index");
        json_.uint_or_null(object_number(sample_.source, object));
    } else {
        json_.key("counterset");
        json_.text_or_null(counterset_text(object));
        // Nothing else tells results of unknown countersets apart.
        if (const auto place = unknown_result(object.title_index); place && !object.counterset)
            json_.unsigned_number("result", *place);
    }
    json_.key("name");
    json_.title(object.name);
    if (is_v1()) json_.unsigned_number("help_index", object.help_index);
    write_help(object.help);
    // The lowest level that Windows has is 100: 0 is none.
    if (is_v1() || object.detail_level != 0) json_.unsigned_number("detail_level", object.detail_level);
}

void JsonObjects::write_help(const std::optional<Titles::Answer>& help) {
    if (!help_text_) return;
    json_.key("help");
    json_.title(help);
}

void JsonObjects::write_counter(const Column& column, const Selected& part) {
    const bool registered = column.type != no_counter_type;
    json_.StartObject();
    json_.key(is_v2() ? "id" : "index");
    json_.uint_or_null(counter_number(sample_.source, column));
    json_.key("name");
    json_.title(column.name);
    if (is_v1()) json_.unsigned_number("help_index", column.help_index);
    write_help(column.help);
    write_type(column.type);
    json_.unsigned_number("size", column.size);
    if (is_v1()) json_.unsigned_number("offset", column.offset);
    if (!is_v2() || registered) json_.number("scale", column.scale);
    if (is_v1() || (is_v2() && registered)) json_.unsigned_number("detail_level", column.detail_level);
    if (is_v2() && registered) write_attributes(column.attributes);
    if (column.time_base)
        json_.number("time_base", *column.time_base);
    else
        write_serving(column, part);
    json_.EndObject();
}

/// The counters that serve as base, clock and count.
void JsonObjects::write_serving(const Column& column, const Selected& part) {
    write_reference("base", column.base, part);
    if (!is_v2() || column.type == no_counter_type) return;
    write_reference("time", column.time, part);
    write_reference("frequency", column.frequency, part);
    write_reference("multi", column.multi, part);
}

void JsonObjects::write_type(std::uint32_t type) {
    json_.key("type");
    json_.uint_or_null(type == no_counter_type ? std::nullopt : std::optional(type));
    json_.key("type_name");
    const std::string_view name = counter_type_name(type);
    json_.text_or_null(name.empty() ? std::nullopt : std::optional(name));
}

void JsonObjects::write_attributes(std::uint64_t attributes) {
    json_.key("attributes");
    json_.StartArray();
    for (const AttributeName& attribute : attribute_names)
        if ((attributes & attribute.bit) != 0) json_.text(attribute.name);
    json_.EndArray();
}

/// The position of another counter among those that are shown; null where it is none of them.
void JsonObjects::write_reference(std::string_view key, std::int32_t column, const Selected& part) {
    json_.key(key);
    const auto wanted = static_cast<std::uint32_t>(column);
    const auto found = std::ranges::lower_bound(part.columns, wanted);
    if (column < 0 || found == part.columns.end() || *found != wanted)
        json_.Null();
    else
        json_.Int64(found - part.columns.begin());
}

void JsonObjects::cook(const Selected& part, std::span<const std::uint32_t> tile) {
    cooked_.clear();
    if (cooker_ == nullptr) return;
    for (const std::uint32_t position : part.columns)
        cooked_.push_back(cook_tile(*cooker_, part.object, position, tile));
}

/// `place` is that of the row in its tile.
void JsonObjects::write_instance(const Object& object, std::uint32_t row, const Selected& part, std::size_t place) {
    const Instance& instance = object.instances[row];
    json_.StartObject();
    json_.key("name");
    json_.text_or_null(instance.name);
    write_ids(instance);
    json_.key("values");
    json_.StartArray();
    for (const std::uint32_t position : part.columns) json_.value(object, object.columns[position], row);
    json_.EndArray();
    if (known_ == KnownBy::name) write_logged(object, row, part);
    if (cooker_ != nullptr) write_cooked(place);
    json_.EndObject();
}

void JsonObjects::write_ids(const Instance& instance) {
    if (is_v1()) {
        json_.key("unique_id");
        if (instance.unique_id)
            json_.Int(*instance.unique_id);
        else
            json_.Null();
        json_.key("parent");
        write_parent(instance);
    } else if (is_v2()) {
        json_.key("id");
        json_.uint_or_null(instance.unique_id ? std::optional(static_cast<std::uint32_t>(*instance.unique_id))
                                              : std::nullopt);
    }
}

void JsonObjects::write_logged(const Object& object, std::uint32_t row, const Selected& part) {
    const auto array = [&](std::string_view key, bool sparse, const auto& has, const auto& write) {
        const auto has_any = [&](std::uint32_t position) { return has(object.columns[position]); };
        if (sparse && std::ranges::none_of(part.columns, has_any)) return;
        json_.key(key);
        json_.StartArray();
        for (const std::uint32_t position : part.columns) {
            const Column& column = object.columns[position];
            if (has(column))
                write(column);
            else
                json_.Null();
        }
        json_.EndArray();
    };
    const auto sound = [row](const Column& column) { return column.logged() && column.sound(row); };
    array("second", false, sound, [&](const Column& column) { json_.Int64(second_value(column, row)); });
    array(
        "multi_count", true, [&](const Column& column) { return sound(column) && counts(column, row); },
        [&](const Column& column) { json_.Uint64(column.multi_count[row]); });
    array(
        "status", true, [row](const Column& column) { return !column.sound(row); },
        [&](const Column& column) { json_.text(status_number(column.status[row])); });
    array(
        "taken", true, [&](const Column& column) { return taken_apart(sample_, column, row).has_value(); },
        [&](const Column& column) { json_.text(*taken_apart(sample_, column, row)); });
}

void JsonObjects::write_cooked(std::size_t place) {
    json_.key("cooked");
    json_.StartArray();
    for (const CookedColumn& column : cooked_) json_.number_or_null(column.values[place]);
    json_.EndArray();
    json_.key("reasons");
    json_.StartArray();
    for (const CookedColumn& column : cooked_) json_.reason(column.reasons[place]);
    json_.EndArray();
}

/// The parent, and its own parent inside it, as far as the sample has them.
void JsonObjects::write_parent(const Instance& instance) {
    if (instance.parent_object == 0) {
        json_.Null();
        return;
    }
    const auto chain = ancestors(sample_, instance, Limits{}.parents);
    const Instance* at = &instance;
    for (std::size_t level = 0; at->parent_object != 0; ++level) {
        if (level != 0) json_.key("parent");
        json_.StartObject();
        json_.unsigned_number("object", at->parent_object);
        json_.unsigned_number("ordinal", at->parent_instance);
        json_.key("name");
        if (level == chain.size()) {
            json_.Null();
            close_parents(level + 1);
            return;
        }
        at = &sample_.objects()[chain[level].object].instances[chain[level].instance];
        json_.text_or_null(at->name);
    }
    close_parents(chain.size());
}

void JsonObjects::close_parents(std::size_t levels) {
    for (; levels != 0; --levels) json_.EndObject();
}

}  // namespace hkpd
