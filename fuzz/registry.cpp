// What a registry, such as that of a remote machine, answers to a RegistryReader: statuses, sizes and bytes, each as
// wrong as it likes. The first bytes have the policy; then come the answers, the last of which is repeated.
#include <algorithm>
#include <bit>
#include <chrono>
#include <string_view>
#include <vector>

#include "base/win32.hpp"
#include "choices.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/live.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v1.hpp"
#include "properties.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

/// One answer of the registry.
struct Answer {
    std::uint32_t status = 0, size = 0;
    std::vector<std::byte> bytes;
};

class Registry final : public PerformanceRegistry {
  public:
    explicit Registry(Choices& choices) {
        constexpr std::size_t most_answers = 16;
        while (!choices.empty() && answers_.size() < most_answers) answers_.push_back(answer(choices));
        if (answers_.empty()) answers_.emplace_back();
    }

    std::uint32_t query_value(PerformanceKey, std::string_view, std::span<std::byte> buffer,
                              std::uint32_t& size) override {
        require(!closed_ && buffer.size() <= most_);
        require(size == buffer.size());
        const std::span<std::byte> writable(buffer.data(), buffer.size() + spare_bytes);
        require(std::ranges::all_of(writable, [](std::byte byte) { return byte == std::byte{}; }));
        calls_ += 1;
        last_ = answers_[std::min(next_++, answers_.size() - 1)];
        std::ranges::copy(std::span(last_.bytes).first(std::min(last_.bytes.size(), writable.size())),
                          writable.begin());
        offered_ = buffer.size();
        size = last_.size;
        return last_.status;
    }
    void close() override { closed_ = true; }
    std::optional<std::uint32_t> first_counter(const Guid&, const Guid&) override { return {}; }
    std::string machine_name() const override { return "M"; }
    std::uint32_t ui_language() const noexcept override { return 0; }

    /// Begins a query: sets the largest buffer that it may offer.
    void begin(std::size_t most) noexcept {
        most_ = most;
        calls_ = 0;
    }
    std::uint64_t calls() const noexcept { return calls_; }
    std::size_t offered() const noexcept { return offered_; }
    const Answer& last() const noexcept { return last_; }
    bool closed() const noexcept { return closed_; }

  private:
    static Answer answer(Choices& choices) {
        static constexpr std::uint32_t statuses[] = {
            win32::success, win32::success, win32::success,     win32::success,       win32::more_data,
            win32::busy,    win32::busy,    win32::lock_failed, win32::access_denied, win32::not_ready};
        Answer made;
        made.status = statuses[choices.below(std::size(statuses))];
        const std::uint32_t kind = choices.below(4);
        const auto length = static_cast<std::size_t>(choices.number(2));
        for (const std::uint8_t byte : choices.bytes(length)) made.bytes.push_back(static_cast<std::byte>(byte));
        made.size = kind == 0   ? static_cast<std::uint32_t>(choices.number(4))
                    : kind == 1 ? static_cast<std::uint32_t>(length)
                                : static_cast<std::uint32_t>(made.bytes.size());
        return made;
    }

    std::vector<Answer> answers_;
    Answer last_;
    std::size_t next_ = 0, most_ = 0, offered_ = 0;
    std::uint64_t calls_ = 0;
    bool closed_ = false;
};

/// Requires that a query ends: each call doubles a buffer, or is one of the repeated ones.
void require_few_calls(const Registry& registry, const RegistryPolicy& policy) {
    const auto doublings = static_cast<std::uint64_t>(std::bit_width(policy.most_size)) + 1;
    require(registry.calls() <= (doublings + policy.attempts + 3) * (policy.attempts + 1));
}

void require_block(RegistryReader& reader, Registry& registry, const RegistryPolicy& policy) {
    registry.begin(policy.most_size);
    const std::uint32_t status = reader.query("Global");
    require_few_calls(registry, policy);
    const Bytes block = reader.block();
    require(status == registry.last().status);
    if (status != win32::success) return require(block.empty());
    require(block.size() <= registry.offered() + PerformanceRegistry::spare_bytes);
    require(block.size() >= std::min<std::size_t>(registry.last().size, registry.offered()));
    const std::size_t written = std::min(block.size(), registry.last().bytes.size());
    require(std::ranges::equal(block.span().first(written), std::span(registry.last().bytes).first(written)));
    for (const std::byte byte : block.span().subspan(written)) require(byte == std::byte{});
    const ExactCopy copy(block.span());
    Diagnostics diagnostics;
    v1::Block opened;
    if (opened.open(copy.bytes(), diagnostics)) require(opened.bytes().size() <= block.size());
}

void require_titles(RegistryReader& reader, Registry& registry, const RegistryPolicy& policy) {
    registry.begin(policy.most_size);
    std::vector<std::byte> titles;
    const std::uint32_t status = reader.query_titles(PerformanceKey::text, "Counter", titles);
    require_few_calls(registry, policy);
    require(status == registry.last().status);
    if (status != win32::success) return require(titles.empty());
    require(titles.size() == std::min<std::size_t>(registry.last().size, registry.offered()));
    const ExactCopy copy(titles);
    Diagnostics diagnostics;
    static_cast<void>(parse_titles(copy.bytes(), "counter-009.multisz", diagnostics));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Effort effort(data, size);
    Choices choices({data, size});
    RegistryPolicy policy;
    policy.first_size = std::size_t{1} << choices.below(12);
    policy.most_size = choices.number(2) % (effort.thorough() ? 65536 : 8192);
    policy.attempts = 1 + choices.below(5);
    std::uint64_t waits = 0;
    std::uint32_t waits_left = choices.below(32);
    policy.wait = [&](std::chrono::milliseconds pause) {
        require(pause.count() > 0);
        ++waits;
        return waits_left == 0 || --waits_left != 0;
    };
    const Budget budget(size, std::uint64_t{64} * 65536, 1);
    Registry registry(choices);
    {
        RegistryReader reader(registry, policy);
        policy.most_size = std::max<std::size_t>(policy.most_size, 1);
        for (int query = 0; query < 3; ++query) require_block(reader, registry, policy);
        require_titles(reader, registry, policy);
        require(waits <= reader.retries() + 4 && !registry.closed());
    }
    require(registry.closed());
    return 0;
}
