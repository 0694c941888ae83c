// The answer that a handle of the C interface refers to, and how it is made.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "abi/reader.hpp"
#include "hkpd/answers.hpp"
#include "hkpd/input_check.hpp"
#include "hkpd/overview.hpp"
#include "hkpd/report.hpp"

/// The type that the handle of an answer points to: one of the answers, and the faults of the inputs.
struct hkpd_answer {
    hkpd_reader inputs;  // without a reader; refuses to read samples
    std::vector<hkpd::RunFacts> runs;
    hkpd::SeriesList rows;
    std::optional<hkpd::Top> top;
    std::optional<hkpd::Changes> changes;
    std::optional<hkpd::Overview> overview;
    std::optional<hkpd::InputCheck> check;
    std::optional<hkpd::Report> report;
};

namespace hkpd::abi {

using Paths = std::span<const char* const>;

/// Makes an answer. `make` fills it and returns its status.
template <class Make>
hkpd_status make_answer(hkpd_answer** answer, hkpd_error* error, const Make& make) noexcept {
    if (error != nullptr && !take(error)) return HKPD_ERROR_ARGUMENT;
    if (answer == nullptr) return fail(error, HKPD_ERROR_ARGUMENT, "the pointer to the answer is NULL");
    *answer = nullptr;
    const hkpd_status status = guarded([&]() -> hkpd_status {
        auto made = std::make_unique<hkpd_answer>();
        if (const hkpd_status failed = make(*made); failed != HKPD_OK) return failed;
        made->inputs.reader.reset();
        made->inputs.has_sample = false;
        made->inputs.streaming = true;  // refuses to read samples
        *answer = made.release();
        return HKPD_OK;
    });
    return status == HKPD_ERROR_MEMORY || status == HKPD_ERROR_INTERNAL ? fail(error, status) : status;
}

/// Opens a run for an answer, whose faults are those of the answer.
inline std::pair<hkpd_status, std::unique_ptr<hkpd_reader>> open_run(hkpd_answer& answer, Paths paths,
                                                                     const hkpd_options* reading, bool one_source,
                                                                     hkpd_error* error) {
    hkpd_reader* opened = nullptr;
    const hkpd_status status =
        open_paths(paths, reading, {.one_source = one_source, .faults = &answer.inputs.faults}, &opened, error);
    return {status, std::unique_ptr<hkpd_reader>(opened)};
}

/// Returns the filter of the options of a reader.
inline Filter filter_of(hkpd_reader& reader) { return reader.filter ? std::move(*reader.filter) : Filter(); }

/// Returns whether `count` elements from `first` on are among `size` elements.
constexpr bool is_within(std::size_t first, std::size_t count, std::size_t size) noexcept {
    return first <= size && count <= size - first;
}

}  // namespace hkpd::abi
