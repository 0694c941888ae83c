// The built-in titles, without making them for each input.
#pragma once

#include "hkpd/names.hpp"

namespace hkpd_fuzz {

/// Titles that begin as the built-in ones. They are made anew only if the input before has added to them.
class UsualTitles {
  public:
    hkpd::Titles& get() {
        if (titles_.tables().size() != 1) {
            titles_ = {};
            titles_.add(hkpd::builtin_titles());
        }
        return titles_;
    }

  private:
    hkpd::Titles titles_;
};

}  // namespace hkpd_fuzz
