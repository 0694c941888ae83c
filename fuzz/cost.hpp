// What the thread spends: CPU time, and memory if AddressSanitizer reports each allocation.
#pragma once

#include <time.h>  // POSIX, with clocks of threads

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__has_feature)
#define HKPD_FUZZ_HAS_ASAN __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HKPD_FUZZ_HAS_ASAN 1
#else
#define HKPD_FUZZ_HAS_ASAN 0
#endif
#if HKPD_FUZZ_HAS_ASAN
// <sanitizer/allocator_interface.h>, which GCC does not ship.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void*);
#endif

namespace hkpd_fuzz {

/// Returns the CPU time of this thread in seconds; 0 if the system does not report it, and if HKPD_NO_TIME_LIMIT is set
/// because time means nothing (under Valgrind, or an emulator of the processor).
inline double thread_seconds() noexcept {
#ifdef CLOCK_THREAD_CPUTIME_ID
    static const bool counts = std::getenv("HKPD_NO_TIME_LIMIT") == nullptr;
    timespec now{};
    if (counts && clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0)
        return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
#endif
    return 0;
}

/// Bytes that are allocated now, counted from the first call on, and the peak since `watch`. Always 0 without
/// AddressSanitizer.
class Heap {
  public:
    static std::int64_t now() noexcept { return now_.load(std::memory_order_relaxed); }
    static std::int64_t peak() noexcept { return peak_.load(std::memory_order_relaxed); }
    static void watch() noexcept {
#if HKPD_FUZZ_HAS_ASAN
        static const int installed = __sanitizer_install_malloc_and_free_hooks(&allocated, &freed);
        static_cast<void>(installed);
#endif
        peak_.store(now(), std::memory_order_relaxed);
    }

  private:
#if HKPD_FUZZ_HAS_ASAN
    static void allocated(const volatile void*, std::size_t size) noexcept {
        const auto after = now_.fetch_add(static_cast<std::int64_t>(size)) + static_cast<std::int64_t>(size);
        if (after > peak()) peak_.store(after, std::memory_order_relaxed);  // only one thread allocates
    }
    static void freed(const volatile void* memory) noexcept {
        if (memory != nullptr) now_.fetch_sub(static_cast<std::int64_t>(__sanitizer_get_allocated_size(memory)));
    }
#endif
    static inline std::atomic<std::int64_t> now_ = 0, peak_ = 0;
};

/// CPU time and memory spent since construction.
class Cost {
  public:
    Cost() {
        Heap::watch();
        memory_before_ = Heap::now();
        begin_ = Clock::now();
        // Asking the system for the CPU time takes as long as reading a short input. It is asked once for many.
        thread_local Clock::time_point asked{};
        thread_local double seconds = 0;
        if (begin_ - asked > often) {
            asked = begin_;
            seconds = thread_seconds();
        }
        seconds_before_ = seconds;
    }
    /// Returns the CPU time in seconds, or up to 20 ms more. A thread spends no more of it than has passed.
    double seconds() const noexcept {
        const auto passed = Clock::now() - begin_;
        if (passed < often) return std::chrono::duration<double>(passed).count();
        return thread_seconds() - seconds_before_;
    }
    /// Returns the largest number of bytes allocated at one time, without those from before.
    std::uint64_t memory() const noexcept { return static_cast<std::uint64_t>(Heap::peak() - memory_before_); }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds often{20};

    Clock::time_point begin_{};
    double seconds_before_ = 0;
    std::int64_t memory_before_ = 0;
};

}  // namespace hkpd_fuzz
