#include "identity/process_id.hpp"

#include <algorithm>

#include "base/text/names.hpp"
#include "hkpd/counter_type.hpp"
#include "sample/display_name.hpp"
#include "sample/real_value.hpp"

namespace hkpd {

const Column* find_process_id(SampleSource source, const Object& object) {
    constexpr std::uint32_t id_process = 784;
    const bool by_title = id_kind(source, object) == IdKind::title;
    const auto found = std::ranges::find_if(object.columns, [&](const Column& column) {
        if (column.storage != Storage::number) return false;
        if (by_title) return column.title_index == id_process;
        const std::string_view name = english_name(object, column);
        return compare_names(name, "id process") == 0 || compare_names(name, "process id") == 0;
    });
    return found == object.columns.end() ? nullptr : &*found;
}

ProcessColumns::ProcessColumns(SampleSource source, const Object& object) : processes(find_process_id(source, object)) {
    if (processes == nullptr) return;
    may_be_real = processes->type == perf_double_raw || processes->attributes != 0;
    constexpr std::uint32_t id_thread = 804, elapsed_time = 0x3024'0500;
    const bool by_title = id_kind(source, object) == IdKind::title;
    for (const Column& column : object.columns) {
        if (column.storage != Storage::number) continue;
        if (threads == nullptr && (by_title ? column.title_index == id_thread
                                            : compare_names(english_name(object, column), "id thread") == 0))
            threads = &column;
        if (starts == nullptr && column.type == elapsed_time) starts = &column;
    }
}

std::optional<std::uint32_t> ProcessColumns::real_process_id(std::size_t row) const noexcept {
    std::optional<double> real = double_value(*processes, row);
    if (!real) real = real_value(*processes, row);
    if (!real) {
        const std::uint64_t id = processes->values[row];
        return id < no_index ? std::optional(static_cast<std::uint32_t>(id)) : std::nullopt;
    }
    return *real >= 0 && *real < no_index ? std::optional(static_cast<std::uint32_t>(*real)) : std::nullopt;
}

}  // namespace hkpd
