// Performance logs and text logs: read to samples, compared with reading their bytes.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "cases.hpp"
#include "harness.hpp"
#include "logs.hpp"
#include "read_samples.hpp"
#include "support/temp_folder.hpp"
#include "text_logs.hpp"

namespace bench {
namespace {

constexpr std::size_t file_size = std::size_t{16} << 20U;

void read_bytes(const std::string& path, std::string& content) {
    std::ifstream file(path, std::ios::binary);
    if (!file.read(content.data(), static_cast<std::streamsize>(content.size()))) std::abort();
}

void read(benchmark::State& state, std::string content, std::size_t rows, std::size_t values) {
    const hkpd_test::TempFolder folder;
    const std::string path = folder.path("run");
    std::ofstream(path, std::ios::binary) << content;
    std::array<hkpd::Sample, 2> samples;
    report(state, {[&] { read_bytes(path, content); }, values},
           {[&] { read_samples(path, samples, rows); }, values, content.size()});
}

void read_log(benchmark::State& state, LogForm form) {
    const std::size_t rows = file_size / log_bytes(form, 1).size() + 1;
    read(state, log_bytes(form, rows), rows, row_values(form) * rows);
}

void read_text_log(benchmark::State& state, std::size_t columns) {
    std::ostringstream text;
    const std::size_t rows = write_text_log(text, columns, file_size);
    read(state, std::move(text).str(), rows, columns * rows);
}

}  // namespace

void add_log_cases() {
    for (const LogForm form : log_forms)
        add_case("log_" + std::string(form_name(form)) + "/small",
                 [form](benchmark::State& state) { read_log(state, form); });
    for (const std::size_t columns : {std::size_t{500}, std::size_t{3000}})
        add_case("text_log_" + std::to_string(columns) + "/small",
                 [columns](benchmark::State& state) { read_text_log(state, columns); });
}

}  // namespace bench
