// Two real blobs of about 1 KiB with every byte changed to every other value, and with every pair of their lengths,
// counts and offsets at extremes: a million inputs. None may crash, hang, be read outside of its buffer, lose a value
// silently or show one from outside of its counter block unsaid.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "support/blob_fields.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "support/shared_dir.hpp"
#include "support/slow_v1_reader.hpp"

namespace {

using hkpd::Bytes;

/// What is wrong with what the library makes of one input; nothing where all is well. Keeps its memory, and leaves the
/// work to the library: the test itself is not optimised where sanitizers look.
class Judge {
  public:
    const char* complaint(Bytes input) {
        found_ = hkpd::Diagnostics(100);
        hkpd::Diagnostics of_sample(100);
        const auto opened = block_.open(input, found_);
        if (!opened) return inside(opened.error(), input) ? nullptr : "an offset outside of the input";
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
        for (const hkpd::Diagnostics* const all : {&found_, &of_sample})
            for (const hkpd::Diagnostic& one : all->kept())
                if (!inside(one.error, input)) return "an offset outside of the input";
        return nullptr;
    }

    /// What differs from what the strict reader has read of the same input, of which `complaint` was asked before.
    const char* difference(const slow_v1::Block& strict) {
        if (found_.count(hkpd::Severity::error) != 0) return "an error in what keeps all rules";
        if (strict.objects.size() != block_.objects().size()) return "another number of objects";
        std::uint64_t left = limits_.values;
        for (std::size_t k = 0; k < strict.objects.size(); ++k) {
            if (!object_.open(block_, block_.objects()[k], found_)) return "an object that keeps all rules is lost";
            object_.validate(left, found_);
            if (object_.count() != strict.objects[k].instances.size()) return "another number of instances";
            auto slow = strict.objects[k].instances.begin();
            for (const hkpd::v1::Instance& instance : object_.instances())
                if (const char* const fault = difference(instance, *slow++)) return fault;
        }
        return nullptr;
    }

    /// How many values were sound, over all inputs.
    std::uint64_t values() const { return values_; }

  private:
    const char* difference(const hkpd::v1::Instance& instance, const slow_v1::Instance& strict) const {
        if (!instance.name || !equal(instance.name->bytes, strict.name)) return "another name";
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

    static bool inside(const hkpd::Error& error, Bytes input) { return error.offset <= input.end(); }
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
            if (bytes.has_value() != column.sound(row)) return "sample and views differ in what is sound";
            if (!bytes && found_.count(hkpd::Severity::error) == 0) return "a value is lost and nothing says so";
            if (!bytes) continue;
            ++values_;
            if (!within(*bytes, object_.bytes())) return "a value outside of its object";
            if (!within(*bytes, instance.block) && found_.count(hkpd::Severity::warning) == 0)
                return "a value outside of its block and nothing says so";
            if (column.storage == hkpd::Storage::number &&
                hkpd::v1::number_of(object_, instance, counter) != column.values[row])
                return "sample and views differ in a value";
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
    std::uint64_t values_ = 0;
};

/// The places of all lengths, counts and offsets of a good blob, whose one byte order is the little one.
class LengthFields {
  public:
    explicit LengthFields(const std::string& blob) : blob_(blob) {
        using namespace blob;
        using namespace blob::data_block;
        take(0, {TotalByteLength, HeaderLength, NumObjectTypes, SystemNameLength, SystemNameOffset});
        std::size_t at = u32(HeaderLength);
        for (std::uint32_t k = u32(NumObjectTypes); k != 0; --k) {
            take_object(at);
            at += u32(at);
        }
    }

    const std::vector<std::size_t>& places() const { return places_; }

  private:
    std::uint32_t u32(std::size_t at) const {
        std::uint32_t value = 0;
        for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(blob_.at(at + i));
        return value;
    }

    void take(std::size_t at, std::initializer_list<std::size_t> fields) {
        for (const std::size_t field : fields) places_.push_back(at + field);
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
        if (instances == 0xFFFF'FFFF) return take(at, {0});
        for (std::uint32_t i = 0; i < instances; ++i) {
            using namespace blob::instance_definition;
            take(at, {blob::instance_definition::ByteLength, NameOffset, NameLength});
            at += u32(at);
            take(at, {0});
            at += u32(at);
        }
    }

    const std::string& blob_;
    std::vector<std::size_t> places_;
};

constexpr int slices = 4;

/// One blob, and which part of the work: ctest runs the parts beside each other.
class ByteSweep : public hkpd_test::SharedDir, public testing::WithParamInterface<std::tuple<const char*, int>> {
  protected:
    void SetUp() override {
        SharedDir::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        std::ifstream file(folder_ / "data" / "v1" / "vista-2007" / std::get<0>(GetParam()), std::ios::binary);
        original_.assign(std::istreambuf_iterator<char>(file), {});
        ASSERT_GT(original_.size(), 900U);
        buffer_ = std::make_unique<char[]>(original_.size());  // exactly, so that a sanitizer sees one byte over
        std::ranges::copy(original_, buffer_.get());
        ASSERT_TRUE(passes());
    }

    bool mine(std::size_t number) const { return static_cast<int>(number % slices) == std::get<1>(GetParam()); }

    /// Judges what is in the buffer.
    bool passes() {
        const auto start = std::chrono::steady_clock::now();
        const char* const complaint =
            judge_.complaint(Bytes(std::as_bytes(std::span(buffer_.get(), original_.size()))));
        slowest_ = std::max(slowest_, std::chrono::steady_clock::now() - start);
        ++inputs_;
        if (complaint != nullptr) ADD_FAILURE() << complaint;
        return complaint == nullptr;
    }

    /// Judges it once more, if the strict reader takes it.
    bool passes_strictly() {
        const auto strict = slow_v1::read({reinterpret_cast<const unsigned char*>(buffer_.get()), original_.size()});
        if (!strict) return true;
        ++strict_inputs_;
        const char* const difference = judge_.difference(*strict);
        if (difference != nullptr) ADD_FAILURE() << difference << " than the strict reader has";
        return difference == nullptr;
    }

    void put(std::size_t at, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i) buffer_[at + i] = static_cast<char>(value >> 8 * i & 0xFF);
    }
    void restore(std::size_t at, std::size_t length) { std::copy_n(original_.data() + at, length, buffer_.get() + at); }

    void TearDown() override {
        EXPECT_LT(slowest_, std::chrono::seconds(1)) << "for one input";
        EXPECT_GE(judge_.values(), inputs_) << "most inputs still have values";
        RecordProperty("inputs", std::to_string(inputs_));
    }

    Judge judge_;
    std::string original_;
    std::unique_ptr<char[]> buffer_;
    std::chrono::steady_clock::duration slowest_{};
    std::size_t inputs_ = 0, strict_inputs_ = 0;
};

TEST_P(ByteSweep, EveryValueOfEveryByte) {
    for (std::size_t at = 0; at < original_.size(); ++at) {
        if (!mine(at)) continue;
        for (int value = 0; value < 256; ++value) {
            buffer_[at] = static_cast<char>(value);
            if (buffer_[at] == original_[at]) continue;
            ASSERT_TRUE(passes() && passes_strictly()) << "byte " << at << " is " << value;
        }
        restore(at, 1);
    }
    EXPECT_GT(inputs_, 900U * 255 / slices);
    EXPECT_GT(strict_inputs_, inputs_ / 4) << "values, indices, clocks, names";
}

TEST_P(ByteSweep, EveryPairOfLengths) {
    const auto size = static_cast<std::uint32_t>(original_.size());
    const std::array<std::uint32_t, 9> extremes{0,           1,        7,    0x7FFF'FFFF, 0x8000'0000,
                                                0xFFFF'FFFF, size - 1, size, size + 1};
    const std::vector<std::size_t> places = LengthFields(original_).places();
    ASSERT_GT(places.size(), 50U);
    for (std::size_t a = 0; a < places.size(); ++a) {
        if (!mine(a)) continue;
        for (std::size_t b = 0; b < a; ++b) {
            for (const std::uint32_t first : extremes)
                for (const std::uint32_t second : extremes) {
                    put(places[a], first);
                    put(places[b], second);
                    ASSERT_TRUE(passes()) << places[a] << " is " << first << ", " << places[b] << " is " << second;
                }
            restore(places[b], 4);
        }
        restore(places[a], 4);
    }
}

INSTANTIATE_TEST_SUITE_P(Real, ByteSweep,
                         testing::Combine(testing::Values("s00-obj238.bin", "s00-obj2.bin"), testing::Range(0, slices)),
                         [](const auto& sweep) {
                             const std::string file = std::get<0>(sweep.param);
                             return file.substr(4, file.find('.') - 4) + "Part" +
                                    std::to_string(std::get<1>(sweep.param));
                         });

}  // namespace
