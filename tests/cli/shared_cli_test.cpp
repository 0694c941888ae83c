// The command on real blobs: Windows' own from a log of 2007, those of Samba and Wine.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "json_text.hpp"
#include "run_command.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace shared_cli_test {

/// Returns the first sample of a blob as JSON.
rapidjson::Document json(const std::string& path) { return parse_json(dump({"--format", "json", path}).out); }

class WindowsBlobs : public WindowsData {
  protected:
    std::string vista() const { return path("data/v1/vista-2007"); }
    std::string vista_titles() const { return path("data/titles/vista-2007-counter-009.multisz"); }
};

class RealBlobs : public SharedDir {
  protected:
    std::string blob(const std::string& name) const { return path("live/blobs/" + name); }
    std::string objects(const std::string& name) const {
        return json_text(at(json(blob(name)), "samples", 0, "objects"));
    }
};

TEST_F(WindowsBlobs, VistaIsDecodedAndNamedCompletely) {
    const Result result = dump({"--format", "json", "--titles", vista_titles(), vista()});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const auto document = parse_json(result.out);
    for (const auto& found : at(document, "diagnostics").GetArray())
        EXPECT_EQ(json_text(at(found, "severity")), "\"note\"") << json_text(found);
    ASSERT_EQ(at(document, "samples").Size(), 11U);
    for (const auto& sample : at(document, "samples").GetArray()) {
        EXPECT_EQ(json_text(at(sample, "machine")), "\"ZACH-PC\"");
        EXPECT_EQ(json_text(at(sample, "titles")),
                  "[{\"language\":\"009\",\"source\":\"vista-2007-counter-009.multisz\"}]");
        std::set<unsigned> indices;
        for (const auto& object : at(sample, "objects").GetArray()) {
            indices.insert(at(object, "index").GetUint());
            EXPECT_TRUE(at(object, "name").IsString()) << json_text(at(object, "index"));
            EXPECT_NE(at(object, "counters").Size(), 0U);
            for (const auto& counter : at(object, "counters").GetArray())
                EXPECT_TRUE(at(counter, "name").IsString()) << json_text(counter);
            for (const auto& instance : at(object, "instances").GetArray()) {
                EXPECT_EQ(at(instance, "values").Size(), at(object, "counters").Size());
                for (const auto& value : at(instance, "values").GetArray())
                    EXPECT_TRUE(value.IsUint64()) << json_text(value);
            }
        }
        EXPECT_EQ(indices, (std::set<unsigned>{2, 4, 230, 234, 236, 238, 510, 638}));
    }
}

TEST_F(WindowsBlobs, BuiltInTitlesNameVistaToo) {
    const auto document = json(vista());
    EXPECT_EQ(json_text(at(document, "samples", 0, "titles")), "[{\"language\":\"009\",\"source\":\"built-in\"}]");
    for (const auto& object : at(document, "samples", 0, "objects").GetArray())
        EXPECT_TRUE(at(object, "name").IsString()) << json_text(at(object, "index"));
}

TEST_F(WindowsBlobs, PathsIntoVista) {
    const Result result =
        dump({vista(), "--titles", vista_titles(), "--format", "csv", "--path", R"(\Process(svchost#12)\ID Process)",
              "--path", R"(\PhysicalDisk(0 C:*)\Current Disk Queue Length)"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(lines(result.out).size(), 1U + 2 * 11) << result.out;
    EXPECT_NE(result.out.find(",svchost,2124,,1,svchost#12,ID Process,784,PERF_COUNTER_RAWCOUNT,2124\n"),
              std::string::npos)
        << result.out;
}

TEST_F(RealBlobs, EveryBlobIsDecodedOrRefusedWithAReason) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "live/blobs")) {
        ++count;
        for (const std::string format : {"table", "json", "jsonl", "csv"}) {
            const Result result = dump({hkpd::path_text(entry.path()), "--format", format});
            EXPECT_TRUE(result.exit == 0 || result.exit == 1 || result.exit == 3) << entry.path() << result.err;
            if (result.exit != 0) {
                const bool is_other = result.err.find("give them with --titles") != std::string::npos ||
                                      result.err.find("give it with --v2") != std::string::npos;
                EXPECT_TRUE(is_other || result.err.find("offset 0x") != std::string::npos)
                    << entry.path() << result.err;
                EXPECT_NE(result.err.find("error"), std::string::npos) << entry.path() << result.err;
            } else {
                EXPECT_TRUE(format == "jsonl" || !result.out.empty()) << entry.path();  // without objects no lines
            }
        }
    }
    EXPECT_EQ(count, 26U);
}

TEST_F(RealBlobs, FilesThatAreNoBlobsAreRefused) {
    for (const std::string name :
         {"samba-counter009.bin", "samba-explain009.bin", "wine64-counter009.bin", "wine64-help009.bin",
          "wine64-v2-perf_data_header-only.bin", "samba-global-shortbuf64.bin"}) {
        const Result result = dump({blob(name)});
        EXPECT_EQ(result.exit, name.starts_with("samba-global") ? 1 : 3) << name;
        EXPECT_EQ(result.out, "") << name;
        EXPECT_EQ(lines(result.err).size(), 1U) << result.err;
    }
    EXPECT_EQ(dump({blob("samba-global-shortbuf200.bin")}).exit, 1);
}

TEST_F(RealBlobs, Samba) {
    const Result result = dump({blob("samba-global-ok.bin"), "--titles", blob("samba-counter009.bin")});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_NE(result.err.find("as Samba writes it"), std::string::npos);
    EXPECT_EQ(result.out,
              "machine SMBPERF, 2026-11-20T23:29:12.000Z, 3 objects, raw values, names: samba-counter009.bin "
              "(language 009)\n\n"
              "Memory (2), 4 counters\n"
              "  Available KB         123456\n"
              "  Commit bytes  1099511627776\n"
              "  Faults/sec              777\n"
              "  Bytes/sec              4096\n\n"
              "Processor (12), 3 instances, 3 counters\n"
              "            User  Kernel  Ints\n"
              "          100 ns  100 ns\n"
              "  cpu0        11      22    33\n"
              "  cpu1        44      55    66\n"
              "  _Total      55      77    99\n\n"
              "Single (20), 1 counter\n"
              "  v  5\n");
    for (const std::string name : {"dsort", "empty", "noctr", "noname", "text", "zero", "big"}) {
        const Result other = dump({blob("samba-global-" + name + ".bin")});
        EXPECT_EQ(other.exit, 0) << name << other.err;
        EXPECT_EQ(other.out.find("built-in"), std::string::npos) << name << ": Samba's numbers are its own";
    }
    EXPECT_EQ(at(json(blob("samba-global-big.bin")), "samples", 0, "objects", 3, "instances").Size(), 2000U);
}

TEST_F(RealBlobs, WineIsRepaired) {
    const std::string repaired = objects("wine64-global-degapped.bin");
    EXPECT_NE(repaired.find("日本語 🚀"), std::string::npos) << repaired;
    EXPECT_EQ(objects("wine64-global-raw.bin"), repaired);
    EXPECT_EQ(objects("wine64-quirk-oddlen-raw.bin").substr(0, 200), repaired.substr(0, 200));
    const Result result = dump({blob("wine64-global-raw.bin")});
    EXPECT_EQ(result.exit, 0);
    EXPECT_NE(result.err.find("as Wine writes them"), std::string::npos) << result.err;
    EXPECT_EQ(dump({blob("wine64-global-degapped.bin")}).err, "");
    EXPECT_EQ(dump({blob("wine64-global-noprov.bin")}).exit, 0);
}

TEST_F(RealBlobs, AllInOneStream) {
    std::string all;
    for (const std::string name :
         {"samba-global-ok.bin", "wine64-global-raw.bin", "wine64-global-degapped.bin", "samba-global-big.bin"})
        all += read_file(blob(name));
    const std::string vista = path("data/v1/vista-2007");
    all += read_file(vista + "/s00-obj2.bin") + read_file(vista + "/s00-obj4.bin");
    const Result result = dump({"-", "--format", "json"}, all);
    EXPECT_EQ(result.exit, 0) << result.err;
    const auto document = parse_json(result.out);
    // Wine's two blobs are one reply, so their objects repeat; those of Vista are one sample.
    ASSERT_EQ(at(document, "samples").Size(), 5U);
    EXPECT_EQ(json_text(at(document, "samples", 1, "objects")), json_text(at(document, "samples", 2, "objects")));
    EXPECT_EQ(at(document, "samples", 4, "objects").Size(), 2U);
}

}  // namespace shared_cli_test
}  // namespace hkpd_test
