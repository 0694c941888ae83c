// From a performance log to a capture and back: the records are equal byte for byte, and so are the samples.
#include "hkpd/capture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/log_samples.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace log_capture_test {

using hkpd::Record;
using testing::SizeIs;
namespace lf = log_file;

struct Recorded {
    std::string bytes;
    std::uint64_t samples = 0;
    hkpd::Diagnostics diagnostics;
};

std::unique_ptr<Recorded> record(const std::vector<std::string>& paths, std::uint32_t samples_in_chunk = 4) {
    auto recorded = std::make_unique<Recorded>();
    const auto source = hkpd::open_files(paths, {});
    hkpd::CaptureOptions options{.time = std::chrono::hours(1)};  // chunks end only by number of samples
    options.samples = samples_in_chunk;
    recorded->bytes = write_capture(options, [&](hkpd::CaptureWriter& writer) {
                          hkpd::Recorder recorder(writer);
                          while (const auto next = source->next(recorded->diagnostics))
                              recorder.add(*next, recorded->diagnostics);
                          recorder.finish();
                          writer.finish();
                          recorded->samples = recorder.samples();
                      }).bytes;
    return recorded;
}

/// Describes the content of a record, without its time and place.
struct Message {
    Record::Kind kind{};
    std::string bytes;
    hkpd::Guid log{};

    bool operator==(const Message&) const = default;
};
void PrintTo(const Message& message, std::ostream* out) {
    *out << "kind " << static_cast<int>(message.kind) << ", " << message.bytes.size() << " bytes of "
         << hkpd::guid_text(message.log);
}
std::vector<Message> messages(const std::vector<Kept>& records) {
    std::vector<Message> all;
    for (const Kept& kept : records)
        // Titles in a capture have no GUID: they belong to a machine.
        if (kept.kind != Record::Kind::provenance)
            all.push_back({kept.kind, kept.bytes, kept.kind == Record::Kind::titles ? hkpd::Guid{} : kept.log});
    return all;
}

void expect_round_trip(const std::vector<std::string>& paths) {
    const auto recorded = record(paths);
    EXPECT_FALSE(recorded->diagnostics.any_fault()) << placed_faults(recorded->diagnostics);
    EXPECT_EQ(messages(read_capture(recorded->bytes).records), messages(read_log(paths)->all));
    const TempFolder folder;
    const auto direct = read_log_samples(paths), again = read_log_samples({folder.write("x.mcap", recorded->bytes)});
    EXPECT_EQ(fault_codes(again->diagnostics), fault_codes(direct->diagnostics));
    EXPECT_EQ(again->numbers, direct->numbers);
    ASSERT_EQ(again->all.size(), direct->all.size());
    EXPECT_FALSE(direct->all.empty());
    for (std::size_t k = 0; k < direct->all.size(); ++k)
        EXPECT_EQ(describe(again->all[k]), describe(direct->all[k])) << k;
}

class WindowsLogCapture : public WindowsData {};

TEST_F(WindowsLogCapture, RoundTrip) {
    const std::string vista = path("data/blg/vista-2007-wildcards.blg"),
                      win10 = path("data/blg/win10-14393-counters.blg");
    expect_round_trip({vista});
    expect_round_trip({win10});
    expect_round_trip({vista, win10});
}

TEST_F(WindowsLogCapture, Channels) {
    const auto recorded = record({path("data/blg/vista-2007-wildcards.blg")});
    EXPECT_EQ(recorded->samples, 11U);
    std::istringstream stream(recorded->bytes);
    hkpd::Diagnostics diagnostics;
    const hkpd::CaptureInfo info = info_of(stream, diagnostics);
    std::map<std::string, std::uint64_t> count;
    for (const hkpd::CaptureInfo::Channel& channel : info.channels) {
        count[channel.encoding] += channel.messages;
        if (channel.encoding != "x-hkpd-titles") {
            EXPECT_EQ(channel.metadata.at("log"), "{11389721-1d66-485b-834f-07f5542e7ecf}") << channel.topic;
        }
    }
    EXPECT_EQ(count, (std::map<std::string, std::uint64_t>{{"x-hkpd-log", 11},
                                                           {"x-hkpd-log-catalogue", 1},
                                                           {"x-hkpd-log-header", 1},
                                                           {"x-hkpd-log-trailer", 1},
                                                           {"x-hkpd-titles", 1}}));
    // 2007-08-14 19:40:38.658998, the time of its titles, and ten minutes later, the time of its trailer
    EXPECT_EQ(info.first_time, 1'187'120'438'658'998'000U);
    EXPECT_EQ(info.last_time, 1'187'121'038'599'003'000U);
}

TEST(LogCapture, RoundTripOfGeneratedLogs) {
    const TempFolder folder;
    lf::Log machines{.events = {catalogue_event({{.machine = u"\\\\A"}, {.machine = u"\\\\B"}})}};
    for (const int row : {0, 1, 2})
        machines.events.push_back(row_event({lf::raw({.first = row, .time = log_time + row * log_second}),
                                             lf::raw({.first = row, .time = log_time + (row + 1) * log_second})},
                                            row));
    machines.events.push_back(trailer_event(3));
    for (lf::Event& event : machines.events) event.log = {7};
    const std::string one = write_log(folder, "1.blg", lf::build(counting_log(20))),
                      two = write_log(folder, "2.blg", lf::build(machines));
    expect_round_trip({one});
    expect_round_trip({two});
    expect_round_trip({one, two});
}

}  // namespace log_capture_test
}  // namespace hkpd_test
