// Code pages by POSIX iconv, which knows Windows' pages as CP932, CP1252, ...
#include <iconv.h>

#include <array>
#include <cerrno>
#include <iterator>
#include <unordered_map>

#include "base/text/encoding.hpp"

namespace hkpd {
namespace {

/// One open conversion to UTF-8, closed with the object.
class Converter {
  public:
    explicit Converter(std::uint32_t page) : handle_(iconv_open("UTF-8", ("CP" + std::to_string(page)).c_str())) {}
    Converter(const Converter&) = delete;
    Converter& operator=(const Converter&) = delete;
    ~Converter() {
        if (known()) iconv_close(handle_);
    }

    // POSIX has iconv_open return this in place of an error code.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    bool known() const noexcept { return handle_ != reinterpret_cast<iconv_t>(-1); }
    bool append(std::string& out, std::span<const std::byte> bytes);

  private:
    bool convert(std::string& out, char*& in, std::size_t& left);
    void finish(std::string& out);

    iconv_t handle_;
};

/// Converts until the input ends or the buffer is full; false where the next byte begins no character.
bool Converter::convert(std::string& out, char*& in, std::size_t& left) {
    std::array<char, 512> buffer;
    char* to = buffer.data();
    std::size_t room = buffer.size();
    const std::size_t before = left;
    const bool done = iconv(handle_, &in, &left, &to, &room) != static_cast<std::size_t>(-1);
    const bool full = !done && errno == E2BIG;
    out.append(buffer.data(), to);
    // A converter that neither reads nor writes would be asked for ever.
    return done || (full && (left != before || room != buffer.size()));
}

/// Writes what the converter holds back (pages with combining marks: 1255, 1258) and puts it back to its start.
void Converter::finish(std::string& out) {
    std::array<char, 64> buffer;
    char* to = buffer.data();
    std::size_t room = buffer.size();
    iconv(handle_, nullptr, nullptr, &to, &room);
    out.append(buffer.data(), to);
}

bool Converter::append(std::string& out, std::span<const std::byte> bytes) {
    // iconv does not write to its input; its signature is older than const.
    char* in = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
    std::size_t left = bytes.size();
    bool sound = true;
    while (left != 0) {
        if (convert(out, in, left) || left == 0) continue;
        finish(out);
        out += "\xEF\xBF\xBD";
        in = std::next(in);
        --left;
        sound = false;
    }
    finish(out);
    return sound;
}

}  // namespace

std::optional<bool> append_system_page(std::string& out, std::span<const std::byte> bytes, std::uint32_t page) {
    // Code page identifiers are 16-bit numbers (Microsoft Learn, "Code Page Identifiers"), which bounds the cache.
    if (page > 0xFFFF) return std::nullopt;
    // Opening costs much more than converting a name, so each thread keeps what it opened, unknown pages included.
    thread_local std::unordered_map<std::uint32_t, Converter> converters;
    Converter& converter = converters.try_emplace(page, page).first->second;
    if (!converter.known()) return std::nullopt;
    return converter.append(out, bytes);
}

}  // namespace hkpd
