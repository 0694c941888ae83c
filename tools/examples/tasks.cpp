// tasks BLOCK LOG: the five tasks of lib/README.md, on a file with a V1 block and on a performance log.
#include <cstdio>
#include <fstream>
#include <hkpd/hkpd.hpp>
#include <iterator>
#include <span>
#include <string>

namespace {

/// Reads a whole file.
std::string read_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

int decode_a_block(std::span<const std::byte> bytes) {
    const auto sample = hkpd::decode(bytes);
    if (!sample) return 1;
    for (const hkpd::Object& object : sample->objects())
        std::printf("object %u: %zu instances, %zu counters\n", object.title_index, object.instances.size(),
                    object.columns.size());
    return 0;
}

double sum_of_all_values(const char* path) {
    double sum = 0;
    auto reader = hkpd::Reader::open({path});
    while (reader && reader->next())
        for (const hkpd::Object& object : reader->sample().objects())
            for (const hkpd::Column& column : object.columns)
                for (const std::uint64_t value : column.values) sum += static_cast<double>(value);
    return sum;
}

double highest_cooked_value(const char* path) {
    double highest = 0;
    auto reader = hkpd::Reader::open({path});
    while (reader && reader->next())
        for (const hkpd::Object& object : reader->sample().objects())
            for (const hkpd::Column& column : object.columns)
                for (const double value : reader->cooked(object, column).values)
                    if (value > highest) highest = value;  // false for a missing value, which is NaN
    return highest;
}

int read_a_log(const char* path) {
    auto log = hkpd::Reader::open({path}, {.range = {.last = 9}, .languages = {"009"}});
    if (!log) return 1;
    while (log->next())
        std::printf("%s: %zu objects\n", log->sample().machine.value_or("?").c_str(), log->sample().objects().size());
    for (const hkpd::Diagnostic& fault : log->diagnostics().kept())
        std::printf("fault at %llu\n", static_cast<unsigned long long>(fault.error.offset));
    return 0;
}

int write_a_capture(std::span<const std::byte> bytes) {
    hkpd::Diagnostics faults;
    auto capture = hkpd::CaptureFile::create("tasks.mcap");
    if (!capture) return 1;
    capture->add({.bytes = hkpd::Bytes(bytes)}, faults);
    return capture->finish() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const std::string block = read_file(argv[1]);
    const auto bytes = std::as_bytes(std::span(block));
    const int failed = decode_a_block(bytes) + read_a_log(argv[2]) + write_a_capture(bytes);
    std::printf("%g %g\n", sum_of_all_values(argv[1]), highest_cooked_value("tasks.mcap"));
    return failed;
}
