#include "hkpd/reader.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <utility>

#include "base/path.hpp"
#include "hkpd/source.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"

namespace hkpd {
namespace {

/// The built-in titles alone, for blocks that bring none along.
const Titles& builtin_titles_alone() {
    static const Titles titles = [] {
        Titles made;
        made.add(builtin_titles());
        return made;
    }();
    return titles;
}

/// Returns why a path cannot be opened, as the system's error number; 0 where it can.
int why_not_opened(const std::string& path) {
    if (path == "-" || is_directory(path)) return 0;
    const std::ifstream file(path_of(path), std::ios::binary);
    return file ? 0 : errno;
}

}  // namespace

class Reader::State {
  public:
    State(std::unique_ptr<Source> input, ReaderOptions options)
        : source(std::move(input)),
          diagnostics(options.diagnostics == nullptr ? &own_diagnostics : options.diagnostics),
          titles(options.titles ? *std::move(options.titles) : builtin_titles_alone()),
          samples(*source, &titles, options.limits),
          replay(samples, {options.range, options.every, options.cook, options.one_source, options.compare}) {
        if (options.input_titles) samples.take_titles(titles);
        if (!options.languages.empty()) titles.prefer(options.languages);
        countersets.prefer(options.languages);
        samples.take_countersets(countersets);
        if (options.only) samples.take_only(*options.only);
        if (options.provenance) samples.print_provenance(std::move(options.provenance));
    }

    std::unique_ptr<Source> source;
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
    auto source = open_files(std::move(paths), options.limits, options.range);
    return Reader(std::move(source), std::move(options));
}

std::expected<Reader, Error> Reader::open(std::span<const std::byte> bytes, ReaderOptions options) {
    if (bytes.empty()) return std::unexpected(Error{Errc::no_data, 0, "", "", 0, 0});
    auto source = open_bytes(bytes, options.limits, options.range);
    return Reader(std::move(source), std::move(options));
}

bool Reader::next() { return state_->replay.next(*state_->diagnostics); }

const Sample& Reader::sample() const noexcept { return state_->replay.sample(); }

std::uint32_t Reader::number() const noexcept { return state_->replay.number(); }

CookedColumn Reader::cooked(const Object& object, const Column& column) {
    const auto position = static_cast<std::size_t>(&object - sample().objects().data());
    return cooker().column(position, static_cast<std::size_t>(&column - object.columns.data()));
}

Cooker& Reader::cooker() noexcept { return state_->replay.cooker(); }

std::uint32_t Reader::count() const noexcept { return state_->samples.count(); }

const Diagnostics& Reader::diagnostics() const noexcept { return *state_->diagnostics; }

const Titles& Reader::titles() const noexcept { return state_->titles; }

const Countersets& Reader::countersets() const noexcept { return state_->countersets; }

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
    SampleBuilder builder(titles == nullptr ? &builtin_titles_alone() : titles, {});
    builder.begin(sample, v1_block, faults);
    builder.add(sample, v1_block, faults);
    builder.finish(sample, 0, faults);
    return sample;
}

}  // namespace hkpd
