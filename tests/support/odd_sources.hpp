// Sources with many diagnostics, and sources that hang, for readers on another thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "hkpd/error.hpp"
#include "hkpd/source.hpp"

namespace hkpd_test {

/// Records with everything that a record can hold, each in a buffer of exactly its size that is freed at the next call,
/// with faults in between.
class ChattySource final : public hkpd::Source {
  public:
    explicit ChattySource(std::uint64_t count) : count_(count) {}

    std::optional<hkpd::Record> next(hkpd::Diagnostics& diagnostics) override {
        text_.reset();
        bytes_.reset();
        if (number_ == 0) input_ = diagnostics.add_input("first");
        if (number_ == 3) input_ = diagnostics.add_input("second");
        if (number_ == count_) {
            if (!std::exchange(ended_, true))
                diagnostics.add(hkpd::Severity::warning, {hkpd::Errc::leftover_bytes, number_, {}, {}});
            return std::nullopt;
        }
        report(diagnostics);
        const hkpd::Record record = make();
        ++number_;
        return record;
    }

  private:
    void report(hkpd::Diagnostics& diagnostics) const {
        const auto number = static_cast<std::uint32_t>(number_);
        const std::uint32_t counterset = hkpd::first_counterset + number % 10;
        diagnostics.name_object(counterset, "name " + std::to_string(counterset));
        for (std::uint32_t i = 0; i < number_ % 3; ++i)
            diagnostics.add(static_cast<hkpd::Severity>(i), {hkpd::Errc::leftover_bytes, number_, {}, {}}, counterset,
                            i);
    }
    hkpd::Record make() {
        text_ = std::make_unique<std::string>("text of the record that has the number " + std::to_string(number_));
        entries_ = {{"key", *text_}};
        const auto size = static_cast<std::size_t>(number_ % 100);
        bytes_ = std::make_unique<std::byte[]>(size);
        std::fill_n(bytes_.get(), size, static_cast<std::byte>(number_ & 0xFF));
        hkpd::Record record{static_cast<hkpd::Record::Kind>(number_ % 6), hkpd::Bytes(std::span(bytes_.get(), size))};
        record.place.input = input_;
        record.machine = *text_;
        record.name = std::string_view(*text_).substr(5);
        record.language = std::string_view(*text_).substr(0, 4);
        record.entries = record.kind == hkpd::Record::Kind::provenance ? &entries_ : nullptr;
        record.counterset.bytes.fill(static_cast<std::byte>(number_ & 0xFF));
        record.request = static_cast<std::uint32_t>(number_ % 11);
        if (number_ % 2 == 0) record.title_index = static_cast<std::uint32_t>(2 * number_);
        record.time = 1000 * number_;
        record.cost = 7 * number_;
        return record;
    }

    std::uint64_t count_, number_ = 0;
    bool ended_ = false;
    std::uint32_t input_ = hkpd::no_index;
    std::unique_ptr<std::string> text_;
    std::unique_ptr<std::byte[]> bytes_;
    std::map<std::string, std::string> entries_;
};

/// Holds a thread until a test releases it.
class Gate {
  public:
    void pass() {
        std::unique_lock lock(mutex_);
        reached_ = true;
        changed_.notify_all();
        changed_.wait(lock, [this] { return open_; });
    }
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    void wait_until_reached() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return reached_; });
    }
    void leave() {
        const std::lock_guard lock(mutex_);
        left_ = true;
        changed_.notify_all();
    }
    /// Waits until the held thread has left.
    void wait_until_left() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return left_; });
    }
    bool left() {
        const std::lock_guard lock(mutex_);
        return left_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool reached_ = false, open_ = false, left_ = false;
};

/// Returns some records, then blocks until the gate is opened. Leaves the gate when destroyed.
class StuckSource final : public hkpd::Source {
  public:
    StuckSource(std::shared_ptr<Gate> gate, std::uint64_t before) : gate_(std::move(gate)), before_(before) {}
    ~StuckSource() override { gate_->leave(); }
    StuckSource(const StuckSource&) = delete;
    StuckSource& operator=(const StuckSource&) = delete;

    std::optional<hkpd::Record> next(hkpd::Diagnostics& diagnostics) override {
        if (before_-- > 0) return records_.next(diagnostics);
        gate_->pass();
        return std::nullopt;
    }

  private:
    std::shared_ptr<Gate> gate_;
    std::uint64_t before_;
    ChattySource records_{1'000'000};
};

/// Tries to read a responsive source without taking it for hanging: first with a grace period, then with one of four
/// times its length, and so on up to a minute. On a busy machine the source's thread may not be scheduled for a whole
/// grace period, but is within a minute; a real fault shows with any grace period. Returns whether a try succeeded.
template <class Try>
bool is_kept_with_some_grace(std::chrono::milliseconds grace, const Try& is_kept) {
    for (; grace <= std::chrono::minutes(1); grace *= 4)
        if (is_kept(grace)) return true;
    return false;
}

}  // namespace hkpd_test
