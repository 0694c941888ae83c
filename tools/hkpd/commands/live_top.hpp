// `hkpd top --live`: what uses most now, sample by sample.
#pragma once

#include <functional>
#include <memory>

#include "hkpd/answers.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/write.hpp"

namespace hkpd::command {

/// Options of a writer of live tables.
struct LiveTop {
    WriteOptions write;
    CookOptions cook;
    TopOptions top;
    bool fits_screen = false;   ///< as many rows as the terminal has lines, in place of `TopOptions::top`
    bool to_terminal = false;   ///< replace each table by the next one; otherwise, append them
    std::function<void()> end;  ///< called by another thread to end the run
};

/// Creates a writer that shows a table for each sample, with the rates since the sample before.
std::unique_ptr<Writer> make_live_top_writer(const LiveTop& how);

}  // namespace hkpd::command
