// Writes testdata/captures: make_captures FOLDER. The same bytes every time; testdata/README.md describes each file.
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/record.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_quirks.hpp"
#include "support/demo_machine.hpp"

namespace {

using namespace blob::counter_type;

/// Returns three samples end to end, two seconds apart.
blob::Blob demo_capture() {
    blob::Blob capture = blob::build(demo::machine(0));
    for (const std::uint64_t second : {std::uint64_t{2}, std::uint64_t{4}})
        capture.append(blob::build(demo::machine(second)).bytes());
    return capture;
}

/// Returns two processors and a text, as written by a machine of the other byte order.
blob::Blob big_endian() {
    blob::Block block{.objects = {demo::processor_object(0)}, .machine = u"ALPHA", .endian = blob::Endian::big};
    block.objects.push_back({.title = 5000,
                             .counters = {{.title = 5002, .type = text_unicode, .size = 24},
                                          {.title = 5004, .type = text_ascii, .size = 12},
                                          {.title = 5006, .type = large_rawcount, .size = 8}},
                             .values = {blob::utf16(u"größer", blob::Endian::big), std::string("smaller"), 42}});
    return blob::build(block);
}

/// Returns everything that is no plain number: text, code pages, odd sizes, and definitions without data.
blob::Blob text_and_bytes() {
    const std::vector<blob::Counter> texts{{.title = 5002, .type = text_unicode, .size = 32},
                                           {.title = 5004, .type = text_ascii, .size = 16},
                                           {.title = 5006}};
    const std::string western =
                          "Stra\xDF"
                          "e",
                      japanese = "\x93\xFA\x96\x7B\x8C\xEA";
    const std::vector<blob::Counter> sizes{{.title = 5020, .type = nodata, .size = 0},
                                           {.title = 5022, .size = 1},
                                           {.title = 5024, .size = 2},
                                           {.title = 5026, .size = 3},
                                           {.title = 5028, .size = 16},
                                           {.title = 5030, .size = 8},
                                           {.title = 5032, .type = large_rawcount}};
    return blob::build(
        {.objects =
             {{.title = 5000, .counters = texts, .values = {blob::utf16(u"Überlauf"), std::string("overflow"), 1}},
              {.title = 5008,
               .kind = blob::Kind::multi,
               .counters = texts,
               .instances = {{western, {blob::utf16(u"Straße"), western, 2}},
                             {"plain", {blob::utf16(u""), std::string("plain"), 3}, 0, 0, -1, false}},
               .code_page = 1252},
              {.title = 5010,
               .kind = blob::Kind::multi,
               .counters = texts,
               .instances = {{japanese, {blob::utf16(u"日本語"), japanese, 4}, 0, 0, 17}},
               .code_page = 932},
              {.title = 5012,
               .counters = sizes,
               .values = {0, std::string("\x01"), std::string("\x02\x03"), std::string("\x04\x05\x06"),
                          std::string("0123456789abcdef"), 0x1'0000'0007, 8}},
              {.title = 5014, .kind = blob::Kind::multi, .counters = {{.title = 5040}}},
              {.title = 5016, .kind = blob::Kind::metadata_multi, .counters = {{.title = 5042}, {.title = 5044}}},
              {.title = 5018, .kind = blob::Kind::metadata_single, .counters = {{.title = 5046}}}},
         .machine = u"TEXT",
         .default_object = 5000});
}

/// Returns ten objects, the seventh of which is nothing but 0xFF.
blob::Blob damaged() {
    blob::Block block{.machine = u"DAMAGED", .default_object = 6000};
    for (std::uint32_t k = 0; k < 10; ++k) {
        const std::uint32_t title = 6000 + 10 * k;
        block.objects.push_back(
            {.title = title,
             .kind = blob::Kind::multi,
             .counters = {{.title = title + 2, .type = counter}, {.title = title + 4, .type = bulk_count, .size = 8}},
             .instances = {{u"first", {100 + k, 200 + k}}, {u"second", {300 + k, 400 + k}}}});
    }
    blob::Blob blob = blob::build(block);
    blob.fill(blob.object(6), blob.object_end(6) - blob.object(6), 0xFF);
    return blob;
}

/// Returns Samba's own numbering of titles, and its DWORD counters of 8 bytes, of which a zero is sent as the digit 0.
blob::Blob samba() {
    return blob::samba_like(
        {.objects = {{.title = 2,
                      .counters = {{.title = 4, .size = 8, .scale = -4},
                                   {.title = 6, .type = large_rawcount, .size = 8},
                                   {.title = 8, .type = counter, .size = 8},
                                   {.title = 10, .size = 8}},
                      .values = {123'456, 1ull << 40, 0x30, -1}},
                     {.title = 12,
                      .kind = blob::Kind::multi,
                      .counters = {{.title = 14, .type = timer_100ns, .size = 8},
                                   {.title = 16, .type = timer_100ns, .size = 8}},
                      .instances = {{u"cpu0", {11, 22}}, {u"cpu1", {44, 55}}, {u"_Total", {55, 77}}}}},
         .machine = u"SMBPERF",
         .default_object = -1});
}

blob::Blob wine() {
    return blob::wine_like({.objects = {{.title = 3000,
                                         .counters = {{.title = 3002}, {.title = 3004, .type = bulk_count, .size = 8}},
                                         .values = {7, 0x1122'3344'5566}},
                                        {.title = 3006,
                                         .kind = blob::Kind::multi,
                                         .counters = {{.title = 3008}},
                                         .instances = {{u"one", {1}}, {u"two", {2}}}}},
                            .machine = u"WINE",
                            .default_object = 0});
}

/// Returns Processor, whose _Total claims to be 64 bytes long while its values continue for 56 more.
blob::Blob xp() {
    const blob::Block block{.objects = {demo::processor_object(0)}, .machine = u"XPBOX"};
    return blob::xp_like(block, 0, demo::processors, 64);
}

/// Returns the same three samples as a capture, with a few titles of another language.
bool write_demo_capture(const std::filesystem::path& path) {
    std::ofstream out(path, std::ios::binary);
    hkpd::CaptureOptions options;
    options.library = "make_captures";
    hkpd::CaptureWriter writer(
        [&out](std::span<const std::byte> bytes) {
            out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
            return out.good();
        },
        options);
    hkpd::Recorder recorder(writer);
    recorder.set_provenance({{"os", "none, this machine never was"}, {"query", "2 4 230 232 238"}});
    recorder.add_titles({"counter-00a.txt", "238\nProcesador\n6\n% de tiempo de procesador\n", "00a"});
    hkpd::Diagnostics diagnostics;
    for (const std::uint64_t second : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{4}}) {
        const blob::Blob blob = blob::build(demo::machine(second));
        recorder.add({hkpd::Record::Kind::v1_block, hkpd::Bytes(blob.bytes())}, diagnostics);
    }
    recorder.finish();
    writer.finish();
    return writer.good() && !diagnostics.any_fault();
}

bool write(const std::filesystem::path& path, const blob::Blob& blob) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(blob.bytes().data()), static_cast<std::streamsize>(blob.size()));
    out.close();
    if (!out) std::cerr << path.string() << ": cannot be written\n";
    return static_cast<bool>(out);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: make_captures FOLDER\n";
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const bool written = write(folder / "demo.bin", demo_capture()) && write_demo_capture(folder / "demo.mcap") &&
                         write(folder / "big-endian.bin", big_endian()) &&
                         write(folder / "text-and-bytes.bin", text_and_bytes()) &&
                         write(folder / "damaged.bin", damaged()) && write(folder / "samba-like.bin", samba()) &&
                         write(folder / "wine-like.bin", wine()) && write(folder / "xp-like.bin", xp());
    return written ? 0 : 3;
}
