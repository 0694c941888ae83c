// Atomic replacement of a file: a program that opens the file meanwhile reads the old or the new content, never a part.
#pragma once

#include <cstdint>
#include <cstdio>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace hkpd::command {

/// Permissions of a new file if there is no file to replace. `owner`: only the owner of the file can read and write it.
/// `umask`: the umask decides which users can read and write it. Windows gives every new file the permissions of its
/// directory.
enum class NewFileRights : unsigned char { owner, umask };

/// The rights of other processes to a new file while it is open. `shared`: all that the system allows. `locked`: on
/// Windows, only to read it; elsewhere it has an advisory lock, which `is_locked` finds.
enum class NewFileSharing : unsigned char { shared, locked };

/// A file that is replaced by a new file when the new file is complete. On POSIX systems, the directory is opened once,
/// and all files are accessed relative to the open directory. The permissions of a file are changed only while the file
/// is open, through its descriptor. So nothing outside of the directory can be changed, even if the directory belongs
/// to another user. On Windows, all files are accessed by their paths.
class ReplacedFile {
  public:
    /// Finds the file that `path` refers to. The file need not exist. If `path` is a link, the link stays, and the file
    /// that it leads to is replaced. Fails with `operation_not_permitted` if a link belongs neither to the user of this
    /// process nor to root, because the owner of the link would decide which file is replaced.
    static std::expected<ReplacedFile, std::error_code> find(const std::string& path);
    ReplacedFile(ReplacedFile&&) noexcept;
    ReplacedFile& operator=(ReplacedFile&&) noexcept;
    ReplacedFile(const ReplacedFile&) = delete;
    ReplacedFile& operator=(const ReplacedFile&) = delete;
    ~ReplacedFile();

    /// Returns the path of the file to replace, with all links resolved.
    const std::string& target() const noexcept;
    /// Returns the path of the file that the last call of `create` tried to create, whether or not the call succeeded.
    const std::string& temporary() const noexcept;

    /// Creates the new file for binary writing; its path is the target's with `ending` appended. The new file gets the
    /// permissions of the file to replace or, if that does not exist, `rights`. Returns null and sets `errno` on
    /// failure, for example to EEXIST if a file or link has this name.
    std::FILE* create(std::string_view ending, NewFileRights rights, NewFileSharing sharing = NewFileSharing::shared);
    /// Returns whether the name of the new file still leads to `file`, which `create` has returned, and the file has
    /// the size of what was written. If not, another process has removed, replaced or cut it, and what was written is
    /// lost.
    bool is_in_place(std::FILE* file, std::uint64_t size) const noexcept;
    /// Renames the new file, which is complete and closed, to the target.
    std::error_code take_place();
    /// Removes the new file.
    void remove() noexcept;

  private:
    struct State;
    explicit ReplacedFile(std::unique_ptr<State> state) noexcept;

    std::unique_ptr<State> state_;
};

/// Creates a temporary file of this run next to the target, with the permissions `NewFileRights::umask`. Existing files
/// are not touched: they can belong to a concurrent run, to a run that was killed or to another program. The extension
/// is `.new`, because the textfile collectors of Prometheus exporters read only files that end in `.prom`. Returns null
/// and sets `errno` on failure.
std::FILE* create_temporary(ReplacedFile& file);

/// Returns whether another process writes a file that it has created as `NewFileSharing::locked`.
bool is_locked(const std::string& path) noexcept;

/// Message for a new file that is not in place any more.
inline constexpr const char* lost_file =
    "another process has removed, replaced or changed it while it was written, and what was written is lost";

/// Message for `operation_not_permitted` of `ReplacedFile::find`.
inline constexpr const char* foreign_link = "a link of another user: name the file that it leads to";

/// Returns the message for a file that cannot be replaced.
std::string message_of(const std::error_code& error);

/// Waits until the content of a file has reached the disk, so that no crash of the machine can leave an empty file
/// under the target's name. Returns false and sets `errno` on failure.
bool write_to_disk(std::FILE* file) noexcept;

/// Closes the new file, of which `size` bytes were written, so that it can take the target's place. Returns what is
/// wrong, such as `lost_file`; empty if it is on the disk and in place.
std::string close_in_place(const ReplacedFile& replaced, std::FILE* file, std::uint64_t size);

}  // namespace hkpd::command
