// The registry as people attach it: a registry export, the output of `reg query`, and of `lodctr /q`, which lists the
// providers. The latter two are turned into an export, so that nothing else has to know them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text/located_text.hpp"

namespace hkpd {

/// The forms of a text with registry values.
enum class RegistryForm : std::uint8_t { none, exported, reg_query, lodctr };

/// Returns the form of a text, from its first lines.
RegistryForm registry_form(const RawText& text);

/// The text of an input as a registry export. Cannot be moved: it refers to itself.
class RegistryText {
  public:
    /// `input` must outlive the object.
    explicit RegistryText(Bytes input);
    RegistryText(const RegistryText&) = delete;
    RegistryText& operator=(const RegistryText&) = delete;

    RegistryForm form() const noexcept { return form_; }
    /// Returns the export; the text as it is if it has none of the forms. Offsets are those of the input.
    const RawText& text() const noexcept { return made_text_ ? *made_text_ : file_.text; }
    const FileText& file() const noexcept { return file_; }

  private:
    void convert();
    void convert_query(const std::string& line, std::uint64_t place);
    void convert_lodctr(const std::string& line, std::uint64_t place);
    void put(std::string_view text, std::uint64_t place);
    void put_string(std::string_view name, std::string_view value, std::uint64_t place);
    void put_number(std::string_view name, std::string_view value, std::uint64_t place);
    void put_strings(std::string_view name, std::string_view value, std::uint64_t place);

    FileText file_;
    RegistryForm form_;
    std::string made_;
    bool has_provider_ = false;  // whether a provider of lodctr was converted
    std::vector<std::uint64_t> places_;
    std::optional<RawText> made_text_;
};

}  // namespace hkpd
