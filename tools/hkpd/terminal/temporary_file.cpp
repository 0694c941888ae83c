#include <fmt/format.h>

#include <cerrno>
#include <cstring>

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

std::string close_in_place(const ReplacedFile& replaced, std::FILE* file, std::uint64_t size) {
    std::string wrong;
    if (!write_to_disk(file))
        wrong = std::strerror(errno);
    else if (!replaced.is_in_place(file, size))  // afterwards, because waiting for the disk takes long
        wrong = lost_file;
    if (std::fclose(file) != 0 && wrong.empty()) wrong = std::strerror(errno);
    return wrong;
}

std::string message_of(const std::error_code& error) {
    return error == std::errc::operation_not_permitted ? foreign_link : error.message();
}

}  // namespace hkpd::command
