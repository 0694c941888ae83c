// The words of metrics' names: what titles become, and which words names do without, for `promtool check metrics` finds
// fault with them. Sources: client_golang, prometheus/testutil/promlint; prometheus.io/docs/practices/naming.
#pragma once

#include <string>
#include <string_view>

namespace hkpd {

/// A title as part of a name: `% Processor Time` is `processor_time`; empty where nothing of it can stand in one.
/// Values are never converted, so that a unit stays what it is: an abbreviated one is spelled out where its meaning is
/// certain (`Lock Wait Time (ms)` is `lock_wait_time_millisecond`), and else joined to the word beside it
/// (`Memory, mb` is `memorymb`).
std::string metric_words(std::string_view title);

/// Changes the words of a name that stand for types of metrics (`counter` becomes `counters`), and the plurals of units
/// that are no base units of Prometheus (`milliseconds` becomes `millisecond`).
std::string without_faulty_words(std::string_view name);

/// Appends what makes a plural of the last word.
void append_plural(std::string& name);

/// Whether a word is one of the abbreviated units that no name should have.
bool is_abbreviated_unit(std::string_view word) noexcept;

}  // namespace hkpd
