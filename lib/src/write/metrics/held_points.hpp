// The points of a series while they are held back. A point takes a third of the bytes of its line: the time since the
// point before, in milliseconds, and the value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hkpd {

/// A point of a series: its time in milliseconds since the point before, and the text of its value.
struct HeldPoint {
    std::uint64_t since = 0;
    std::string_view value;

    /// Maximum number of bytes that a point takes in addition to those of its value.
    static constexpr std::size_t most_more = 11;
};

/// Appends a point: the time in groups of seven bits, the lowest first, each but the last with the eighth bit set; then
/// the value, which must have no line feed, and a line feed.
inline void append_point(std::string& held, HeldPoint point) {
    constexpr unsigned bits = 7;
    constexpr std::uint64_t more = 0x80;
    std::array<char, HeldPoint::most_more> time;
    std::size_t size = 0;
    for (; point.since >= more; point.since >>= bits) time[size++] = static_cast<char>(point.since % more | more);
    time[size++] = static_cast<char>(point.since);
    held.append(time.data(), size).append(point.value) += '\n';
}

/// Removes the first point from a list of points, which must not be empty, and returns it.
inline HeldPoint take_point(std::string_view& held) noexcept {
    constexpr unsigned bits = 7, all = 63;
    constexpr std::uint64_t more = 0x80;
    HeldPoint point;
    std::uint64_t group = more;
    for (unsigned shift = 0; (group & more) != 0 && shift <= all && !held.empty(); shift += bits) {
        group = static_cast<unsigned char>(held.front());
        point.since |= (group & (more - 1)) << shift;
        held.remove_prefix(1);
    }
    point.value = held.substr(0, held.find('\n'));
    held.remove_prefix(point.value.size() + (point.value.size() < held.size() ? 1 : 0));
    return point;
}

}  // namespace hkpd
