#include "rules/threshold_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <pugixml.hpp>
#include <utility>

#include "base/text/encoding.hpp"
#include "base/text/located_text.hpp"
#include "base/text/parse_number.hpp"
#include "rules/description.hpp"
#include "rules/tokens.hpp"

namespace hkpd::pal {
namespace {

constexpr std::size_t longest_name = 1024, longest_question = 4096;  // in bytes, of what is shown

/// Returns text of the XML library as valid UTF-8: numbers of characters may stand for surrogates.
std::string valid_text(std::string_view text) {
    std::string out;
    append_utf8(out, std::as_bytes(std::span(text)));
    return out;
}

std::string_view attribute(const pugi::xml_node& node, const char* name) { return node.attribute(name).value(); }

/// Returns a text that is shown to people.
std::string shown(std::string_view text) { return one_line(valid_text(text), longest_name); }

/// Returns a text that is compared with names of the input.
std::string name_attribute(const pugi::xml_node& node, const char* name) {
    const std::string_view value = attribute(node, name);
    return value.size() <= longest_script ? valid_text(value) : std::string{};
}

bool is_true(std::string_view text) { return same_name(text, "True"); }

/// Returns the content of an element: all its texts.
std::string content_of(const pugi::xml_node& node) {
    std::string text;
    for (const pugi::xml_node child : node.children())
        if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) text += child.value();
    return valid_text(text);
}

/// Returns a list whose items are separated by commas.
std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> items;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        std::string item = one_line(text.substr(0, end), longest_name);
        if (!item.empty()) items.push_back(std::move(item));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return items;
}

/// Reads the elements below the root.
class FileReader {
  public:
    explicit FileReader(std::string_view file) : file_(file) {}

    /// Returns false if the file has too many analyses, or parts of them.
    bool read(const pugi::xml_node& root) {
        content_.name = shown(attribute(root, "NAME"));
        for (const pugi::xml_node node : root.children("QUESTION"))
            if (take_part()) read_question(node);
        for (const pugi::xml_node node : root.children("INHERITANCE"))
            if (take_part()) content_.inherited.push_back(name_attribute(node, "FILEPATH"));
        std::erase(content_.inherited, "");
        for (const pugi::xml_node node : root.children("ANALYSIS")) {
            if (content_.analyses.size() >= FileLimits::analyses) return false;
            read_analysis(node);
        }
        return parts_ <= FileLimits::parts;
    }

    ThresholdFile& content() noexcept { return content_; }

  private:
    /// Counts a part. Returns whether it is to be read.
    bool take_part() noexcept { return ++parts_ <= FileLimits::parts; }

    void read_question(const pugi::xml_node& node) {
        FileQuestion read;
        RuleQuestion& question = read.question;
        question.name = shown(attribute(node, "QUESTIONVARNAME"));
        question.text = one_line(content_of(node), longest_question);
        question.default_value = shown(attribute(node, "DEFAULTVALUE"));
        read.is_boolean = same_name(attribute(node, "DATATYPE"), "boolean");
        question.options = split_list(valid_text(attribute(node, "OPTIONS")));
        if (question.options.empty() && read.is_boolean) question.options = {"True", "False"};
        if (!question.name.empty()) content_.questions.push_back(std::move(read));
    }

    void read_analysis(const pugi::xml_node& node) {
        FileAnalysis analysis;
        RuleAnalysis& rule = analysis.rule;
        rule.name = shown(attribute(node, "NAME"));
        rule.category = shown(attribute(node, "CATEGORY"));
        rule.file = file_;
        rule.enabled = node.attribute("ENABLED").empty() || is_true(attribute(node, "ENABLED"));
        analysis.id = name_attribute(node, "ID");
        std::erase_if(analysis.id, [](char c) { return c == '{' || c == '}'; });
        if (const pugi::xml_node text = node.child("DESCRIPTION")) {
            Description read = read_description(content_of(text));
            rule.description_html = std::move(read.html);
            rule.description = std::move(read.text);
        }
        for (const pugi::xml_node child : node.children("DATASOURCE"))
            if (take_part()) analysis.sources.push_back(read_source(child));
        for (const pugi::xml_node child : node.children("THRESHOLD"))
            if (take_part()) analysis.thresholds.push_back(read_threshold(child));
        set_path(analysis, name_attribute(node, "PRIMARYDATASOURCE"));
        content_.analyses.push_back(std::move(analysis));
    }

    FileSource read_source(const pugi::xml_node& node) {
        FileSource source;
        source.name = name_attribute(node, "NAME");
        source.path = name_attribute(node, "EXPRESSIONPATH");
        if (is_true(attribute(node, "ISCOUNTEROBJECTREGULAREXPRESSION")))
            source.regular_expression = name_attribute(node, "REGULAREXPRESSIONCOUNTERPATH");
        source.variable = name_attribute(node, "COLLECTIONVARNAME");
        source.is_computed = same_name(attribute(node, "TYPE"), "Generated");
        source.expression = name_attribute(node, "EXPRESSION");
        if (source.is_computed) source.code = content_of(node.child("CODE"));
        for (const pugi::xml_node child : node.children("EXCLUDE"))
            if (take_part()) source.excluded.push_back(name_attribute(child, "INSTANCE"));
        return source;
    }

    static FileThreshold read_threshold(const pugi::xml_node& node) {
        constexpr double second = 1e9, most_seconds = 1e9;
        FileThreshold threshold;
        RuleThreshold& rule = threshold.rule;
        rule.name = shown(attribute(node, "NAME"));
        const bool is_critical = same_name(attribute(node, "CONDITION"), "Critical");
        rule.severity = is_critical ? RuleSeverity::critical : RuleSeverity::warning;
        if (const std::string_view text = attribute(node, "LEASTSECONDS"); !text.empty()) {
            const auto seconds = parse_double(text);
            if (seconds && *seconds >= 0 && *seconds <= most_seconds)
                rule.least_time = std::llround(*seconds * second);
            else
                rule.not_evaluated = "LEASTSECONDS is no number of seconds";
        }
        threshold.code = content_of(node.child("CODE"));
        return threshold;
    }

    /// Sets the path of the primary data source, which is named by its NAME.
    static void set_path(FileAnalysis& analysis, const std::string& primary) {
        const auto found = std::ranges::find_if(
            analysis.sources, [&](const FileSource& source) { return same_name(source.name, primary); });
        analysis.rule.path = one_line(found == analysis.sources.end() ? primary : found->path, 2 * longest_name);
    }

    std::string file_;
    ThresholdFile content_;
    std::size_t parts_ = 0;
};

}  // namespace

std::expected<ThresholdFile, std::string> parse_threshold_file(std::span<const std::byte> xml, std::string_view name) {
    const auto failure = [name](std::string_view text) { return std::unexpected(fmt::format("{}: {}", name, text)); };
    if (xml.size() > FileLimits::bytes)
        return failure(fmt::format("the file has {} bytes; rule files of at most 16 MiB are read", xml.size()));
    const FileText decoded = open_text(Bytes(xml));
    std::string text;
    decoded.text.append(text, {0, decoded.text.size()});
    const auto nodes = std::ranges::count_if(text, [](char c) { return c == '<' || c == '='; });
    if (static_cast<std::size_t>(nodes) > FileLimits::nodes)
        return failure(
            fmt::format("the file has {} elements and attributes; at most {} are read", nodes, FileLimits::nodes));
    pugi::xml_document document;
    const pugi::xml_parse_result parsed =
        document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (parsed.status == pugi::status_out_of_memory) throw std::bad_alloc();
    if (!parsed) {
        const auto end = text.begin() + std::clamp<std::ptrdiff_t>(parsed.offset, 0, std::ssize(text));
        return failure(fmt::format("line {}: the file is no XML: {}", 1 + std::count(text.begin(), end, '\n'),
                                   parsed.description()));
    }
    const pugi::xml_node root = document.document_element();
    if (!same_name(root.name(), "PAL"))
        return failure(fmt::format("line 1: the root element is <{}>; a rule file of PAL has <PAL>",
                                   one_line(valid_text(root.name()), 40)));
    FileReader reader(name);
    if (!reader.read(root))
        return failure(fmt::format("the file has more than {} analyses, or {} data sources, thresholds and questions",
                                   FileLimits::analyses, FileLimits::parts));
    return std::move(reader.content());
}

}  // namespace hkpd::pal
