// Memory that is refused: every call of the library, with each of its allocations failing once, ends in std::bad_alloc
// or has its usual result. It neither ends the program nor loses data without a word.
#include <gtest/gtest.h>

#include <cstddef>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/path.hpp"
#include "hkpd/answers.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/export.hpp"
#include "hkpd/format.hpp"
#include "hkpd/input_check.hpp"
#include "hkpd/map_run.hpp"
#include "hkpd/overview.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/report.hpp"
#include "hkpd/rule_check.hpp"
#include "hkpd/run.hpp"
#include "hkpd/simulate.hpp"
#include "hkpd/source.hpp"
#include "hkpd/summary.hpp"
#include "hkpd/write.hpp"
#include "support/count_allocations.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace out_of_memory_test {

using hkpd::Diagnostics;
using hkpd::Filter;
using hkpd::Reader;

std::string data(std::string_view name) { return std::string(testdata_folder) + '/' + std::string(name); }

/// A call of the library: `run` returns all that it produces as text. Its files are in `folder`, which is empty before,
/// if it writes any.
struct Call {
    std::string name;
    bool writes_files = false;
    std::function<std::string(const std::string& folder)> run;
};

std::string text_of(const Diagnostics& diagnostics) {
    std::string text;
    for (const hkpd::Diagnostic& found : diagnostics.kept()) {
        append_diagnostic(text, diagnostics, found);
        text += '\n';
    }
    return text;
}

/// Returns the value, or throws if there is none: the inputs of the test can be opened.
template <class Value, class Error>
Value opened(std::expected<Value, Error> value) {
    if (!value) throw std::runtime_error("an input cannot be opened");
    return *std::move(value);
}

Reader reader_of(const std::string& path, Diagnostics* diagnostics = nullptr) {
    return opened(Reader::open({path}, {.one_source = true, .diagnostics = diagnostics}));
}

std::string read(Reader reader) {
    std::string text;
    while (reader.next())
        for (const hkpd::Object& object : reader.sample().objects())
            for (const hkpd::Column& column : object.columns)
                for (const double value : reader.cooked(object, column).values) text += value > 0 ? '+' : '.';
    return text + text_of(reader.diagnostics());
}

std::string read_files(const std::string& path) { return read(opened(Reader::open({path}))); }

using MakeWriter = std::function<std::unique_ptr<hkpd::Writer>(const hkpd::WriteOptions& options)>;

/// Writes inputs, each a part of its own. A part or writer that failed counts as an exception.
std::string write(const std::vector<std::string>& paths, std::size_t jobs, const MakeWriter& make) {
    std::string text;
    hkpd::Run run;
    run.parts = paths.size();
    run.jobs = jobs;
    run.repeats = true;
    run.open = [&](std::size_t part, Diagnostics& diagnostics) {
        return std::make_shared<Reader>(reader_of(paths[part], &diagnostics));
    };
    run.make_writer = [&](Reader& reader, Diagnostics&, const hkpd::Sink& drain) {
        hkpd::WriteOptions options;
        options.titles = &reader.titles();
        options.drain = drain;
        return make(options);
    };
    bool refused = false;
    hkpd::write_run(
        run, [&text](std::string& more) { text += std::exchange(more, {}); },
        [&](hkpd::RunPart& part) {
            refused = refused || !part.failure.empty() || !part.write_failure.empty();
            text += text_of(part.diagnostics);
        });
    if (refused) throw std::bad_alloc();
    return text;
}

std::string write(const std::string& path, const MakeWriter& make) { return write({path}, 1, make); }

std::string database(const std::string& path, const std::string& folder) {
    const std::string file = folder + "/runs.db";
    const std::string text = write(path, [&file](hkpd::WriteOptions options) {
        options.database = file;
        return make_writer(hkpd::Format::sqlite, options);
    });
    return text + std::to_string(hkpd::size_of_file(file));
}

std::string changes(const std::string& path) {
    Reader before = reader_of(path), after = reader_of(path);
    Filter everything;
    const hkpd::Changes found = compare_runs(before, after, everything);
    return std::to_string(found.changed.size()) + ' ' + std::to_string(found.unchanged) + text_of(after.diagnostics());
}

hkpd::RuleRun rules() { return opened(hkpd::RuleRun::create(opened(hkpd::Rules::read(data("busy.xml"))), {})); }

std::string report(const std::string& path) {
    Reader reader = reader_of(path), before = reader_of(path);
    Filter everything;
    return hkpd::report(reader, everything, rules(), {.baseline = "before"}, &before).page;
}

std::string rule_check(const std::string& path) {
    Diagnostics diagnostics;
    Reader reader = reader_of(path, &diagnostics);
    hkpd::RuleCheck check(rules(), reader.titles(), {}, {});
    Filter everything;
    hkpd::visit_samples(reader, everything, false, diagnostics, [&](Reader& from, auto selected) {
        check.add(from.sample(), selected, from.cooker());
        return true;
    });
    std::string text;
    for (const auto& found : check.finish(diagnostics).findings) text += found.object + found.instance + found.counter;
    return text + text_of(diagnostics);
}

std::string check(const std::string& path) {
    const hkpd::InputCheck found = hkpd::check({path});
    std::string text;
    append_findings_text(text, found.findings(), found.checked(), true);
    append_findings_json(text, found.findings(), found.checked());
    append_findings_sarif(text, found.findings(), "1");
    return text;
}

std::string overview(const std::string& path) {
    Diagnostics diagnostics;
    const hkpd::Overview found = hkpd::summarize(path, {.paths = true}, diagnostics);
    std::string text;
    append_overview(text, found, diagnostics, {.name = path, .check = "check", .all = true});
    append_overview_json(text, path, found, diagnostics);
    write_paths(found, {}, [&text](std::string& more) { text += std::exchange(more, {}); }, diagnostics);
    return text;
}

std::string map(const std::string& path, bool json) {
    hkpd::MapRun run;
    run.inputs = {path};
    run.writer = json ? hkpd::make_map_json() : hkpd::make_map_listing(true);
    Diagnostics diagnostics;
    std::string text;
    hkpd::write_map(run, [&text](std::string& more) { text += std::exchange(more, {}); }, diagnostics);
    return text + text_of(diagnostics);
}

std::string capture(const std::string& path, const std::string& folder) {
    const std::string output = folder + "/run.mcap";
    Diagnostics diagnostics;
    const auto source = hkpd::open_files({path}, {});
    hkpd::CaptureFile file = opened(hkpd::CaptureFile::create(output));
    while (const auto record = source->next(diagnostics)) file.add(*record, {});
    if (!file.finish()) throw std::bad_alloc();
    return text_of(diagnostics) + std::to_string(hkpd::size_of_file(output));
}

std::string exported(const std::string& path, const std::string& folder) {
    Diagnostics diagnostics;
    const auto done = hkpd::export_capture(path, folder + "/files", {}, diagnostics);
    if (!done || !done->failure.empty()) throw std::bad_alloc();
    std::string text = text_of(diagnostics);
    std::error_code error;
    for (const std::string& file : hkpd::files_in(folder + "/files", error))
        text += file.substr(folder.size()) + ' ' + std::to_string(hkpd::size_of_file(file)) + '\n';
    return text;
}

/// A list of calls, to which each call is added with its input.
class Calls {
  public:
    template <class Function>
    void add(const std::string& name, const std::string& path, Function function) {
        constexpr bool writes_files = std::is_invocable_v<Function, std::string, std::string>;
        const auto run = [=](const std::string& folder) {
            if constexpr (writes_files)
                return function(path, folder);
            else
                return function(path);
        };
        all_.push_back({name + ' ' + path.substr(path.find_last_of('/') + 1), writes_files, run});
    }
    const std::vector<Call>& all() const { return all_; }

  private:
    std::vector<Call> all_;
};

/// Returns the inputs, one of each kind that is read by code of its own.
std::vector<std::string> inputs() {
    std::vector<std::string> paths{data("captures")};
    for (const char* name : {"captures/demo.bin", "captures/damaged.bin", "captures/big-endian.bin",
                             "captures/demo.mcap", "captures/simulated.mcap", "corpus/blg/raw", "corpus/blg/mixed",
                             "corpus/text_log/csv", "corpus/packed/zip", "corpus/packed/gzip", "corpus/packed/zstd"})
        paths.push_back(data(name));
    return paths;
}

/// Returns inputs whose formats and answers are written: a log, and V1 blocks with processes that come and go.
std::vector<std::string> written_inputs() { return {data("corpus/blg/raw"), data("captures/demo.bin")}; }

Calls calls_that_read() {
    Calls calls;
    for (const std::string& path : inputs()) {
        calls.add("read", path, read_files);
        calls.add("check", path, check);
        calls.add("overview", path, overview);
        calls.add("map", path, [](const std::string& of) { return map(of, false); });
    }
    calls.add("map json", data("captures/demo.bin"), [](const std::string& of) { return map(of, true); });
    calls.add("simulate", "simulated", [](const std::string&) {
        return read(Reader(hkpd::simulate({.cpus = 1, .processes = 1, .threads = 1}, hkpd::SimulationRun{})));
    });
    return calls;
}

Calls calls_that_write() {
    Calls calls;
    for (const std::string& path : written_inputs()) {
        for (const hkpd::FormatSpec& row : hkpd::output_formats())
            if (!row.needs_file)
                calls.add("write " + std::string(row.name), path, [&row](const std::string& of) {
                    return write(of, [&row](const hkpd::WriteOptions& options) { return row.make(options); });
                });
        calls.add("write sqlite", path, database);
        calls.add("textfile", path, [](const std::string& of) { return write(of, hkpd::make_textfile_writer); });
        calls.add("parts", path, [](const std::string& of) {
            return write({of, of, of}, 2,
                         [](const hkpd::WriteOptions& options) { return make_writer(hkpd::Format::csv, options); });
        });
        calls.add("capture", path, capture);
    }
    calls.add("export", data("captures/demo.mcap"), exported);
    return calls;
}

Calls calls_that_answer() {
    using hkpd::Format;
    Calls calls;
    for (const std::string& path : written_inputs()) {
        for (const Format format : {Format::table, Format::json, Format::csv}) {
            const std::string name(hkpd::spec_of(format).name);
            calls.add("summary " + name, path, [format](const std::string& of) {
                return write(of, [format](const hkpd::WriteOptions& options) {
                    return make_summary_writer(format, options, {});
                });
            });
            calls.add("top " + name, path, [format](const std::string& of) {
                return write(of, [format](const hkpd::WriteOptions& options) {
                    return make_top_writer(format, options, {}, {});
                });
            });
        }
        calls.add("compare", path, changes);
        calls.add("report", path, report);
        calls.add("rules", path, rule_check);
    }
    return calls;
}

/// Runs a call. If `failing` is true, lets the allocation at `position` fail. Returns none after std::bad_alloc.
std::optional<std::string> run(const Call& call, bool failing = false, std::size_t position = 0,
                               Fails fails = Fails::one) {
    std::optional<TempFolder> folder;
    if (call.writes_files) folder.emplace();
    const std::string path = folder ? folder->path() : std::string();
    try {
        std::optional<FailingAllocations> failures;
        if (failing) failures.emplace(position, fails);
        return call.run(path);
    } catch (const std::bad_alloc&) {
        return std::nullopt;
    }
}

/// Lets allocations of each call fail: each position of few, and evenly spaced ones of many.
void expect_bad_alloc_or_usual_result(const Calls& calls) {
    constexpr std::size_t most_positions = 40;
    std::size_t first = 0;  // not always the first position
    for (const Call& call : calls.all()) {
        const auto usual = run(call);
        ASSERT_TRUE(usual) << call.name;
        const std::size_t before = allocations();
        run(call);
        const std::size_t count = allocations() - before;  // 0 under AddressSanitizer
        const std::size_t step = count / most_positions + 1;
        for (std::size_t position = ++first % step; position < count; position += step)
            for (const Fails fails : {Fails::one, Fails::all}) {
                const auto found = run(call, true, position, fails);
                ASSERT_TRUE(!found || *found == *usual)
                    << call.name << ": allocation " << position << " of " << count
                    << " failed, and the result is another one without an exception";
            }
    }
}

TEST(OutOfMemory, ReadingEndsInBadAllocOrTheUsualResult) { expect_bad_alloc_or_usual_result(calls_that_read()); }

TEST(OutOfMemory, WritingEndsInBadAllocOrTheUsualResult) { expect_bad_alloc_or_usual_result(calls_that_write()); }

TEST(OutOfMemory, AnswersEndInBadAllocOrTheUsualResult) { expect_bad_alloc_or_usual_result(calls_that_answer()); }

}  // namespace out_of_memory_test
}  // namespace hkpd_test
