#include "commands/live_top.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/summary.hpp"
#include "terminal/live_screen.hpp"

namespace hkpd::command {
namespace {

/// A key, and the order of processes that it selects.
struct OrderKey {
    char key;
    ProcessOrder order;
    std::string_view name;
};
constexpr std::array order_keys{
    OrderKey{'c', ProcessOrder::processor, "CPU"},
    OrderKey{'m', ProcessOrder::working_set, "memory"},
    OrderKey{'p', ProcessOrder::private_bytes, "private"},
    OrderKey{'h', ProcessOrder::handles, "handles"},
    OrderKey{'i', ProcessOrder::io, "I/O"},
    OrderKey{'n', ProcessOrder::name, "name"},
};

/// Returns the key of an order; that of the first one for orders without a key.
char key_of(ProcessOrder order) noexcept {
    const auto* const found = std::ranges::find(order_keys, order, &OrderKey::order);
    return found == order_keys.end() ? order_keys.front().key : found->key;
}

class LiveTopWriter final : public Writer {
  public:
    explicit LiveTopWriter(const LiveTop& how) : how_(how) {
        if (how.to_terminal) screen_.emplace(key_of(how.top.order), how.end);
    }

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        if (!screen_) {
            if (!is_first_) out += '\n';
            is_first_ = false;
            append_table(sample, selected, *cooker, how_.top.order, out);
            return;
        }
        how_.write.width = output_width();
        // Lines that are not rows: the machine and time, the title, the headings, what follows, and the keys.
        constexpr std::size_t others = 5;
        if (how_.fits_screen) how_.top.top = std::max(output_height(), others + 1) - others;
        std::vector<LiveView> views;
        for (const OrderKey& each : order_keys) {
            std::string& text = views.emplace_back(LiveView{.key = each.key, .name = each.name}).text;
            append_table(sample, selected, *cooker, each.order, text);
        }
        screen_->show(std::move(views));
    }

  private:
    /// Appends what stands out in one sample.
    void append_table(const Sample& sample, std::span<const Selected> selected, Cooker& cooker, ProcessOrder order,
                      std::string& out) const {
        TopOptions top = how_.top;
        top.order = order;
        top.verdict.reset();  // it is on a run
        const auto writer = make_top_writer(Format::table, how_.write, how_.cook, top);
        Diagnostics ignored(0);  // the run reports the limits
        writer->sample(sample, selected, &cooker, out);
        writer->end(ignored, out);
    }

    LiveTop how_;
    bool is_first_ = true;
    std::optional<LiveScreen> screen_;
};

}  // namespace

std::unique_ptr<Writer> make_live_top_writer(const LiveTop& how) { return std::make_unique<LiveTopWriter>(how); }

}  // namespace hkpd::command
