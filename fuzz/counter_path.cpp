// What a user asks for: a file of up to a thousand counter paths, each also used as a wildcard, against the sample of a
// simulated machine.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "hkpd/simulate.hpp"
#include "properties.hpp"
#include "sample/fill/v1_builder.hpp"
#include "source/sample_reader.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

/// The targets of paths: everything that the machine shows through one interface.
class Shown {
  public:
    explicit Shown(bool v1) {
        SimulationOptions small;
        small.cpus = 2;
        small.processes = 6;
        small.threads = 8;
        SimulationRun run;
        run.v1 = v1;
        run.v2 = !v1;
        const auto source = simulate(small, run);
        SampleReader reader(*source, &titles_, {});
        reader.take_titles(titles_);
        reader.take_countersets(countersets_);
        Diagnostics diagnostics;
        require(reader.next(sample, diagnostics));
    }
    Sample sample;

  private:
    Titles titles_;
    Countersets countersets_;
};

/// One object of the machine in V1.
class FewShown {
  public:
    FewShown() {
        constexpr std::uint32_t processor = 238;
        SimulationOptions small;
        small.cpus = 2;
        const std::vector<std::byte> bytes = SimulatedMachine(small).v1_block(std::array{processor});
        titles_.add(builtin_titles());
        Diagnostics diagnostics;
        v1::Block block;
        require(block.open(Bytes(bytes), diagnostics).has_value());
        SampleBuilder builder(&titles_, {});
        builder.begin(sample, block, diagnostics);
        builder.add(sample, block, diagnostics);
        builder.finish(sample, 0, diagnostics);
    }
    Sample sample;

  private:
    Titles titles_;
};

/// Matches wildcards by their definition, for ASCII: keeps the set of text positions that the pattern so far can have
/// matched.
bool matches_slowly(std::string_view pattern, std::string_view text) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    std::vector<char> ends(text.size() + 1, 0), next(ends);  // each element is 0 or 1
    ends[0] = 1;
    for (const char p : pattern) {
        for (std::size_t t = 0; t <= text.size(); ++t) {
            if (p == '*')
                next[t] = std::max(ends[t], t > 0 ? next[t - 1] : char{0});
            else
                next[t] = t > 0 && (p == '?' || lower(p) == lower(text[t - 1])) ? ends[t - 1] : char{0};
        }
        std::swap(ends, next);
    }
    return ends.back() != 0;
}

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void require_matching(std::string_view text, const Effort& effort) {
    const Pattern pattern(text);
    require(pattern.text() == text);
    require(pattern.matches(text));  // a wildcard matches itself too
    if (text.size() > 256 || !is_ascii(text)) return;
    static constexpr std::string_view names[] = {"", "_Total", "svchost", "0,0", "% Processor Time"};
    for (std::size_t i = 0; i < std::size(names); ++i)
        if (effort.takes(i, std::size(names))) require(pattern.matches(names[i]) == matches_slowly(text, names[i]));
    if (!effort.takes(0, 2)) return;
    const std::string_view other = text.substr(text.size() / 2);
    require(pattern.matches(other) == matches_slowly(text, other));
}

/// Requires that places are in the sample and ascending, and that no instance of an object is there twice.
void require_valid(const std::vector<Selected>& selected, const Sample& sample) {
    std::vector<std::vector<bool>> seen(sample.objects().size());
    for (const Selected& part : selected) {
        require(part.object < sample.objects().size());
        const Object& object = sample.objects()[part.object];
        seen[part.object].resize(object.instances.size());
        require(std::ranges::is_sorted(part.rows, std::ranges::less_equal{}) || part.rows.size() < 2);
        require(std::ranges::adjacent_find(part.columns, std::ranges::greater_equal{}) == part.columns.end());
        for (const std::uint32_t row : part.rows) {
            require(row < object.instances.size() && !seen[part.object][row]);
            seen[part.object][row] = true;
        }
        for (const std::uint32_t column : part.columns) require(column < object.columns.size());
    }
}

std::array<const Sample*, 3> samples() {
    static const FewShown few;
    static const Shown v1(true), v2(false);
    return {&few.sample, &v1.sample, &v2.sample};
}

void select(Filter filter, std::size_t requests, const Effort& effort) {
    for (const Sample* sample : samples()) {
        std::vector<Selected> selected;
        filter.select(*sample, selected);
        require_valid(selected, *sample);
        if (!effort.thorough()) break;
    }
    if (effort.thorough()) require(filter.unmatched().size() <= requests);  // looks for similar names
}

void select_paths(const std::vector<std::string>& lines, const Effort& effort) {
    Filter paths;
    std::size_t count = 0;
    for (const std::string& line : lines) {
        auto path = CounterPath::parse(line);
        if (!path) continue;
        require(path->text == line);
        paths.add_path(*std::move(path));
        ++count;
    }
    select(std::move(paths), count, effort);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Effort effort(data, size);
    samples();  // made before the budget starts
    const ExactCopy input(std::as_bytes(std::span(data, size)));
    std::vector<std::string> lines = read_path_list(input.bytes());
    if (effort.thorough()) require(lines == read_path_list(input.bytes()));
    const std::size_t most_lines = effort.thorough() ? 1000 : effort.takes(0, 16) ? 40 : 8;
    if (lines.size() > most_lines) lines.resize(most_lines);
    const Budget budget(size, 20'000, static_cast<unsigned>(16 + lines.size() / 4));
    for (const std::string& line : lines) require_matching(line, effort);
    constexpr std::size_t choices = 12;  // most inputs are only read and matched
    if (effort.takes(0, choices)) select_paths(lines, effort);
    if (effort.takes(1, choices)) {
        Filter objects;
        for (const std::string& line : lines) objects.add_object(line);
        select(std::move(objects), lines.size(), effort);
    }
    if (effort.takes(2, choices)) {
        Filter instances;
        for (const std::string& line : lines) {
            instances.add_instance(line);
            instances.add_counter(line);
        }
        select(std::move(instances), 2 * lines.size(), effort);
    }
    return 0;
}
