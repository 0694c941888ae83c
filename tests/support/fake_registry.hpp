// A registry that answers as a test specifies, and records its calls.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/win32.hpp"
#include "hkpd/live.hpp"
#include "support/byte_buffer.hpp"

namespace hkpd_test {

/// Result of one RegQueryValueEx call.
struct RegistryAnswer {
    std::uint32_t status = hkpd::win32::success;
    /// Written from the start of the buffer on, up to the end of the spare bytes after it.
    std::string bytes{};
    /// Size that it reports; none: the length of `bytes` if it succeeds, else the size of the buffer.
    std::optional<std::uint32_t> size{};
};

inline RegistryAnswer failure(std::uint32_t status, std::optional<std::uint32_t> size = {}) {
    return {.status = status, .size = size};
}
inline RegistryAnswer reply(std::string bytes, std::optional<std::uint32_t> size = {}) {
    return {.bytes = std::move(bytes), .size = size};
}

/// A call of RegQueryValueEx.
struct RegistryCall {
    hkpd::PerformanceKey key{};
    std::string name;
    std::size_t offered = 0;  ///< bytes of the buffer, without the spare ones after it
    std::size_t number = 0;   ///< number of earlier calls

    bool operator==(const RegistryCall&) const = default;
};

/// Answers from a script, then with `answer`. Each call checks that all bytes that it may write are zero, and fills
/// them with stray bytes if it fails, since their content is then undefined.
class FakeRegistry : public hkpd::PerformanceRegistry {
  public:
    FakeRegistry() = default;
    explicit FakeRegistry(std::deque<RegistryAnswer> answers) : script(std::move(answers)) {}

    std::deque<RegistryAnswer> script;
    std::function<RegistryAnswer(const RegistryCall&)> answer;  ///< none: the value does not exist
    std::vector<RegistryCall> calls;
    std::size_t closed = 0;
    std::uint32_t language = 0x409;
    std::string machine = "DEMO";                                ///< as in built blocks
    std::map<hkpd::Guid, std::uint32_t> first_counters;          ///< by counterset
    std::vector<std::pair<hkpd::Guid, hkpd::Guid>> asked_first;  ///< provider and counterset

    std::uint32_t query_value(hkpd::PerformanceKey key, std::string_view name, std::span<std::byte> buffer,
                              std::uint32_t& size) override {
        EXPECT_EQ(closed, 0U) << "queried after it was closed";
        calls.push_back({key, std::string(name), buffer.size(), calls.size()});
        const std::span<std::byte> writable(buffer.data(), buffer.data() == nullptr ? 0 : buffer.size() + spare_bytes);
        EXPECT_TRUE(is_zero(writable)) << "stray bytes before call " << calls.size();
        const RegistryAnswer now = next_answer();
        if (now.status != hkpd::win32::success && !writable.empty())
            std::memset(writable.data(), 0xCC, writable.size());
        std::ranges::copy(std::as_bytes(std::span(now.bytes)).first(std::min(now.bytes.size(), writable.size())),
                          writable.begin());
        const bool good = now.status == hkpd::win32::success;
        size = now.size.value_or(static_cast<std::uint32_t>(good ? now.bytes.size() : buffer.size()));
        return now.status;
    }
    void close() override { ++closed; }
    std::optional<std::uint32_t> first_counter(const hkpd::Guid& provider, const hkpd::Guid& counterset) override {
        asked_first.emplace_back(provider, counterset);
        const auto found = first_counters.find(counterset);
        return found == first_counters.end() ? std::nullopt : std::optional(found->second);
    }
    std::string machine_name() const override { return machine; }
    std::uint32_t ui_language() const noexcept override { return language; }

    std::vector<std::size_t> offered() const {
        std::vector<std::size_t> sizes;
        for (const RegistryCall& call : calls) sizes.push_back(call.offered);
        return sizes;
    }

  private:
    /// Buffers have megabytes, and a sanitizer checks each access of a loop written here.
    static bool is_zero(std::span<const std::byte> bytes) {
        return bytes.empty() ||
               (bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
    }

    static constexpr std::size_t most_calls = 10'000;

    RegistryAnswer next_answer() {
        // A reader that never stops asking fails instead of hanging.
        if (calls.size() > most_calls) return failure(hkpd::win32::access_denied);
        if (!script.empty()) {
            RegistryAnswer first = std::move(script.front());
            script.pop_front();
            return first;
        }
        return answer ? answer(calls.back()) : failure(hkpd::win32::file_not_found);
    }
};

/// Returns the reply of a registry that needs `bytes` of buffer: if `offered` is too small, stray bytes and no size.
inline RegistryAnswer sized_reply(const std::string& bytes, std::size_t offered) {
    return offered < bytes.size() ? failure(hkpd::win32::more_data, 0) : reply(bytes);
}

/// Returns REG_MULTI_SZ, like the value `Counter 009`.
inline std::string titles_multi_sz(const std::map<std::uint32_t, std::u16string>& titles) {
    std::u16string text;
    for (const auto& [index, title] : titles) {
        for (const char digit : std::to_string(index)) text += static_cast<char16_t>(digit);
        text += u'\0' + title + u'\0';
    }
    return blob::utf16(text + u'\0');
}

}  // namespace hkpd_test
