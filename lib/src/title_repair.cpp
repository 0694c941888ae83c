// The remedies are Microsoft's: "Manually rebuild performance counters" (lodctr /R, in System32 and in SysWOW64), and
// the help of lodctr and unlodctr.
#include "hkpd/title_check.hpp"

namespace hkpd {
namespace {

constexpr std::string_view rebuild =
    "run `lodctr /R` as administrator, in System32 and again in SysWOW64: it builds the titles anew from the "
    "providers' .ini files";

}  // namespace

std::string_view repair_of(Errc code) noexcept {
    switch (code) {
        case Errc::title_index:
        case Errc::title_index_empty:
        case Errc::title_unpaired:
        case Errc::title_odd_byte:
        case Errc::title_after_end:
        case Errc::title_repeated:
        case Errc::title_registry_value:
        case Errc::title_last_index:
        case Errc::title_languages:
        case Errc::title_missing:
        case Errc::service_overlap:
            return rebuild;
        case Errc::title_overwritten:
            return "restore perfc009.dat and perfh009.dat of the English language in System32, then run `lodctr /R` as "
                   "administrator, in System32 and again in SysWOW64";
        case Errc::title_unnamed:
            return "register the provider again: `lodctr /m:MANIFEST` for one with a manifest, `lodctr FILE.ini` for "
                   "one with an .ini file, or install its program anew";
        case Errc::title_no_help:
            return "register the provider again with help texts for all of its counters: `unlodctr SERVICE`, then "
                   "`lodctr FILE.ini`, or `lodctr /m:MANIFEST` for one with a manifest";
        case Errc::service_value:
            return "take the provider's registration away and make it again: `unlodctr SERVICE`, then `lodctr "
                   "FILE.ini`";
        case Errc::service_disabled:
            return "run `lodctr /e:SERVICE` as administrator: it enables the provider again";
        default:
            return {};
    }
}

}  // namespace hkpd
