#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <limits>

#include "base/json_allocator.hpp"
#include "source/get_counter_samples.hpp"

namespace hkpd {
namespace {

// NOLINTBEGIN(readability-identifier-naming): the names are RapidJSON's.
class SampleHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, SampleHandler> {
  public:
    explicit SampleHandler(const rapidjson::MemoryStream& stream) : stream_(stream) {}

    // Called before the brace is taken from the stream.
    bool StartObject() {
        const Object& outer = open_.back();
        const std::size_t timed = outer.sample.time.empty() ? outer.timed : open_.size() - 1;
        open_.push_back({.sample = {.offset = stream_.Tell()}, .timed = timed});
        return true;
    }
    bool EndObject(rapidjson::SizeType) {
        const std::size_t timed = open_.back().timed;
        ShownSample closed = std::move(open_.back().sample);
        open_.pop_back();
        if (closed.time.empty() && timed != none) closed.time = open_[timed].sample.time;
        add_sample(samples, std::move(closed));
        return true;
    }
    bool Key(const char* text, rapidjson::SizeType size, bool) {
        open_.back().key.assign(text, size);
        return true;
    }
    bool String(const char* text, rapidjson::SizeType size, bool) {
        take({text, size});
        return true;
    }
    bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return String(text, size, true); }

    std::vector<ShownSample> samples;

  private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    struct Object {
        ShownSample sample{};
        std::string key{};         // the last one
        std::size_t timed = none;  // position of the next object around this one that has a time
    };

    void take(std::string_view value) {
        Object& object = open_.back();
        // Windows PowerShell writes some times as an object with the property `value`.
        if (object.key == "value" && open_.size() > 1 && open_[open_.size() - 2].key == "Timestamp")
            open_[open_.size() - 2].sample.time = time_text(value);
        else if (object.key == "Path")
            object.sample.path = value;
        else if (object.key == "CookedValue")
            object.sample.value = value;
        else if (object.key == "Timestamp")
            object.sample.time = time_text(value);
        else if (object.key == "Status")
            object.sample.is_valid = value == "0";
    }

    const rapidjson::MemoryStream& stream_;
    std::vector<Object> open_{1};  // the first one is around all
};
// NOLINTEND(readability-identifier-naming)

}  // namespace

std::vector<ShownSample> samples_in_json(std::string_view text, const FaultSink& faults) {
    rapidjson::MemoryStream stream(text.data(), text.size());
    SampleHandler handler(stream);
    rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, JsonAllocator> reader;
    // Several documents may have been appended to one file.
    constexpr unsigned flags =
        rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseStopWhenDoneFlag;
    while (text.find_first_not_of(" \t\r\n", stream.Tell()) != std::string_view::npos) {
        if (!reader.Parse<flags>(stream, handler).IsError()) continue;
        faults.add(Severity::error, {Errc::text_head, reader.GetErrorOffset(), "Get-Counter", "JSON", 0, 0});
        break;
    }
    return std::move(handler.samples);
}

}  // namespace hkpd
