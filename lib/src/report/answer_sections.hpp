// The first sections of a page, which answer what a reader asks first: what limited the machine, and what used most.
#pragma once

#include <string>

#include "hkpd/answers.hpp"
#include "report/sections.hpp"

namespace hkpd {

/// Appends the sentences of the verdict, each with a link to its chart.
void append_verdict_section(std::string& out, const PageContent& content, const Top& top);
/// Appends the table of the processes that used most, if the run has processes.
void append_processes_section(std::string& out, const Top& top);

}  // namespace hkpd
