#include "terminal/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "quantity/quantity.hpp"
#include "terminal/host.hpp"

namespace hkpd::command {
namespace {

using std::chrono::steady_clock;

/// Width of the line of progress on the terminal; 0 if none is shown. A run has one thread that reads with progress.
std::size_t progress_width = 0;

/// Writes a text to the terminal. Progress that cannot be written is not missed.
void show_text(std::string_view text) noexcept { std::fwrite(text.data(), 1, text.size(), stderr); }

/// Writes a line of progress over the previous one.
void show_line(const std::string& text) {
    show_text(fmt::format("\r{:<{}}", text, progress_width));
    progress_width = text.size();
}

/// Shorter runs show no progress.
constexpr std::chrono::seconds progress_delay{1};

class ProgressSource final : public Source {
  public:
    explicit ProgressSource(std::unique_ptr<Source> source) : source_(std::move(source)) {
        source_->position();  // a source of files counts bytes from the first call on
    }
    ~ProgressSource() override { erase_progress(); }
    ProgressSource(const ProgressSource&) = delete;
    ProgressSource& operator=(const ProgressSource&) = delete;

    std::optional<Record> next(Diagnostics& diagnostics) override {
        const auto now = steady_clock::now();
        if (now >= next_) show(now);
        auto record = source_->next(diagnostics);
        if (record)
            ++records_;
        else
            erase_progress();
        return record;
    }
    Position position() override { return source_->position(); }
    std::optional<Span> span() override { return source_->span(); }
    void seek(const Range& range, std::uint32_t input, std::uint64_t first) override {
        source_->seek(range, input, first);
    }
    std::uint64_t count_passed() override { return source_->count_passed(); }

  private:
    void show(steady_clock::time_point now) {
        constexpr std::chrono::milliseconds interval{200};
        next_ = now + interval;
        show_line(line(std::chrono::duration<double>(now - begun_).count()));
    }

    std::string line(double seconds) {
        constexpr double percent = 100;
        const auto [read, size] = source_->position();
        if (read == 0 || size == 0)
            return fmt::format("{} records, {:.0f}/s", records_, static_cast<double>(records_) / seconds);
        const double part = std::min(1.0, static_cast<double>(read) / static_cast<double>(size));
        const double rate = static_cast<double>(read) / seconds;
        return fmt::format("{:.0f} %, {} of {}, {}/s, {} left", std::floor(percent * part), size_text(read),
                           size_text(size), size_text(static_cast<std::uint64_t>(rate)),
                           quantity_text(std::ceil(seconds * (1 - part) / part), Unit::seconds));
    }

    std::unique_ptr<Source> source_;
    std::uint64_t records_ = 0;
    steady_clock::time_point begun_ = steady_clock::now(), next_ = begun_ + progress_delay;
};

}  // namespace

bool shows_progress(bool writes) noexcept { return error_is_terminal() && !(writes && output_is_terminal()); }

std::unique_ptr<Source> with_progress(std::unique_ptr<Source> source) {
    return std::make_unique<ProgressSource>(std::move(source));
}

void InputProgress::add() {
    ++done_;
    if (active_ && done_ != inputs_ && steady_clock::now() - begun_ >= progress_delay)
        show_line(fmt::format("{} of {} inputs", done_, inputs_));
}

void erase_progress() noexcept {
    std::size_t width = std::exchange(progress_width, 0);
    if (width == 0) return;
    constexpr std::string_view blanks = "                                ";
    show_text("\r");
    for (; width > blanks.size(); width -= blanks.size()) show_text(blanks);
    show_text(blanks.substr(0, width));
    show_text("\r");
}

}  // namespace hkpd::command
