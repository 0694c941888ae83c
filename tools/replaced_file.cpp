#include "replaced_file.hpp"

#include <filesystem>

#include "hkpd/path.hpp"
#include "host.hpp"

namespace hkpd::command {

namespace fs = std::filesystem;

ReplacedFile replaced_file(const std::string& path, const char* ending, std::error_code& error) {
    const std::string target = is_there(path) ? final_name(path, error) : path;
    return {target, target + ending};
}

std::FILE* open_beside(const ReplacedFile& file) {
    std::FILE* const opened = open_new(file.beside);
    std::error_code error;
    if (opened == nullptr || !is_there(file.target)) return opened;
    const fs::perms allowed = fs::status(path_of(file.target), error).permissions();
    if (!error) fs::permissions(path_of(file.beside), allowed, error);
    return opened;
}

std::error_code take_place(const ReplacedFile& file) { return replace_file(file.beside, file.target); }

}  // namespace hkpd::command
