// PerfLib functions on top of others, with any call made to fail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/win32.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/live.hpp"

namespace hkpd_test {

/// Passes calls on to `real`, whatever machine they name, unless `fails` returns a status for them.
class FakePerfLib final : public hkpd::PerfLib {
  public:
    enum class Call : std::uint8_t { enumerate, registration, instances, open, close, add, remove, info, data };

    /// Keeps a reference.
    explicit FakePerfLib(hkpd::PerfLib& real) : real_(real) {}

    /// Status by call and by number of earlier calls of its kind; none: the call is passed on.
    std::function<std::optional<std::uint32_t>(Call, std::size_t)> fails;
    std::map<hkpd::Guid, std::uint32_t> refused;  ///< countersets whose identifiers get this status
    std::map<Call, std::size_t> counts;
    std::set<std::string, std::less<>> machines;  ///< named in calls
    std::set<std::uint32_t> languages;            ///< in which texts were requested

    std::uint32_t enumerate_countersets(std::string_view machine, std::span<hkpd::Guid> buffer,
                                        std::uint32_t& actual) override {
        machines.emplace(machine);
        return call(Call::enumerate, [&] { return real_.enumerate_countersets({}, buffer, actual); });
    }
    std::uint32_t registration_info(std::string_view machine, const hkpd::Guid& counterset,
                                    hkpd::v2::RegistrationRequest request, std::uint32_t language,
                                    std::span<std::byte> buffer, std::uint32_t& actual) override {
        machines.emplace(machine);
        languages.insert(language);
        return call(Call::registration,
                    [&] { return real_.registration_info({}, counterset, request, language, buffer, actual); });
    }
    std::uint32_t enumerate_instances(std::string_view machine, const hkpd::Guid& counterset,
                                      std::span<std::byte> buffer, std::uint32_t& actual) override {
        machines.emplace(machine);
        return call(Call::instances, [&] { return real_.enumerate_instances({}, counterset, buffer, actual); });
    }
    std::uint32_t open_query(std::string_view machine, Handle& query) override {
        machines.emplace(machine);
        return call(Call::open, [&] { return real_.open_query({}, query); });
    }
    std::uint32_t close_query(Handle query) override {
        return call(Call::close, [&] { return real_.close_query(query); });
    }
    std::uint32_t add_counters(Handle query, std::span<std::byte> identifiers) override {
        return call(Call::add, [&] { return add_allowed(query, identifiers); });
    }
    std::uint32_t delete_counters(Handle query, std::span<std::byte> identifiers) override {
        return call(Call::remove, [&] { return real_.delete_counters(query, identifiers); });
    }
    std::uint32_t query_info(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) override {
        return call(Call::info, [&] { return real_.query_info(query, buffer, actual); });
    }
    std::uint32_t query_data(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) override {
        return call(Call::data, [&] { return real_.query_data(query, buffer, actual); });
    }

  private:
    static constexpr std::size_t status_at = 16, size_at = 20;  // in PERF_COUNTER_IDENTIFIER

    template <class Function>
    std::uint32_t call(Call which, Function function) {
        const std::size_t before = counts[which]++;
        if (const auto status = fails ? fails(which, before) : std::nullopt) return *status;
        return function();
    }

    /// Adds identifiers one by one, as PerfLib continues after one that it rejects.
    std::uint32_t add_allowed(Handle query, std::span<std::byte> identifiers) {
        std::uint32_t status = hkpd::win32::success;
        while (identifiers.size() >= size_at + 4) {
            const auto size = hkpd::load<std::uint32_t>(identifiers.data() + size_at, hkpd::ByteOrder::little);
            hkpd::Guid guid;
            std::ranges::copy(identifiers.first(guid.bytes.size()), guid.bytes.begin());
            if (size < status_at + 4 || size > identifiers.size()) return hkpd::win32::invalid_parameter;
            if (const auto found = refused.find(guid); found != refused.end()) {
                for (std::size_t i = 0; i < 4; ++i)
                    identifiers[status_at + i] = static_cast<std::byte>(found->second >> (8 * i) & 0xFF);
            } else if (const auto own = real_.add_counters(query, identifiers.first(size)); own != 0) {
                status = own;
            }
            identifiers = identifiers.subspan(size);
        }
        return status;
    }

    hkpd::PerfLib& real_;
};

}  // namespace hkpd_test
