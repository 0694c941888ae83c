#include "commands/capture_files.hpp"

#include <cerrno>
#include <cstdint>

#include "base/file_stream.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd::command {

bool open_capture(const std::string& path, FileStream& file, Diagnostics& diagnostics) {
    diagnostics.add_input(path);
    file.open(path);
    if (!file) {
        diagnostics.add({Errc::cannot_read, 0, "", "", 0, static_cast<std::uint64_t>(errno)});
        return false;
    }
    if (CaptureReader::is_capture(file)) return true;
    diagnostics.add({Errc::not_a_capture, 0, "", "", 0, 0});
    return false;
}

}  // namespace hkpd::command
