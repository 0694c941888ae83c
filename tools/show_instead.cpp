#include "show_instead.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "hkpd/write.hpp"
#include "progress.hpp"
#include "sample/display_name.hpp"
#include "write/cells.hpp"

namespace hkpd::command {
namespace {

/// Returns a word of a command line as a shell reads it.
std::string shell_word(std::string_view text) {
    constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:,=+@%";
    if (!text.empty() && text.find_first_not_of(harmless) == std::string_view::npos) return std::string(text);
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string_view(R"('\'')") : std::string_view(&c, 1);
    return printable(word += '\'');
}

/// The objects that an overview lists. An input with more objects is most likely damaged.
constexpr std::size_t most_objects = 1000;

/// The samples and objects that were found in the inputs.
class Overview {
  public:
    void add(const Sample& sample) {
        ++samples_;
        bytes_ += sample.bytes;
        if (sample.machine && machine_.empty()) machine_ = *sample.machine;
        several_machines_ = several_machines_ || (sample.machine && *sample.machine != machine_);
        if (sample.system_time) {
            last_ = *sample.system_time;
            if (!first_) first_ = last_;
        }
        for (const Object& object : sample.objects()) add(sample, object);
    }

    std::uint32_t samples() const noexcept { return samples_; }
    /// Returns the path of the counter for the example, and the name of its object.
    const std::string& path() const noexcept { return path_; }
    const std::string& object() const noexcept { return object_; }

    /// Returns the overview as text. `complete`: whether the inputs were read to their end.
    std::string text(bool complete) const {
        std::string out = fmt::format("{}{} of ", complete ? "" : "at least ", count_of(samples_, "sample"));
        append_machine(out, machine_);
        if (several_machines_) out += " and others";
        if (first_) {
            append_time(out += ", ", *first_);
            append_time(out += " to ", last_);
        }
        out += fmt::format(", {}\n{}: ", size_text(bytes_), count_of(objects_.size(), "object"));
        std::string list;
        for (const Listed& listed : objects_) {
            if (!list.empty()) list += ", ";
            list += listed.label;
            if (listed.is_list) list += fmt::format(" ({})", count_of(listed.instances, "instance"));
        }
        constexpr std::size_t longest = 1200;  // about a screen
        if (list.size() > longest) {
            list.resize(list.rfind(',', longest));
            list += ", ...";
        }
        append_wrapped(out, list, 2, output_width());
        return out;
    }

  private:
    struct Listed {
        std::string label;
        bool is_list;
        std::size_t instances;  // in the sample with the most
    };

    void add(const Sample& sample, const Object& object) {
        std::string label = printable(object_label(sample.source, object));
        const auto found = std::ranges::find(objects_, label, &Listed::label);
        if (found != objects_.end()) {
            found->instances = std::max(found->instances, object.instances.size());
            return;
        }
        if (objects_.size() >= most_objects) return;
        objects_.push_back({std::move(label), object.kind == Kind::multi, object.instances.size()});
        choose(object);
    }

    /// Chooses the counter for the example: % Processor Time of all processors or, if the inputs do not have it, the
    /// first counter with a name and cooked values.
    void choose(const Object& object) {
        static const Pattern usual_object("Processor"), usual_counter("% Processor Time");
        if (!object.name) return;
        const bool is_usual = usual_object.matches(object.name->text);
        if (!path_.empty() && !is_usual) return;
        const auto has_total = [&] {
            return std::ranges::any_of(object.instances, [](const Instance& one) {
                static const Pattern total("_Total");
                return total.matches(one.name.value_or(""));
            });
        };
        for (const Column& column : object.columns) {
            if (!column.name || !is_displayable(column)) continue;
            const bool usual = is_usual && usual_counter.matches(column.name->text);
            if (!path_.empty() && !usual) continue;
            const std::string_view instance = object.kind != Kind::multi ? "" : has_total() ? "(_Total)" : "(*)";
            object_ = object.name->text;
            path_ = fmt::format("\\{}{}\\{}", object_, instance, column.name->text);
            if (usual || !is_usual) return;
        }
    }

    std::uint32_t samples_ = 0;
    std::uint64_t bytes_ = 0;
    std::string machine_;
    bool several_machines_ = false;
    std::optional<SystemTime> first_;
    SystemTime last_{};
    std::vector<Listed> objects_;
    std::string path_, object_;
};

/// Returns the inputs as words of a command line.
std::string input_words(const InputOptions& options) {
    std::string words;
    const auto add = [&words](std::string_view option, const Strings& values) {
        for (const std::string& value : values)
            words += fmt::format("{}{} {}", words.empty() ? "" : " ", option, shell_word(value));
    };
    for (const std::string& input : options.inputs) words += (words.empty() ? "" : " ") + shell_word(input);
    add("--titles", options.titles);
    add("--lang", options.languages);
    add("--v2", options.v2.blocks);
    add("--registration", options.v2.registrations);
    add("--identifiers", options.v2.identifiers);
    return words;
}

/// Returns three commands that show more of the inputs, with a line of explanation before each.
std::string commands(std::string_view subcommand, const std::string& inputs, const Overview& overview) {
    std::string out;
    const auto add = [&](std::string_view what, std::string_view name, std::string_view options) {
        out += fmt::format("\n{}:\n  hkpd {} {} {}\n", what, name, inputs, options);
    };
    if (!overview.path().empty() && subcommand == "replay")
        add("A line for each sample", "replay", "--path " + shell_word(overview.path()));
    if (!overview.path().empty() && subcommand == "dump")
        add("One object", "dump", "--object " + shell_word(overview.object()));
    add("A line for each counter and instance", "replay", "--summary");
    add("Everything", subcommand, "--all");
    return out;
}

}  // namespace

Shown show_instead(std::string_view subcommand, const InputOptions& options, ReaderOptions how) {
    constexpr std::chrono::seconds most_time{2};
    const auto begun = std::chrono::steady_clock::now();
    Diagnostics diagnostics;
    Input input(options, std::move(how), diagnostics);
    Overview overview;
    bool complete = true;
    while (complete && input.reader().next()) {
        overview.add(input.reader().sample());
        complete = std::chrono::steady_clock::now() - begun < most_time;
    }
    if (overview.samples() != 0) {
        std::string out = overview.text(complete) + commands(subcommand, input_words(options), overview);
        write_out(out);
    }
    return {.exit = report_found(options, diagnostics, overview.samples()),
            .samples = overview.samples(),
            .count = input.reader().count(),
            .unmatched = {}};
}

}  // namespace hkpd::command
