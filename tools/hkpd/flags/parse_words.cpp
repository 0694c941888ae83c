#include "flags/parse_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace hkpd::command {
namespace {

/// Number of arguments up to which Boost parses them at once.
constexpr std::size_t few = 64;

/// Arguments in which one word stands for each long run of words.
class ShortArguments {
  public:
    explicit ShortArguments(const Strings& arguments) {
        const auto is_word = [](const std::string& word) { return !word.starts_with('-'); };
        auto next = arguments.begin();
        while (next != arguments.end()) {
            if (*next == "--") {
                words_.push_back(*next++);
                add_run(next, arguments.end());
                return;
            }
            words_.push_back(*next++);
            const auto end = std::find_if_not(next, arguments.end(), is_word);
            if (next == end) continue;
            words_.push_back(*next++);  // it may be the value of an option that has only one
            add_run(next, end);
            next = end;
        }
    }

    /// Returns the arguments, in parts that begin with an option.
    std::vector<Strings> parts() const {
        std::vector<Strings> all(1);
        for (const std::string& word : words_) {
            Strings& part = all.back();
            // A word that follows another one is no value of an option, if it begins with a dash.
            const bool begins = part.size() >= few && word.starts_with('-') && !part.back().starts_with('-');
            (begins ? all.emplace_back() : part).push_back(word);
        }
        return all;
    }

    /// Replaces each word that stands for others with them.
    void expand(Strings& values) const {
        Strings expanded;
        for (std::string& value : values)
            if (const auto run = runs_.find(value); run != runs_.end())
                expanded.insert(expanded.end(), run->second.first, run->second.second);
            else
                expanded.push_back(std::move(value));
        values = std::move(expanded);
    }

  private:
    using Word = Strings::const_iterator;

    void add_run(Word begin, Word end) {
        if (begin == end) return;
        std::string name = fmt::format("words {}", runs_.size());
        name.front() = '\0';  // as no argument begins
        runs_.emplace(name, std::pair(begin, end));
        words_.push_back(std::move(name));
    }

    Strings words_;
    std::map<std::string, std::pair<Word, Word>> runs_;
};

}  // namespace

po::parsed_options parse_words(const Strings& arguments, const po::options_description& options,
                               const WordStyle& style) {
    const auto parse = [&](const Strings& part) {
        po::command_line_parser parser(part);
        parser.extra_parser(style.parser);
        return parser.options(options).positional(style.words).style(style.style).run();
    };
    if (arguments.size() <= few) return parse(arguments);
    const ShortArguments shortened(arguments);
    const std::vector<Strings> parts = shortened.parts();
    po::parsed_options all = parse(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i)
        for (po::option& option : parse(parts[i]).options) all.options.push_back(std::move(option));
    for (po::option& option : all.options) shortened.expand(option.value);
    return all;
}

}  // namespace hkpd::command
