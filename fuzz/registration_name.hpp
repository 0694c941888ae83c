// The name of a registration's file.
#pragma once

#include "base/text/names.hpp"
#include "entry.hpp"
#include "hkpd/record.hpp"
#include "hkpd/source.hpp"
#include "source/v2_files.hpp"

namespace hkpd_fuzz {

/// Requires that the name given to a registration states all that is known of it; a capture's language may be any text,
/// which no file name can hold.
inline void require_registration_name(const hkpd::Record& record) {
    const auto subject = hkpd::subject_of_name(hkpd::registration_file_name(record));
    require(subject && subject->counterset == record.counterset);
    require(subject->language == hkpd::fold_case(record.language) || subject->language.empty());
    require(static_cast<std::uint32_t>(subject->request) == record.request &&
            subject->title_index == record.title_index);
}

}  // namespace hkpd_fuzz
