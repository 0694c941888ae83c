#include "replaced_file.hpp"

#include "base/path.hpp"
#include "host.hpp"

namespace hkpd::command {

ReplacedFile replaced_file(const std::string& path, const char* ending, std::error_code& error) {
    const std::string target = final_name(path, error);
    return {target, target + ending};
}

std::FILE* open_temporary(const ReplacedFile& file) {
    std::FILE* const opened = open_new(file.temporary);
    if (opened != nullptr) take_rights(file.temporary, file.target);
    return opened;
}

std::error_code take_place(const ReplacedFile& file) { return replace_file(file.temporary, file.target); }

}  // namespace hkpd::command
