// Performance logs: read to samples, compared with reading their bytes.
#include <array>
#include <cstdlib>
#include <fstream>
#include <string>

#include "cases.hpp"
#include "harness.hpp"
#include "logs.hpp"
#include "read_samples.hpp"
#include "support/temp_folder.hpp"

namespace bench {
namespace {

constexpr std::size_t file_size = std::size_t{16} << 20U;

void read_bytes(const std::string& path, std::string& content) {
    std::ifstream file(path, std::ios::binary);
    if (!file.read(content.data(), static_cast<std::streamsize>(content.size()))) std::abort();
}

void read(benchmark::State& state, LogForm form) {
    const std::size_t rows = file_size / log_bytes(form, 1).size() + 1;
    const hkpd_test::TempFolder folder;
    const std::string path = folder.path("run.blg");
    std::string content = log_bytes(form, rows);
    std::ofstream(path, std::ios::binary) << content;
    std::array<hkpd::Sample, 2> samples;
    const std::size_t values = row_values(form) * rows;
    report(state, {[&] { read_bytes(path, content); }, values},
           {[&] { read_samples(path, samples, rows); }, values, content.size()});
}

}  // namespace

void add_log_cases() {
    for (const LogForm form : log_forms)
        add_case("log_" + std::string(form_name(form)) + "/small",
                 [form](benchmark::State& state) { read(state, form); });
}

}  // namespace bench
