#include "hkpd/reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "hkpd/source.hpp"
#include "identity/matcher.hpp"
#include "names/local_titles.hpp"
#include "names/titles.hpp"
#include "sample/memory.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "v1/decode.hpp"
#include "v2/decode.hpp"

namespace hkpd {
namespace {

/// Returns titles that contain only the built-in title table. They are used if the caller supplies no titles.
const Titles& builtin_titles_alone() {
    static const Titles titles = [] {
        Titles made;
        made.add(builtin_titles());
        return made;
    }();
    return titles;
}

/// Returns the system's error number if a path cannot be opened; 0 if it can.
int why_not_opened(const std::string& path) {
    if (path == "-" || is_directory(path)) return 0;
    const FileStream file(path);
    return file ? 0 : errno;
}

/// Offset in PERF_DATA_BLOCK of SystemNameLength and SystemNameOffset, which describe the machine's name (winperf.h).
constexpr std::uint64_t v1_name_at = 80;

/// Returns the error `machine_changed`. In V1, it is located at the machine's name in the first block of a sample. In
/// V2, a block does not contain the machine's name, so the error is located at the start of the block.
Error place_of_machine(SampleSource source) noexcept {
    if (source == SampleSource::v1) return {Errc::machine_changed, v1_name_at, "PERF_DATA_BLOCK", "SystemName", 0, 0};
    return {Errc::machine_changed, 0, "PERF_DATA_HEADER", "", 0, 0};
}

/// Returns the error `time_order`, located at the time in the first block of a sample, or at the start of a log row.
Error place_of_time(SampleSource source) noexcept {
    if (source == SampleSource::v1)
        return {Errc::time_order, v1::system_time_at, "PERF_DATA_BLOCK", "SystemTime", 0, 0};
    if (source == SampleSource::v2)
        return {Errc::time_order, v2::system_time_at, "PERF_DATA_HEADER", "SystemTime", 0, 0};
    return {Errc::time_order, 0, "log row", "", 0, 0};
}

/// Returns whether both samples are known to have the same objects with the same counters.
bool have_same_definitions(const Sample& before, const Sample& now) noexcept {
    return std::ranges::equal(before.objects(), now.objects(), [](const Object& a, const Object& b) {
        return a.title_index == b.title_index && a.memory().definitions.same_as(b.memory().definitions);
    });
}

}  // namespace

std::uint32_t Replay::number() const { return reader_.count() - 1; }

/// Returns the cooker of the current sample. The first call for a sample matches the sample with the previous one of
/// its stream. The match is not made earlier, because it takes time and many callers cook no values.
Cooker& Replay::cooker() {
    if (stream_ == nullptr) stream_ = &alone_;
    if (!std::exchange(cooking_, true))
        stream_->cooker.begin(stream_->has_before ? &stream_->before : nullptr, sample_);
    return stream_->cooker;
}

bool Replay::next(Diagnostics& diagnostics) {
    keep();
    Diagnostics::Mark before = diagnostics.mark();
    while (reader_.next(sample_, diagnostics)) {
        const bool is_first = is_bounded_ && sample_.origin.input != input_;
        if (is_bounded_) begin_bounded(before, diagnostics);
        if (options_.range.last != Range{}.last && number() > options_.range.last) {
            end_range(before, diagnostics);
            break;
        }
        if (!wanted()) {
            if (is_first) begin_input();
            if (options_.compare && precedes_range()) keep_for_first();
            forget_outside(before, is_first, diagnostics);
            before = diagnostics.mark();
            continue;
        }
        if (is_first) begin_input();
        if (is_bounded_) confirm(before, diagnostics);
        reader_.follow(sample_);
        if (!options_.compare) return true;
        Machine& machine = machine_of();
        report_machine(machine, diagnostics);
        if (!machine.first) machine.first = sample_.source;
        if (options_.one_source && sample_.source != *machine.first) {
            ++left_out_;
            before = diagnostics.mark();
            continue;
        }
        stream_ = &stream_of(machine);
        check_time(diagnostics);
        stream_->time = unix_time(sample_);
        if (stream_->count++ % options_.every != 0) {
            stream_ = nullptr;
            before = diagnostics.mark();
            continue;
        }
        check_types(diagnostics);
        return true;
    }
    if (outside_ || (is_bounded_ && !begun_)) end_range(before, diagnostics);
    if (const std::uint64_t count = std::exchange(left_out_, 0); count != 0)
        diagnostics.add({Severity::note, {Errc::other_source, 0, "", "", 0, count}});
    return false;
}

/// Notes the input of the current sample, sets the range if it depends on the sample, and counts what was passed over
/// before it, if the range is one of numbers.
void Replay::begin_bounded(const Diagnostics::Mark& before, Diagnostics& diagnostics) {
    latest_input_ = sample_.origin.input;
    find_range();
    if (options_.range.has_numbers()) diagnostics.renumber_since(before, reader_.count_passed());
}

/// Makes the source pass over what is outside the range in the input of the current sample, which is the first one.
void Replay::begin_input() {
    input_ = sample_.origin.input;
    if (options_.range_of == nullptr)
        reader_.seek(options_.range);
    else
        input_ = no_index;  // the range is not known yet
}

/// Forgets the faults that were found while the current sample was read, which is outside the range; after a sample in
/// the range, only when it is certain that none of this input follows. Faults of the beginning of an input stay.
/// `before`: the faults before. `is_first`: whether the sample is the first one of its input.
void Replay::forget_outside(const Diagnostics::Mark& before, bool is_first, Diagnostics& diagnostics) {
    const Diagnostics::Mark after = diagnostics.mark();
    const std::uint32_t input = sample_.origin.input;
    const auto of_beginning = [&](const Diagnostic& found) {
        return found.place.sample == no_index && (is_first || found.place.input != input);
    };
    if (begun_ && !is_first) {
        if (!outside_) outside_ = before;
        return;
    }
    diagnostics.forget(before, after, of_beginning);
    if (outside_) diagnostics.forget(*outside_, before, [](const Diagnostic&) { return false; });
    if (begun_) outside_ = diagnostics.mark();
}

/// Forgets the faults after the last sample in the range, except those of inputs that have no sample.
void Replay::end_range(const Diagnostics::Mark& before, Diagnostics& diagnostics) {
    diagnostics.forget(outside_.value_or(before), diagnostics.mark(), [this](const Diagnostic& found) {
        return found.place.sample == no_index && found.place.input != latest_input_;
    });
    outside_.reset();
}

/// Keeps the faults that were found up to the current sample, which is in the range.
void Replay::confirm(const Diagnostics::Mark& before, Diagnostics& diagnostics) {
    begun_ = true;
    const Diagnostics::Mark since = outside_.value_or(before);
    outside_.reset();
    if (diagnostics.is_numbered_since(since)) diagnostics.renumber_since(since, reader_.count_passed());
}

/// Keeps the current sample for comparison with the next one of its stream.
void Replay::keep() {
    Stream* const stream = std::exchange(stream_, nullptr);
    cooking_ = false;
    if (stream == nullptr || !options_.compare) return;
    std::swap(stream->before, sample_);
    stream->has_before = true;
}

Replay::Stream& Replay::stream_of(Machine& machine) const {
    auto& stream = machine.streams[std::to_underlying(sample_.source)];
    if (!stream) stream = std::make_unique<Stream>(options_.cook);
    return *stream;
}

/// Returns whether the current sample is before the range, by its number or its time.
bool Replay::precedes_range() const {
    if (options_.range.first != 0 && number() < options_.range.first) return true;
    const auto time = options_.range.has_time() ? unix_time(sample_) : std::nullopt;
    return time && *time < options_.range.from;
}

/// Keeps the current sample, which precedes the range, as the previous sample of its stream. The values of the stream's
/// first sample in the range can then be computed from that sample and this one.
void Replay::keep_for_first() {
    Stream& stream = stream_of(machine_of());
    if (stream.count != 0) return;
    stream.time = unix_time(sample_);
    std::swap(stream.before, sample_);
    stream.has_before = true;
}

/// Sets the range, if it depends on the current sample.
void Replay::find_range() {
    if (options_.range_of == nullptr || !unix_time(sample_)) return;
    options_.range = options_.range_of(sample_);
    options_.range_of = nullptr;
}

bool Replay::wanted() const {
    if (options_.range_of != nullptr) return false;
    if (options_.range.has_numbers() && !options_.range.holds_number(number())) return false;
    if (!options_.range.has_time()) return true;
    const auto time = unix_time(sample_);
    return time && options_.range.holds_time(*time);
}

/// Reports a fault at the place of the current sample. The place that the reader has reached is not used, because the
/// reader may already have read the next block, possibly from another file.
void Replay::report(Error error, std::uint32_t object, Diagnostics& diagnostics) const {
    error.offset += sample_.origin.offset;
    diagnostics.add(
        {Severity::warning, error, object, no_index, {sample_.origin.input, sample_.origin.record, number()}});
}

Replay::Machine& Replay::machine_of() {
    // A damaged name gets a key that differs from the keys of all valid names. A V2 sample without a machine's name
    // gets an empty key, and does not count as a change of machine.
    key_.clear();
    const bool named = sample_.machine && !sample_.machine->empty();
    if (sample_.source != SampleSource::v2 || named) key_ = sample_.machine ? '=' : '?';
    if (sample_.machine) key_ += *sample_.machine;
    if (const auto found = machines_.find(key_); found != machines_.end()) return found->second;
    // At the limit, all machines and their previous samples are evicted. The limit for logs is higher, because a log
    // may cover all machines of a site.
    constexpr std::uint32_t most_of_logs = 4096;
    const std::uint32_t most = reader_.limits().machines;
    if (machines_.size() >= (sample_.source == SampleSource::log ? std::max(most, most_of_logs) : most)) {
        machines_.clear();
        named_ = 0;
    }
    return machines_.emplace(key_, Machine{}).first->second;
}

/// Reports a machine whose first sample is the current one, unless it is the first machine. A log lists all its
/// machines, so a second machine in a log is expected.
void Replay::report_machine(Machine& machine, Diagnostics& diagnostics) {
    if (std::exchange(machine.is_in_range, true) || key_.empty()) return;
    if (named_++ != 0 && sample_.source != SampleSource::log)
        report(place_of_machine(sample_.source), no_index, diagnostics);
}

void Replay::check_time(Diagnostics& diagnostics) const {
    const auto now = unix_time(sample_);
    if (!now || !stream_->time || *now >= *stream_->time) return;
    constexpr std::int64_t millisecond = 1'000'000;
    Error older = place_of_time(sample_.source);
    older.expected = static_cast<std::uint64_t>(*stream_->time / millisecond);
    older.found = static_cast<std::uint64_t>(*now / millisecond);
    report(older, no_index, diagnostics);
}

/// Reports counters whose type has changed. Matches the samples only if their definitions may differ.
void Replay::check_types(Diagnostics& diagnostics) {
    if (!stream_->has_before || have_same_definitions(stream_->before, sample_)) return;
    const Matcher& matches = cooker().matches();
    for (std::size_t i = 0; i < sample_.objects().size(); ++i) {
        const std::uint32_t old = matches.object(i);
        if (old == no_index) continue;
        const Object& object = sample_.objects()[i];
        for (std::size_t c = 0; c < object.columns.size(); ++c) {
            const std::uint32_t place = matches.columns(i)[c];
            if (place == no_index) continue;
            const std::uint32_t was = stream_->before.objects()[old].columns[place].type;
            if (was != object.columns[c].type)
                report({Errc::counter_type_changed, 0, "", "", was, object.columns[c].type}, object.title_index,
                       diagnostics);
        }
    }
}

class Reader::State {
  public:
    State(std::unique_ptr<Source> input, ReaderOptions options)
        : source(std::move(input)),
          languages(options.languages),
          diagnostics(options.diagnostics == nullptr ? &own_diagnostics : options.diagnostics),
          titles(options.titles ? *std::move(options.titles) : builtin_titles_alone()),
          samples(*source, &titles, options.limits),
          replay(samples,
                 {options.range, options.range_of, options.every, options.cook, options.one_source, options.compare}) {
        // Each translation adds a table.
        const std::size_t given = titles.tables().size();
        for (std::size_t i = 0; i != given; ++i) add_translation(titles, titles.tables()[i]);
        if (options.input_titles) samples.take_titles(titles);
        if (!options.languages.empty()) titles.prefer(options.languages);
        countersets.prefer(options.languages);
        samples.take_countersets(countersets);
        if (options.only) samples.take_only(*options.only);
        if (options.english_names) samples.show_english();
        if (options.provenance) samples.print_provenance(std::move(options.provenance));
    }

    /// Reports, once, the requested languages in which the input has no names. Nothing is to be named if there was no
    /// sample.
    void report_languages() {
        if (has_sample) hkpd::report_languages(std::exchange(languages, {}), titles, countersets, *diagnostics);
    }

    std::unique_ptr<Source> source;
    std::vector<std::string> languages;  // requested ones, until they have been compared with those of the input
    bool has_sample = false;
    Diagnostics own_diagnostics;
    Diagnostics* diagnostics;
    Titles titles;
    Countersets countersets;
    SampleReader samples;
    Replay replay;
};

Reader::Reader(std::unique_ptr<Source> source, ReaderOptions options)
    : state_(std::make_unique<State>(std::move(source), std::move(options))) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

std::expected<Reader, Error> Reader::open(std::vector<std::string> paths, ReaderOptions options) {
    if (paths.empty()) return std::unexpected(Error{Errc::no_data, 0, "", "", 0, 0});
    const int first = why_not_opened(paths.front());
    if (first != 0 && std::ranges::all_of(paths, [](const std::string& path) { return why_not_opened(path) != 0; }))
        return std::unexpected(Error{Errc::cannot_read, 0, "", "", 0, static_cast<std::uint64_t>(first)});
    auto source =
        open_files(std::move(paths), options.limits, Subdirectories::skipped, options.log_zones, options.encoding);
    return Reader(std::move(source), std::move(options));
}

std::expected<Reader, Error> Reader::open(std::span<const std::byte> bytes, ReaderOptions options) {
    if (bytes.empty()) return std::unexpected(Error{Errc::no_data, 0, "", "", 0, 0});
    auto source = open_bytes(bytes, options.limits, options.log_zones, options.encoding);
    return Reader(std::move(source), std::move(options));
}

bool Reader::next() {
    const bool is_read = state_->replay.next(*state_->diagnostics);
    state_->has_sample = state_->has_sample || is_read;
    if (!is_read) state_->report_languages();
    return is_read;
}

const Sample& Reader::sample() const noexcept { return state_->replay.sample(); }

std::uint32_t Reader::number() const { return state_->replay.number(); }

CookedColumn Reader::cooked(const Object& object, const Column& column) {
    const auto position = static_cast<std::size_t>(&object - sample().objects().data());
    return cooker().column(position, static_cast<std::size_t>(&column - object.columns.data()));
}

Cooker& Reader::cooker() { return state_->replay.cooker(); }

std::uint32_t Reader::count() const { return state_->samples.count(); }

const Diagnostics& Reader::diagnostics() const noexcept { return *state_->diagnostics; }

const Titles& Reader::titles() const noexcept { return state_->titles; }

const Countersets& Reader::countersets() const noexcept { return state_->countersets; }

std::span<const TextLog> Reader::text_logs() const noexcept { return state_->samples.text_logs(); }

std::expected<Sample, Error> decode(std::span<const std::byte> block, Diagnostics* diagnostics, const Titles* titles) {
    Diagnostics discarded(0);
    Diagnostics& faults = diagnostics == nullptr ? discarded : *diagnostics;
    Sample sample;
    if (v2::is_data_block(Bytes(block))) {
        v2::DataBlock v2_block;
        if (const auto opened = v2_block.open(Bytes(block), faults); !opened) return std::unexpected(opened.error());
        Countersets countersets;
        CountersetSampleBuilder(countersets, {}).build(sample, v2_block, nullptr, {}, faults);
        return sample;
    }
    v1::Block v1_block;
    if (const auto opened = v1_block.open(Bytes(block), faults); !opened) return std::unexpected(opened.error());
    if (const std::uint64_t end = v1_block.bytes().size(); end < block.size())
        faults.add(Severity::warning, {Errc::leftover_bytes, end, "PERF_DATA_BLOCK", "", 0, block.size() - end});
    SampleBuilder builder(titles == nullptr ? &builtin_titles_alone() : titles, {}, InstanceNames::utf8,
                          Definitions::discarded);
    builder.begin(sample, v1_block, faults);
    builder.add(sample, v1_block, faults);
    builder.finish(sample, 0, faults);
    return sample;
}

}  // namespace hkpd
