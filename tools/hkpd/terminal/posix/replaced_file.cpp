#include "terminal/replaced_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

namespace hkpd::command {
namespace {

namespace fs = std::filesystem;

std::error_code last_error() noexcept { return {errno, std::generic_category()}; }

constexpr mode_t owner_only = S_IRUSR | S_IWUSR, everyone = owner_only | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;

/// Gives an open file the group and the permissions of the file `of`. Setting the group fails unless this process
/// belongs to root or to a member of the group. If it fails, the file keeps its group, and this group gets only the
/// permissions that all other users have.
void copy_rights(int file, const struct stat& of) noexcept {
    mode_t mode = of.st_mode & static_cast<mode_t>(S_IRWXU | S_IRWXG | S_IRWXO);
    if (fchown(file, static_cast<uid_t>(-1), of.st_gid) != 0)
        mode = (mode & ~static_cast<mode_t>(S_IRWXG)) | (mode & static_cast<mode_t>(S_IRWXO)) << 3U;
    fchmod(file, mode);
}

}  // namespace

/// A file descriptor, closed at the end of its scope.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) noexcept : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }

    int operator*() const noexcept { return number_; }
    explicit operator bool() const noexcept { return number_ >= 0; }
    int release() noexcept { return std::exchange(number_, -1); }

  private:
    int number_;
};

struct ReplacedFile::State {
    Descriptor directory;
    std::string target, temporary;  // paths, for messages
    std::string name, new_name;     // names in the directory
};

ReplacedFile::ReplacedFile(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
ReplacedFile::ReplacedFile(ReplacedFile&&) noexcept = default;
ReplacedFile& ReplacedFile::operator=(ReplacedFile&&) noexcept = default;
ReplacedFile::~ReplacedFile() = default;

std::expected<ReplacedFile, std::error_code> ReplacedFile::find(const std::string& path) {
    constexpr int most_links = 40;  // Linux's limit
    auto state = std::make_unique<State>();
    fs::path at = path;
    for (int links = 0; links <= most_links; ++links) {
        const fs::path folder = at.parent_path();
        state->directory = Descriptor(open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!state->directory) return std::unexpected(last_error());
        state->target = at.native();
        state->name = at.filename().native();
        // If the file is a symbolic link, the link itself is opened. Its owner and its text are thus read from the same
        // link, even if the link is replaced meanwhile.
        const Descriptor file(openat(*state->directory, state->name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        struct stat found{};
        if (!file || fstat(*file, &found) != 0 || !S_ISLNK(found.st_mode)) return ReplacedFile(std::move(state));
        if (found.st_uid != geteuid() && found.st_uid != 0)
            return std::unexpected(std::make_error_code(std::errc::operation_not_permitted));
        std::array<char, 4096> text{};  // PATH_MAX
        const ssize_t size = readlinkat(*file, "", text.data(), text.size());
        if (size < 0) return std::unexpected(last_error());
        // The operator `/` ignores `folder` if the link's text is an absolute path.
        at = folder / std::string(text.data(), static_cast<std::size_t>(size));
    }
    return std::unexpected(std::make_error_code(std::errc::too_many_symbolic_link_levels));
}

const std::string& ReplacedFile::target() const noexcept { return state_->target; }
const std::string& ReplacedFile::temporary() const noexcept { return state_->temporary; }

std::FILE* ReplacedFile::create(std::string_view ending, NewFileRights rights, NewFileSharing sharing) {
    state_->temporary = state_->target;
    state_->temporary += ending;
    state_->new_name = state_->name;
    state_->new_name += ending;
    struct stat old{};
    const bool replaces = fstatat(*state_->directory, state_->name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
    const mode_t mode = !replaces && rights == NewFileRights::umask ? everyone : owner_only;
    Descriptor file(openat(*state_->directory, state_->new_name.c_str(),
                           O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file) return nullptr;
    if (replaces && S_ISREG(old.st_mode)) copy_rights(*file, old);
    // Some network file systems have no locks. `is_in_place` then finds another process's file at the end.
    if (sharing == NewFileSharing::locked) flock(*file, LOCK_EX | LOCK_NB);
    std::FILE* const stream = fdopen(*file, "wb");
    if (stream != nullptr) file.release();
    return stream;
}

bool ReplacedFile::is_in_place(std::FILE* file, std::uint64_t size) const noexcept {
    struct stat open_file{}, named{};
    return fstat(fileno(file), &open_file) == 0 &&
           fstatat(*state_->directory, state_->new_name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino &&
           static_cast<std::uint64_t>(named.st_size) == size;
}

std::error_code ReplacedFile::take_place() {
    const int directory = *state_->directory;
    return renameat(directory, state_->new_name.c_str(), directory, state_->name.c_str()) == 0 ? std::error_code()
                                                                                               : last_error();
}

void ReplacedFile::remove() noexcept { unlinkat(*state_->directory, state_->new_name.c_str(), 0); }

bool is_locked(const std::string& path) noexcept {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    return file && flock(*file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool write_to_disk(std::FILE* file) noexcept { return std::fflush(file) == 0 && fsync(fileno(file)) == 0; }

}  // namespace hkpd::command
