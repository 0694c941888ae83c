// Writes the seeds of the fuzz targets: make_corpus testdata. The same bytes every time.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "corpus.hpp"

bool hkpd_fuzz::write(const std::filesystem::path& path, std::string_view content) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << content;
    out.close();
    if (!out) std::cerr << path.string() << ": cannot be written\n";
    return static_cast<bool>(out);
}

int main(int argc, char** argv) {
    using namespace hkpd_fuzz;
    if (argc != 2) {
        std::cerr << "usage: make_corpus TESTDATA\n";
        return 2;
    }
    const std::filesystem::path testdata = argv[1];
    const bool written = write_text_seeds(testdata) && write_rule_seeds(testdata) && write_v1_seeds(testdata) &&
                         write_v2_seeds(testdata) && write_capture_seeds(testdata) && write_mcap_seeds(testdata) &&
                         write_file_seeds(testdata) && write_log_seeds(testdata) && write_log_event_seeds(testdata) &&
                         write_interface_seeds(testdata);
    return written ? 0 : 3;
}
