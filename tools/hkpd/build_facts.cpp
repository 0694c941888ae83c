#include "build_facts.hpp"

#include <fmt/format.h>
#include <libdeflate.h>
#include <rapidjson/rapidjson.h>
#include <sqlite3.h>
#include <utf8proc.h>
#include <zstd.h>

#include <boost/version.hpp>
#include <pugixml.hpp>

#include "hkpd/version.hpp"
#include "revision.hpp"

namespace hkpd::command {
namespace {

/// Returns `major.minor.patch` for a version encoded as one decimal number: major × place² + minor × place + patch. If
/// `place` is 100, 90100 is 9.1.0.
std::string dotted(unsigned version, unsigned place) {
    return fmt::format("{}.{}.{}", version / (place * place), version / place % place, version % place);
}

std::string boost_version() {
    constexpr unsigned major = 100'000, minor = 100;
    return fmt::format("{}.{}.{}", BOOST_VERSION / major, BOOST_VERSION / minor % (major / minor),
                       BOOST_VERSION % minor);
}

/// Returns pugixml's version as its releases are called: 1.13, but 1.12.1.
std::string pugixml_version() {
    constexpr unsigned major = 1000, minor = 10, version = PUGIXML_VERSION;
    std::string out = fmt::format("{}.{}", version / major, version % major / minor);
    if (version % minor != 0) out += fmt::format(".{}", version % minor);
    return out;
}

}  // namespace

std::string build_facts() {
    constexpr unsigned fmt_place = 100;
    constexpr std::string_view build_type = HKPD_BUILD_TYPE, sanitizers = HKPD_SANITIZERS;
    std::string out = fmt::format("hkpd {}\n", linked_version());
    if (!source_revision.empty()) out += fmt::format("revision: {}\n", source_revision);
    out += fmt::format("built: {} by " HKPD_COMPILER " for " HKPD_SYSTEM "\n",
                       build_type.empty() ? "without build type" : build_type);
    if (!sanitizers.empty()) out += fmt::format("sanitizers: {}\n", sanitizers);
    out += fmt::format(
        "libraries: Boost {}, fmt {}, libdeflate {}, pugixml {}, RapidJSON {}, SQLite {}, utf8proc {}.{}.{}, "
        "zstd {}\n",
        boost_version(), dotted(FMT_VERSION, fmt_place), LIBDEFLATE_VERSION_STRING, pugixml_version(),
        RAPIDJSON_VERSION_STRING, SQLITE_VERSION, UTF8PROC_VERSION_MAJOR, UTF8PROC_VERSION_MINOR,
        UTF8PROC_VERSION_PATCH, ZSTD_VERSION_STRING);
    return out;
}

std::string_view build_date() noexcept { return source_date; }

}  // namespace hkpd::command
