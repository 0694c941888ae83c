#include <cerrno>
#include <fstream>
#include <utility>

#include "base/path.hpp"
#include "hkpd/capture.hpp"

namespace hkpd {

struct CaptureFile::State {
    State(const std::string& path, const CaptureOptions& options)
        : file(path_of(path), std::ios::binary | std::ios::trunc),
          writer([this](std::span<const std::byte> bytes) { return write(bytes); }, options),
          recorder(writer) {}

    bool write(std::span<const std::byte> bytes) {
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())).flush();
        if (!file && error == 0) error = errno;
        return file.good();
    }
    Error failure() const noexcept { return {Errc::cannot_write, 0, "", "", 0, static_cast<std::uint64_t>(error)}; }

    int error = 0;
    std::ofstream file;
    CaptureWriter writer;
    Recorder recorder;
};

CaptureFile::CaptureFile(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
CaptureFile::CaptureFile(CaptureFile&&) noexcept = default;
CaptureFile& CaptureFile::operator=(CaptureFile&&) noexcept = default;
CaptureFile::~CaptureFile() = default;

std::expected<CaptureFile, Error> CaptureFile::create(const std::string& path, const CaptureOptions& options) {
    errno = 0;
    auto state = std::make_unique<State>(path, options);
    if (state->error == 0 && !state->file) state->error = errno;
    if (!state->file) return std::unexpected(state->failure());
    return CaptureFile(std::move(state));
}

void CaptureFile::add(const Record& record, const FaultSink& faults) { state_->recorder.add(record, faults); }

Recorder& CaptureFile::recorder() noexcept { return state_->recorder; }

std::expected<void, Error> CaptureFile::finish() {
    state_->recorder.finish();
    state_->writer.finish();
    state_->file.close();
    if (!state_->writer.good() || !state_->file) return std::unexpected(state_->failure());
    return {};
}

}  // namespace hkpd
