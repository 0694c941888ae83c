// Text logs as the samples that are read from them, and these as lines.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/counter_type.hpp"
#include "support/log_samples.hpp"

namespace hkpd_test {

/// A text that is written to a file and read back.
inline std::unique_ptr<LogSamples> read_text_log(std::string_view text, const hkpd::Limits& limits = {}) {
    const TempFolder folder;
    return read_log_samples({folder.write("log.csv", std::string(text))}, limits);
}

/// Returns `time machine object(instance)\counter=value ...` for each sample; `!` for a missing value, `!!` for a
/// damaged one.
inline std::vector<std::string> text_content(const LogSamples& samples) {
    std::vector<std::string> all;
    for (const hkpd::Sample& sample : samples.all) {
        std::string& text = all.emplace_back();
        if (const auto time = unix_time(sample)) text += std::to_string(*time / 1'000'000);
        text += " " + sample.machine.value_or("?");
        for (const hkpd::Object& object : sample.objects())
            for (const hkpd::Column& column : object.columns)
                for (std::size_t row = 0; row < object.instances.size(); ++row) {
                    EXPECT_EQ(column.type, hkpd::perf_double_raw);
                    text += " " + std::string(object.name->text);
                    if (object.kind == hkpd::Kind::multi)
                        text.append("(").append(*object.instances[row].name).append(")");
                    text.append("\\").append(column.name->text).append("=");
                    if (column.is_valid(row))
                        text += std::to_string(std::bit_cast<double>(column.values[row]));
                    else
                        text += column.status[row] == hkpd::ValueStatus::damaged ? "!!" : "!";
                }
    }
    return all;
}

}  // namespace hkpd_test
