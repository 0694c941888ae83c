#include "sample/grouping.hpp"

#include <algorithm>

namespace hkpd {

std::expected<void, Error> KeptQueries::keep(const Record& identifiers, Diagnostics& diagnostics) {
    const auto bytes = identifiers.bytes.span();
    auto found = queries_.find(identifiers.machine);
    if (found != queries_.end()) {
        if (std::ranges::equal(found->second.bytes, bytes)) return {};
        size_ -= found->second.bytes.size();
        queries_.erase(found);
    }
    if (bytes.empty()) return {};
    if (bytes.size() > limits_.title_bytes)
        return std::unexpected(Error{Errc::byte_limit, identifiers.bytes.offset(), "PERF_COUNTER_IDENTIFIER", "",
                                     bytes.size(), limits_.title_bytes});
    // Beyond the limits all are forgotten: there are more machines than anybody asks side by side.
    if (queries_.size() >= limits_.machines || size_ + bytes.size() > limits_.title_bytes) {
        queries_.clear();
        size_ = 0;
    }
    Query& query = queries_[std::string(identifiers.machine)];
    query.bytes.assign(bytes.begin(), bytes.end());
    size_ += bytes.size();
    query.identifiers.open(Bytes(query.bytes, identifiers.bytes.offset()), diagnostics);
    return {};
}

const KeptQueries::Query* KeptQueries::find(std::string_view machine) const noexcept {
    const auto found = queries_.find(machine);
    return found == queries_.end() ? nullptr : &found->second;
}

}  // namespace hkpd
