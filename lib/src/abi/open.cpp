// The C interface: readers are opened, fed and closed.
#include <fmt/core.h>

#include <array>
#include <iterator>
#include <ranges>
#include <span>

#include "abi/reader.hpp"
#include "hkpd/version.hpp"

namespace hkpd::abi {

void FedRecords::add(const hkpd_record& record) {
    Waiting& waiting = waiting_.emplace_back();
    if (record.machine != nullptr) waiting.machine = record.machine;
    if (record.language != nullptr) waiting.language = record.language;
    Record& to = waiting.record;
    constexpr std::array kinds{Record::Kind::v1_block, Record::Kind::titles,         Record::Kind::provenance,
                               Record::Kind::v2_block, Record::Kind::v2_identifiers, Record::Kind::v2_registration};
    to.kind = kinds[record.kind];
    to.bytes = Bytes(std::as_bytes(std::span(static_cast<const char*>(record.data), record.size)));
    std::memcpy(to.counterset.bytes.data(), std::data(record.counterset), to.counterset.bytes.size());
    to.request = record.request;
    if (record.time > 0) to.time = static_cast<std::uint64_t>(record.time);
    to.whole_sample = to.kind == Record::Kind::v1_block;
}

std::optional<Record> FedRecords::next(Diagnostics& diagnostics) {
    if (waiting_.empty()) return std::nullopt;
    if (!std::exchange(named_, true)) diagnostics.add_input("fed records");
    current_ = std::move(waiting_.front());
    waiting_.pop_front();
    Record& record = current_.record;
    record.machine = current_.machine;
    record.language = current_.language;
    record.place.input = 0;
    return record;
}

hkpd_status fail(hkpd_error* error, hkpd_status status, std::string_view message, int system) noexcept {
    hkpd_error made{};
    made.status = status;
    made.system = system;
    if (message.empty()) message = hkpd_status_text(status);
    const std::size_t size = std::min(message.size(), sizeof(made.message) - 1);
    std::memcpy(std::data(made.message), message.data(), size);
    fill(error, made);
    return status;
}

std::vector<std::string> languages_of(const char* list) {
    std::vector<std::string> found;
    if (list == nullptr) return found;
    for (const auto part : std::views::split(std::string_view(list), ','))
        if (!std::ranges::empty(part)) found.emplace_back(part.begin(), part.end());
    return found;
}

namespace {

/// Adds the zones of a list of `hkpd_options::log_zones`. Returns the message for one that is none; empty on success.
std::string take_log_zones(std::string_view rest, LogZones& zones) {
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view text = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (text.empty()) continue;
        auto zone = parse_log_zone(text);
        if (!zone) return fmt::format("'{}' states no time zone of this system: expected ZONE or FILE=ZONE", text);
        zones.push_back(*std::move(zone));
    }
    return {};
}

}  // namespace

std::string take_text_options(const hkpd_options& options, LogZones& zones, TextEncoding& encoding) {
    if (std::string wrong = take_log_zones(options.log_zones == nullptr ? "" : options.log_zones, zones);
        !wrong.empty())
        return wrong;
    const std::string_view name = options.encoding == nullptr ? "" : options.encoding;
    if (name.empty()) return {};
    auto parsed = TextEncoding::parse(name);
    if (!parsed) return fmt::format("'{}' is no encoding that this system knows and that begins like ASCII", name);
    encoding = *std::move(parsed);
    return {};
}

namespace {

CookOptions cook_options(std::uint32_t flags) noexcept {
    return {.cap = (flags & HKPD_CAP) != 0,
            .clamp = (flags & HKPD_CLAMP) != 0,
            .unwrap = (flags & HKPD_UNWRAP) != 0,
            .scale = (flags & HKPD_SCALE) != 0};
}

Range range_of(const hkpd_options& options) noexcept {
    Range range;
    if ((options.flags & HKPD_HAS_FROM) != 0) range.from = options.from;
    if ((options.flags & HKPD_HAS_TO) != 0) range.to = options.to;
    range.first = options.first_sample;
    if (options.sample_count != 0 && options.sample_count - 1 <= range.last - range.first)
        range.last = range.first + options.sample_count - 1;
    return range;
}

/// Returns the titles that the program has passed, with the built-in ones after them.
Titles titles_of(const hkpd_options& options, const Limits& limits, Diagnostics& faults) {
    Titles titles;
    Record record;
    record.kind = Record::Kind::titles;
    record.bytes = Bytes(std::as_bytes(std::span(static_cast<const char*>(options.titles), options.titles_size)));
    record.name = "titles";
    record.place.input = faults.add_input("titles");
    add_titles(titles, record, limits, FaultSink(faults, record.place));
    titles.add(builtin_titles());
    return titles;
}

/// Sets the filter of Arrow tables. Returns the first path that is no counter path; none if all are.
std::optional<std::string> set_filter(hkpd_reader& made, const hkpd_options& options) {
    if (options.path_count == 0) return std::nullopt;
    made.filter.emplace();
    for (const char* const text : std::span(options.paths, options.path_count)) {
        auto path = text == nullptr ? std::nullopt : CounterPath::parse(text);
        if (!path) return text == nullptr ? "NULL" : text;
        made.filter->add_path(*std::move(path));
    }
    return std::nullopt;
}

/// Opens a reader. `open` returns the library's reader for the options.
template <class Open>
hkpd_status open_with(const hkpd_options* given, hkpd_reader** reader, hkpd_error* error, Open open) noexcept {
    if (error != nullptr && !take(error)) return HKPD_ERROR_ARGUMENT;
    if (reader == nullptr) return fail(error, HKPD_ERROR_ARGUMENT, "the pointer to the reader is NULL");
    *reader = nullptr;
    const auto options = take_or_zero(given);
    if (!options) return fail(error, HKPD_ERROR_ARGUMENT, options_too_small);
    if ((options->titles == nullptr && options->titles_size != 0) ||
        (options->paths == nullptr && options->path_count != 0))
        return fail(error, HKPD_ERROR_ARGUMENT, "hkpd_options has a size without a pointer");
    const hkpd_status status = guarded([&]() -> hkpd_status {
        auto made = std::make_unique<hkpd_reader>();
        if (const auto wrong = set_filter(*made, *options))
            return fail(error, HKPD_ERROR_ARGUMENT,
                        fmt::format("'{}' is not a counter path: expected \\object(instance)\\counter", *wrong));
        made->batch_rows = options->batch_rows;
        ReaderOptions as;
        if (options->machines != 0) as.limits.machines = options->machines;
        as.range = range_of(*options);
        as.every = std::max<std::uint64_t>(options->every, 1);
        as.cook = cook_options(options->flags);
        as.compare = (options->flags & HKPD_RAW_ONLY) == 0;
        as.languages = languages_of(options->languages);
        if (const auto wrong = take_text_options(*options, as.log_zones, as.encoding); !wrong.empty())
            return fail(error, HKPD_ERROR_ARGUMENT, wrong);
        as.input_titles = (options->flags & HKPD_NO_INPUT_TITLES) == 0;
        as.diagnostics = &made->faults;
        if (options->titles != nullptr) as.titles = titles_of(*options, as.limits, made->faults);
        if (const hkpd_status opened = open(*made, std::move(as)); opened != HKPD_OK) return opened;
        if (made->filter) made->filter->use_english(made->reader->titles());
        *reader = made.release();
        return HKPD_OK;
    });
    // The functions above have filled `error` for all other statuses.
    return status == HKPD_ERROR_MEMORY || status == HKPD_ERROR_INTERNAL ? fail(error, status) : status;
}

/// Puts an opened reader into its handle. `what`: the input, for the message of a failure.
hkpd_status put(hkpd_reader& made, std::expected<Reader, Error> opened, std::string_view what, hkpd_error* error) {
    if (opened) {
        made.reader = std::make_unique<Reader>(*std::move(opened));
        return HKPD_OK;
    }
    std::string message(what);
    message += ": ";
    append_message(message, opened.error());
    const bool of_system = opened.error().code == Errc::cannot_read;
    return fail(error, HKPD_ERROR_OPEN, message, of_system ? static_cast<int>(opened.error().found) : 0);
}

}  // namespace

hkpd_status open_paths(std::span<const char* const> paths, const hkpd_options* options, const Opening& how,
                       hkpd_reader** reader, hkpd_error* error) noexcept {
    return open_with(options, reader, error, [&](hkpd_reader& made, ReaderOptions as) -> hkpd_status {
        if (paths.empty()) return fail(error, HKPD_ERROR_ARGUMENT, "there is no path");
        std::vector<std::string> list;
        for (const char* const path : paths) {
            if (path == nullptr) return fail(error, HKPD_ERROR_ARGUMENT, "a path is NULL");
            list.emplace_back(path);
        }
        as.one_source = how.one_source;
        if (how.faults != nullptr) as.diagnostics = how.faults;
        const std::string first = list.front();
        return put(made, Reader::open(std::move(list), std::move(as)), first, error);
    });
}

}  // namespace hkpd::abi

using hkpd::abi::fail;
using hkpd::abi::open_with;
using hkpd::abi::put;

const char* hkpd_version() { return hkpd::version_text.data(); }

const char* hkpd_status_text(hkpd_status status) {
    switch (status) {
        case HKPD_OK:
            return "success";
        case HKPD_END:
            return "no more samples";
        case HKPD_ERROR_ARGUMENT:
            return "an argument is invalid: a pointer is NULL, an index is too large, or struct_size is too small";
        case HKPD_ERROR_STATE:
            return "there is no current sample, or the reader is not of the right kind";
        case HKPD_ERROR_OPEN:
            return "the input cannot be opened";
        case HKPD_ERROR_MEMORY:
            return "out of memory";
        case HKPD_ERROR_INTERNAL:
            return "a fault of hkpd itself";
        default:
            return "unknown status";
    }
}

hkpd_status hkpd_open(const char* const* paths, size_t path_count, const hkpd_options* options, hkpd_reader** reader,
                      hkpd_error* error) {
    return hkpd::abi::open_paths({paths, paths == nullptr ? 0 : path_count}, options, {}, reader, error);
}

hkpd_status hkpd_open_memory(const void* data, size_t size, const hkpd_options* options, hkpd_reader** reader,
                             hkpd_error* error) {
    return open_with(options, reader, error, [&](hkpd_reader& made, hkpd::ReaderOptions as) -> hkpd_status {
        if (data == nullptr && size != 0) return fail(error, HKPD_ERROR_ARGUMENT, "the pointer to the data is NULL");
        const auto bytes = std::as_bytes(std::span(static_cast<const char*>(data), size));
        return put(made, hkpd::Reader::open(bytes, std::move(as)), "memory", error);
    });
}

hkpd_status hkpd_open_feed(const hkpd_options* options, hkpd_reader** reader, hkpd_error* error) {
    return open_with(options, reader, error, [](hkpd_reader& made, hkpd::ReaderOptions as) -> hkpd_status {
        auto fed = std::make_unique<hkpd::abi::FedRecords>();
        made.fed = fed.get();
        made.reader = std::make_unique<hkpd::Reader>(std::move(fed), std::move(as));
        return HKPD_OK;
    });
}

hkpd_status hkpd_feed(hkpd_reader* reader, const hkpd_record* record) {
    const auto taken = hkpd::abi::take(record);
    if (reader == nullptr || !taken || (taken->data == nullptr && taken->size != 0)) return HKPD_ERROR_ARGUMENT;
    if (taken->kind > HKPD_RECORD_V2_REGISTRATION || taken->kind == 2) return HKPD_ERROR_ARGUMENT;
    if (reader->fed == nullptr || reader->streaming) return HKPD_ERROR_STATE;
    return hkpd::abi::guarded(*reader, [&]() -> hkpd_status {
        reader->fed->add(*taken);
        return HKPD_OK;
    });
}

void hkpd_close(hkpd_reader* reader) { delete reader; }
