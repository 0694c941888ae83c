// V1 on damaged input: blobs truncated to every length, with every byte changed, with their lengths at extremes.
// Nothing may crash, hang, read outside the buffer, lose a value without a report or show one from outside its counter
// block without a report; everything that the damage has not touched is delivered unchanged, by views, samples, maps
// and every form of output.
#include <gtest/gtest.h>
#include <rapidjson/reader.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/v1.hpp"
#include "hkpd/write.hpp"
#include "sample/fill/v1_builder.hpp"
#include "source/sample_reader.hpp"
#include "support/blob_fields.hpp"
#include "support/damage_sweep.hpp"
#include "support/map_reading.hpp"
#include "support/mutation_blobs.hpp"
#include "support/places.hpp"
#include "support/shared_dir.hpp"
#include "support/slow_v1_reader.hpp"
#include "support/temp_folder.hpp"
#include "support/v1_walk.hpp"
#include "v1/block_stream.hpp"

namespace hkpd_test {
namespace v1_damage_sweep_test {

using hkpd::Bytes;

/// Places of the objects of a valid blob, and all its lengths, counts and offsets. Read without the library.
class BlobPlaces {
  public:
    struct Object {
        std::uint32_t title = 0;
        std::size_t begin = 0, end = 0;
    };

    explicit BlobPlaces(Bytes blob) : blob_(blob), big_endian_(blob.data()[0] == std::byte{0}) {
        using namespace blob;
        using namespace blob::data_block;
        take(0, {TotalByteLength, HeaderLength, NumObjectTypes, SystemNameLength, SystemNameOffset});
        std::size_t at = u32(HeaderLength);
        for (std::uint32_t k = u32(NumObjectTypes); k != 0; --k) {
            objects.push_back({u32(at + object_type::ObjectNameTitleIndex), at, at + u32(at)});
            take_object(at);
            at += u32(at);
        }
    }

    /// Returns whether damage leaves an object unchanged and does not reach the header, on which all objects depend.
    bool untouched(const Object& object, const Damage& damage) const {
        return damage.begin >= objects.front().begin && !damage.touches(object.begin, object.end);
    }

    std::vector<Object> objects;
    std::vector<std::size_t> fields;

  private:
    std::uint32_t u32(std::size_t at) const {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < 4; ++i)
            value = value << 8 | std::to_integer<std::uint32_t>(blob_.data()[at + (big_endian_ ? i : 3 - i)]);
        return value;
    }

    void take(std::size_t at, std::initializer_list<std::size_t> taken) {
        for (const std::size_t field : taken) fields.push_back(at + field);
    }
    void take_object(std::size_t object) {
        using namespace blob::object_type;
        take(object, {TotalByteLength, DefinitionLength, HeaderLength, NumCounters, NumInstances});
        std::size_t at = object + u32(object + HeaderLength);
        for (std::uint32_t c = u32(object + NumCounters); c != 0; --c) {
            using namespace blob::counter_definition;
            take(at, {blob::counter_definition::ByteLength, CounterSize, CounterOffset});
            at += u32(at);
        }
        const std::uint32_t instances = u32(object + NumInstances);
        if (instances == 0xFFFF'FFFF) take(at, {0});
        for (std::uint32_t i = 0; i < instances && instances < 0xFFFF'FFFD; ++i) {
            using namespace blob::instance_definition;
            take(at, {blob::instance_definition::ByteLength, NameOffset, NameLength});
            at += u32(at);
            take(at, {0});
            at += u32(at);
        }
    }

    Bytes blob_;
    bool big_endian_;
};

/// Views and sample agree with each other, and with a strict second reader where that accepts the input. Reuses its
/// memory, and leaves the work to the library: the test itself is not optimised.
class Values : public Walker {
  public:
    std::string complaint(Bytes input, const Damage& damage) override {
        if (const char* const fault = judge(input)) return fault;
        if (damage.kind == Damage::Kind::fields) return {};  // the second reader accepts none of these
        const auto strict = slow_v1::read({reinterpret_cast<const unsigned char*>(input.data()), input.size()});
        ++compared_;
        if (!strict) return {};
        ++strict_inputs_;
        const char* const fault = difference(*strict);
        return fault == nullptr ? std::string() : fault + std::string(" than the strict reader has");
    }

    std::string complaint_at_end(std::size_t inputs) override {
        if (values_ < inputs) return "most inputs should still have values";
        return strict_inputs_ * 4 < compared_ ? "values, indices, clocks and names should pass the strict reader" : "";
    }

  protected:
    /// A value as the views deliver it.
    struct Delivered {
        std::uint64_t offset = 0;
        std::optional<std::uint64_t> number;
    };
    /// Values of the last input, without empty ones, if a derived walker needs them.
    std::vector<Delivered> delivered_;
    bool keeps_delivered_ = false;
    /// whether that input could be opened
    bool opened_ = false;

  private:
    const char* judge(Bytes input) {
        found_ = hkpd::Diagnostics(100);
        delivered_.clear();
        hkpd::Diagnostics of_sample(100);
        const auto opened = block_.open(input, found_);
        opened_ = opened.has_value();
        if (!opened) return offset_is_inside(opened.error(), input) ? nullptr : "an offset outside of the input";
        builder_.begin(sample_, block_, of_sample);
        builder_.add(sample_, block_, of_sample);
        builder_.finish(sample_, 0, of_sample);

        std::uint64_t left = limits_.values;
        next_ = 0;
        for (const hkpd::v1::ObjectEntry& entry : block_.objects()) {
            if (!within(entry.bytes, input)) return "an object outside of the input";
            if (!object_.open(block_, entry, found_)) continue;
            if (const char* const fault = compare_object(left)) return fault;
        }
        if (next_ != sample_.objects().size()) return "an object of the sample that the views do not have";
        return offsets_are_inside(found_, input) && offsets_are_inside(of_sample, input)
                   ? nullptr
                   : "an offset outside of the input";
    }

    const char* difference(const slow_v1::Block& strict) {
        // A length that leads by chance to the end of the object deceives the strict reader alone.
        for (const hkpd::Diagnostic& found : found_.kept())
            if (found.error.code == hkpd::Errc::length_corrected) return nullptr;
        if (found_.count(hkpd::Severity::error) != 0) return "an error in what keeps all rules, other";
        if (strict.objects.size() != block_.objects().size()) return "another number of objects";
        std::uint64_t left = limits_.values;
        for (std::size_t k = 0; k < strict.objects.size(); ++k) {
            if (!object_.open(block_, block_.objects()[k], found_)) return "fewer objects";
            object_.validate(left, found_);
            if (object_.count() != strict.objects[k].instances.size()) return "another number of instances";
            auto slow = strict.objects[k].instances.begin();
            for (const hkpd::v1::Instance& instance : object_.instances())
                if (const char* const fault = difference(instance, *slow++)) return fault;
        }
        return nullptr;
    }

    const char* difference(const hkpd::v1::Instance& instance, const slow_v1::Instance& strict) const {
        const auto name = instance.name();
        if (!name || !equal(name->bytes, strict.name)) return "another name";
        if (strict.values.size() != object_.counters().size()) return "another number of counters";
        for (std::size_t c = 0; c < strict.values.size(); ++c) {
            const auto bytes = hkpd::v1::value_of(instance, object_.counters()[c]);
            if (!bytes || !equal(*bytes, strict.values[c])) return "another value";
        }
        return nullptr;
    }

    static bool equal(Bytes bytes, const std::string& strict) {
        return bytes.size() == strict.size() &&
               (strict.empty() || std::memcmp(bytes.data(), strict.data(), strict.size()) == 0);
    }

    static bool within(Bytes part, Bytes whole) {
        return part.empty() ||
               (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
    }

    const char* compare_object(std::uint64_t& left) {
        if (next_ == sample_.objects().size()) return "an object that the sample does not have";
        const hkpd::Object& shown = sample_.objects()[next_++];
        if (shown.columns.size() != object_.counters().size()) return "sample and views differ in their counters";
        hkpd::v1::InstanceReader reader(object_, left, found_);
        std::size_t row = 0;
        for (hkpd::v1::Instance instance; reader.next(instance); ++row) {
            if (row == shown.instances.size()) return "an instance that the sample does not have";
            if (const char* const fault = compare_values(instance, shown, row)) return fault;
        }
        return row == shown.instances.size() ? nullptr : "an instance that the views do not have";
    }

    const char* compare_values(const hkpd::v1::Instance& instance, const hkpd::Object& shown, std::size_t row) {
        for (std::size_t c = 0; c < shown.columns.size(); ++c) {
            const hkpd::v1::Counter& counter = object_.counters()[c];
            const hkpd::Column& column = shown.columns[c];
            const auto bytes = hkpd::v1::value_of(instance, counter);
            if (bytes.has_value() != column.is_valid(row)) return "sample and views differ in which values are valid";
            if (!bytes && found_.count(hkpd::Severity::error) == 0) return "a value is lost without a report";
            if (!bytes) continue;
            ++values_;
            if (!within(*bytes, object_.bytes())) return "a value outside its object";
            if (!within(*bytes, instance.block) && found_.count(hkpd::Severity::warning) == 0)
                return "a value outside its block without a report";
            const bool number = column.storage == hkpd::Storage::number;
            if (number && hkpd::v1::number_of(object_, instance, counter) != column.values[row])
                return "sample and views differ in a value";
            if (!keeps_delivered_ || bytes->empty()) continue;
            delivered_.push_back({bytes->offset(), number ? std::optional(column.values[row]) : std::nullopt});
        }
        return nullptr;
    }

    const hkpd::Limits limits_{.values = 1'000'000};
    hkpd::SampleBuilder builder_{nullptr, limits_};
    hkpd::Sample sample_;
    hkpd::v1::Block block_;
    hkpd::v1::Object object_;
    hkpd::Diagnostics found_;
    std::size_t next_ = 0;  // object of the sample
    std::uint64_t values_ = 0, compared_ = 0, strict_inputs_ = 0;
};

/// Returns everything that the views return for an object.
std::string all_of(const WalkedObject& walked) {
    std::string all;
    const auto add = [&all](const auto& plain) { all.append(reinterpret_cast<const char*>(&plain), sizeof plain); };
    add(walked.object.header());
    add(walked.object.kind());
    for (const hkpd::v1::Counter& counter : walked.object.counters()) {
        add(counter.definition);
        add(counter.ordinal);
        add(counter.base);
        add(counter.readable);
    }
    for (const WalkedInstance& instance : walked.instances) {
        add(instance.instance.definition());
        add(instance.instance.ordinal);
        all += instance.name.value_or("(damaged)");
        for (const auto& bytes : instance.bytes) all.append("|").append(bytes.value_or("(damaged)"));
        for (const auto& value : instance.values) add(value.value_or(0));
    }
    return all;
}

/// Also checks that untouched objects are unchanged, that both ways of iterating over instances agree (in `walk`), and
/// that a map has every byte once and exactly the values of the views.
class ViewsAndMap final : public Values {
  public:
    ViewsAndMap() { keeps_delivered_ = true; }

    std::string complaint(Bytes input, const Damage& damage) override {
        if (const std::string fault = Values::complaint(input, damage); !fault.empty()) return fault;
        if (const std::string fault = complaint_of_walk(walk(input), input, damage); !fault.empty()) return fault;
        return complaint_of_map(input, damage);
    }
    std::string complaint_at_end(std::size_t /*inputs*/) override { return {}; }

  private:
    std::string complaint_of_walk(const Walk& walked, Bytes input, const Damage& damage) {
        if (damage.kind == Damage::Kind::none) {
            places_.emplace(input);
            if (!no_error(walked)) return "the blob is not good to begin with";
        } else if (damage.kind == Damage::Kind::cut && !input.empty() && no_error(walked)) {
            return "the missing end is not reported";
        }
        for (const BlobPlaces::Object& object : places_->objects) {
            if (damage.kind != Damage::Kind::none && !places_->untouched(object, damage)) continue;
            const WalkedObject* const found = walked.object(object.title);
            if (found == nullptr) return "object " + std::to_string(object.title) + " is lost";
            const std::string all = all_of(*found);
            if (whole_.try_emplace(object.title, all).first->second != all)
                return "object " + std::to_string(object.title) + " is not as it was";
        }
        return {};
    }

    const char* complaint_of_map(Bytes input, const Damage& damage) {
        MapCheck check(input);
        hkpd::Diagnostics found;
        mapped_.clear();
        const hkpd::MapTotals totals = visit_map(
            input, hkpd::MapForm::v1, {},
            [&](const hkpd::MapEntry& entry) {
                check.entry(entry);
                if (entry.kind == hkpd::MapKind::value) take_value(entry);
            },
            found);
        if (const char* const fault = check.fault(totals)) return fault;
        if (!offsets_are_inside(found, input)) return "an offset of a map outside of the input";
        if (!opened_ || (damage.kind != Damage::Kind::cut && totals.blocks != 1)) return "";
        if (mapped_.size() != delivered_.size()) return "map and views differ in the number of values";
        std::size_t at = 0;  // mostly both have the same order
        for (const Delivered& one : delivered_) {
            std::size_t left = mapped_.size();
            const auto shows = [&one](const Delivered& mapped) {
                return mapped.offset == one.offset && (!one.number || mapped.number == one.number);
            };
            for (; left != 0 && !shows(mapped_[at]); --left) at = (at + 1) % mapped_.size();
            if (left == 0) return "a value that the map does not have";
        }
        return "";
    }

    void take_value(const hkpd::MapEntry& entry) {
        std::uint64_t number = 0;
        const std::string_view text = entry.value;
        const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
        const bool whole = !text.empty() && end == text.data() + text.size();
        mapped_.push_back({entry.whole.offset(), whole ? std::optional(number) : std::nullopt});
    }

    std::optional<BlobPlaces> places_;
    std::map<std::uint32_t, std::string> whole_;  // by title index: everything of the valid objects
    std::vector<Delivered> mapped_;
};

/// A stream of blocks.
class StreamSource final : public hkpd::Source {
  public:
    explicit StreamSource(Bytes bytes) : input_(to_string(bytes)), stream_(input_, limits_) {}
    std::optional<hkpd::Record> next(hkpd::Diagnostics& diagnostics) override {
        if (!entered_) diagnostics.add_input("stream");
        entered_ = true;
        const auto block = stream_.next(diagnostics);
        return block ? std::optional(hkpd::Record{hkpd::Record::Kind::v1_block, *block, {.input = 0}}) : std::nullopt;
    }

  private:
    std::istringstream input_;
    hkpd::Limits limits_;
    hkpd::BlockStream stream_;
    bool entered_ = false;
};

/// The whole path from a stream of bytes to every form of output: JSON is valid, and everything before the damage is
/// unchanged in the output.
class Output final : public Walker {
  public:
    Output() { titles_.add(hkpd::builtin_titles()); }

    std::string complaint(Bytes input, const Damage& damage) override {
        const bool good = damage.kind == Damage::Kind::none;
        if (good) places_.emplace(input);
        hkpd::Diagnostics diagnostics;
        write(input, good, diagnostics);
        if (!offsets_are_inside(diagnostics, input)) return "an offset outside of the input";
        const bool errors = diagnostics.count(hkpd::Severity::error) != 0;
        if (good && (errors || forms_[1].ends.size() != places_->objects.size())) return "not good to begin with";
        if (damage.kind == Damage::Kind::cut && !input.empty() && !errors) return "the missing end is not reported";
        rapidjson::Reader reader;
        rapidjson::BaseReaderHandler<> nothing;
        rapidjson::StringStream json(forms_[0].text.c_str());
        if (reader.Parse<rapidjson::kParseValidateEncodingFlag>(json, nothing).IsError()) return "no JSON";
        for (Form& form : std::span(forms_).subspan(1, 2)) {
            if (good) form.whole = form.text;
            const std::size_t size = size_before(damage, form.ends);
            if (form.text.compare(0, size, form.whole, 0, size) != 0) return "what lies before the damage has changed";
        }
        return {};
    }

  private:
    struct Form {
        hkpd::Format format;
        std::unique_ptr<hkpd::Writer> writer{};
        std::string text{}, whole{};      ///< of the input, and of the valid one
        std::vector<std::size_t> ends{};  ///< of the valid one's objects, in the text
    };

    /// Writes the input; the valid one object by object, to know where each ends.
    void write(Bytes input, bool good, hkpd::Diagnostics& diagnostics) {
        StreamSource source(input);
        hkpd::SampleReader reader(source, &titles_, {});
        for (Form& form : forms_) {
            form.writer = hkpd::make_writer(form.format, {&titles_, true, true, 100});
            form.text.clear();
            form.writer->begin(form.text);
        }
        hkpd::Filter filter;
        while (reader.next(sample_, diagnostics)) {
            filter.select(sample_, selected_);
            for (Form& form : forms_) {
                if (!good) form.writer->sample(sample_, selected_, nullptr, form.text);
                for (std::size_t k = 0; good && k < selected_.size(); ++k) {
                    form.writer->sample(sample_, {&selected_[k], 1}, nullptr, form.text);
                    form.ends.push_back(form.text.size());
                }
            }
        }
        for (Form& form : forms_) form.writer->end(diagnostics, form.text);
    }

    std::size_t size_before(const Damage& damage, const std::vector<std::size_t>& ends) const {
        std::size_t size = 0;
        for (std::size_t k = 0; k < ends.size() && damage.begin >= places_->objects.front().begin; ++k)
            if (places_->objects[k].end <= damage.begin) size = ends[k];
        return size;
    }

    hkpd::Titles titles_;
    hkpd::Sample sample_;
    std::vector<hkpd::Selected> selected_;
    std::array<Form, 4> forms_{
        {{hkpd::Format::json}, {hkpd::Format::csv}, {hkpd::Format::jsonl}, {hkpd::Format::table}}};
    std::optional<BlobPlaces> places_;
};

std::vector<std::byte> bytes_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

auto content_of(const std::string& file) {
    return [file] {
        const std::string content = read_file(file);
        return bytes_of(std::as_bytes(std::span(content)));
    };
}

std::vector<SweepRow> rows() {
    using namespace damages;
    std::vector<SweepRow> rows;
    const auto built = [](blob::Block (*block)()) {
        return [block] { return bytes_of(blob::build(block()).bytes()); };
    };
    const auto views = [&](const char* name, blob::Block (*block)()) {
        rows.push_back({name, built(block), make_walker<ViewsAndMap>, cuts | bytes | random_changes});
    };
    views("SingleInstances", single_instances);
    views("InstancesWithParents", instances_with_parents);
    views("BigEndianText", big_endian_text);
    views("LoneAndListed", lone_and_listed);
    rows.push_back({"OutputOfLoneAndListed", built(lone_and_listed), make_walker<Output>, cuts});
    const std::string captures = std::string(testdata_folder) + "/captures/";
    rows.push_back({"OutputOfBigEndian", content_of(captures + "big-endian.bin"), make_walker<Output>});
    rows.push_back({"OutputOfTextAndBytes", content_of(captures + "text-and-bytes.bin"), make_walker<Output>});
    rows.push_back({"OutputOfXpLike", content_of(captures + "xp-like.bin"), make_walker<Output>});
    return rows;
}

class V1DamageSweep : public testing::TestWithParam<SweepRow> {};

TEST_P(V1DamageSweep, FindsNoFault) { DamageSweep(GetParam()).run(); }

INSTANTIATE_TEST_SUITE_P(Inputs, V1DamageSweep, testing::ValuesIn(rows()),
                         [](const auto& row) { return row.param.name; });

/// Every value of every field of two blobs of Windows, in four parts each.
class WindowsDamageSweep : public WindowsData,
                           public testing::WithParamInterface<std::tuple<std::string, std::size_t>> {};

TEST_P(WindowsDamageSweep, FindsNoFault) {
    const auto& [object, part] = GetParam();
    const auto fields = [](Bytes good) { return BlobPlaces(good).fields; };
    DamageSweep({object, content_of(path("data/v1/vista-2007/s00-obj" + object + ".bin")), make_walker<Values>,
                 damages::all_values, part, 4, fields})
        .run();
}

INSTANTIATE_TEST_SUITE_P(Objects, WindowsDamageSweep,
                         testing::Combine(testing::Values("238", "2"), testing::Range<std::size_t>(0, 4)),
                         [](const auto& row) {
                             return std::get<0>(row.param) + "Part" + std::to_string(std::get<1>(row.param));
                         });

}  // namespace v1_damage_sweep_test
}  // namespace hkpd_test
