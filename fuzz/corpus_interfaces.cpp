// Seeds of what lies between hkpd and others: blocks of both interfaces to compare, a registry's answers, times and
// zones as people and Windows write them, and names in captures.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "corpus.hpp"
#include "hkpd/live.hpp"
#include "hkpd/provider.hpp"
#include "hkpd/simulate.hpp"
#include "hkpd/v1_writer.hpp"
#include "live/perflib_query.hpp"
#include "record_bytes.hpp"
#include "sample_parts.hpp"

namespace hkpd_fuzz {
namespace {

using namespace std::string_literals;
using namespace hkpd;

/// Both interfaces of a simulated machine.
class BothInterfaces {
  public:
    explicit BothInterfaces(std::string_view counterset, const char* instances)
        : machine_(options()), guid_(*parse_guid(counterset)), query_(machine_.perflib()) {
        query_.add(guid_, instances);
    }
    std::string v1() const {
        const std::uint32_t object = machine_.numbering().object(guid_);
        return block_part(false, machine_.v1_block(std::array{object}));
    }
    std::string v2() {
        query_.collect();
        return block_part(true, query_.data().span());
    }
    void wait(std::int64_t nanoseconds) { machine_.advance_to(elapsed_ += nanoseconds); }

  private:
    static SimulationOptions options() {
        SimulationOptions small;
        small.cpus = 1;
        small.processes = 2;
        small.threads = 2;
        return small;
    }
    SimulatedMachine machine_;
    Guid guid_;
    PerfQuery query_;
    std::int64_t elapsed_ = 0;
};

bool write_comparisons(const std::filesystem::path& folder) {
    constexpr const char *waves = "{ffeeaadd-c923-4794-b696-70577630b5cf}",
                         *processors = "{b4fc721a-0378-476f-89ba-a5a79f810b36}";
    constexpr std::int64_t second = 1'000'000'000;
    BothInterfaces of_waves(waves, "*"), of_one_wave(waves, "Large Wave"), of_processors(processors, "*");
    std::string equal(1, '\0'), lone(1, '\0'), apart(1, '\3');
    for (int sample = 0; sample < 2; ++sample) {
        equal += of_waves.v1() + of_waves.v2();
        lone += of_one_wave.v2() + of_one_wave.v1();
        apart += of_waves.v1();
        of_waves.wait(second / 4);
        apart += of_waves.v2();
        of_one_wave.wait(second);
        of_waves.wait(second);
    }
    return write(folder / "equal", equal) && write(folder / "instances-of-one-interface", lone) &&
           write(folder / "moments-apart", apart) &&
           write(folder / "processors", '\x10' + of_processors.v1() + of_processors.v2()) &&
           write(folder / "evicted", '\4' + of_one_wave.v1() + of_one_wave.v1() + of_one_wave.v2());
}

std::string answer(char status, char size_kind, std::string_view bytes, std::string_view size = {}) {
    std::string text{status, size_kind, static_cast<char>(bytes.size() & 0xFFU), static_cast<char>(bytes.size() >> 8U)};
    return text.append(bytes).append(size);
}

bool write_answers(const std::filesystem::path& folder) {
    constexpr char good = 0, more_data = 4, busy = 5, denied = 8;
    constexpr std::size_t total_at = 20;
    const std::string policy = "\5\0\x20\3\7"s, block = v1_bytes(1), block_answer = answer(good, 2, block);
    std::string incomplete = block, longer = block;
    incomplete.replace(total_at, 4, 4, '\0');
    longer[total_at + 1] = '\x08';
    return write(folder / "block", policy + block_answer) &&
           write(folder / "grows", policy + answer(more_data, 2, "") + answer(more_data, 2, "xx") + block_answer) &&
           write(folder / "busy", policy + answer(busy, 2, "") + answer(busy, 2, "") + block_answer) &&
           write(folder / "denied", policy + answer(denied, 2, "")) &&
           write(folder / "incomplete", policy + answer(good, 2, incomplete) + block_answer) &&
           write(folder / "longer-than-the-reply", policy + answer(good, 2, longer)) &&
           write(folder / "size-beyond-buffer", policy + answer(good, 0, block, "\xFF\xFF\xFF\xFF")) &&
           write(folder / "gap-as-in-wine", policy + answer(good, 2, std::string(block).insert(88, 88, '\0')));
}

bool write_times(const std::filesystem::path& folder) {
    const auto text = [&](const char* name, std::string_view time) {
        return write(folder / name, "\xC4\xFF"s.append(time));
    };
    // A local time and the zone of Berlin, as Windows writes them into the header of a log.
    const auto number = [&](std::uint64_t value, int bytes) {
        std::string part;
        for (int i = 0; i < bytes; ++i) part += static_cast<char>(value >> (8 * i) & 0xFFU);
        return part;
    };
    const auto date = [&](std::initializer_list<std::uint16_t> parts) {
        std::string bytes;
        for (const std::uint16_t part : parts) bytes += number(part, 2);
        return bytes;
    };
    const auto name = [](std::u16string_view of) {
        std::string bytes = blob::utf16(of);
        bytes.resize(64);
        return bytes;
    };
    const std::string filetime = "\0\0"s + number(133'601'526'000'000'000, 8);
    const std::string rules = number(0xFFFF'FFC4, 4) + name(u"Standard") + date({0, 10, 0, 5, 3, 0, 0, 0}) +
                              number(0, 4) + name(u"@tzres.dll,-212") + date({0, 3, 0, 5, 2, 0, 0, 0}) +
                              number(0xFFFF'FFC4, 4);
    return text("date", "2024-05-14") && text("iso", "2024-05-14T09:30:02.500+02:00") &&
           text("iso-utc", "1969-12-31 23:59:59.999Z") && text("us", "05/14/2024 12:30:02.500 PM") &&
           text("seconds", "@-1715679002.5") && text("latest", "2262-04-11T23:47:15") && text("utc", "UTC") &&
           text("us-minutes", "11/26/2016 1:46PM") && text("time-of-day", "9:30:02.5 pm") &&
           text("before-end", "-1.5min") && text("iana", "america/new_york") &&
           text("windows", "Lord Howe Standard Time") && text("zone", "Pacific Standard Time,480") &&
           text("resource", "@tzres.dll,-212") && write(folder / "rules", filetime + rules) &&
           write(folder / "system-time", filetime + date({2024, 5, 2, 14, 9, 30, 2, 500}));
}

bool write_names(const std::filesystem::path& folder) {
    const auto seed = [&](const char* name, std::string_view text, char kind = 1, char parts = 0) {
        std::string bytes = kind + std::string(16, '\x5A') + "\5\0\0\0"s + parts;
        if ((parts & 1) != 0) bytes += "\x0A\0\0\0"s;
        if ((parts & 2) != 0) bytes += std::string(8, '\1');
        return write(folder / name, bytes
                                        .append("\3"
                                                "009")
                                        .append(text));
    };
    return seed("titles", "perfc007.dat") && seed("path", "C:\\Windows\\..\\INF\\PERFLIB.INI") &&
           seed("device", "con.txt") && seed("control", "a\n\x1B[0m\"\\.reg", 1, 8) &&
           seed("text", "größer 日本.multisz", 2, 14) && seed("registration", "M", 5, 1) &&
           seed("bad-utf-8", "\xFF\xC3.csv");
}

}  // namespace

bool write_interface_seeds(const std::filesystem::path& testdata) {
    const std::filesystem::path corpus = testdata / "corpus";
    return write_comparisons(corpus / "compare") && write_answers(corpus / "registry") &&
           write_times(corpus / "times") && write_names(corpus / "export_names");
}

}  // namespace hkpd_fuzz
