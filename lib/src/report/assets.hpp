// The scripts and styles of a report's page, which cmake/page.cmake embeds.
#pragma once

#include <span>
#include <string_view>

namespace hkpd {

/// A script or style, and its hash for a Content-Security-Policy: `sha256-…`.
struct PageAsset {
    std::string_view content, hash;
};

std::span<const PageAsset> page_scripts() noexcept;
std::span<const PageAsset> page_styles() noexcept;
/// Returns the licence of the library that draws the charts.
std::string_view page_licence() noexcept;

}  // namespace hkpd
