#include <fmt/format.h>

#include <cerrno>

#include "terminal/host.hpp"
#include "terminal/replaced_file.hpp"

namespace hkpd::command {

std::FILE* create_temporary(ReplacedFile& file) {
    constexpr int attempts = 1000;
    std::FILE* opened = nullptr;
    for (int attempt = 0; attempt < attempts && opened == nullptr; ++attempt) {
        // The name contains the number of the attempt too, because processes in different containers can have the same
        // process id.
        errno = 0;
        opened = file.create(fmt::format(".{}-{}.new", process_id(), attempt), NewFileRights::umask);
        if (opened == nullptr && errno != EEXIST) return nullptr;
    }
    return opened;
}

std::string message_of(const std::error_code& error) {
    return error == std::errc::operation_not_permitted ? foreign_link : error.message();
}

}  // namespace hkpd::command
