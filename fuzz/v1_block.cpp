// A V1 block: opened, each object validated and walked in both ways, and made into a sample, which holds the values of
// the walk.
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/sample.hpp"
#include "hkpd/v1.hpp"
#include "properties.hpp"
#include "sample/fill/v1_builder.hpp"
#include "support/sample_reading.hpp"
#include "usual_titles.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// The faults of values, by title index of the object and place of the instance.
class ValueFaults {
  public:
    explicit ValueFaults(const Diagnostics& diagnostics) {
        for (const Diagnostic& found : diagnostics.kept()) {
            const std::pair place{found.object, found.instance};
            if (found.error.code == Errc::counter_beyond_block_length) beyond_.insert(place);
            if (found.severity == Severity::error) lost_.insert(place);
        }
    }
    bool beyond(std::uint32_t object, std::uint32_t instance) const { return beyond_.contains({object, instance}); }
    bool lost(std::uint32_t object, std::uint32_t instance) const { return lost_.contains({object, instance}); }

  private:
    std::set<std::pair<std::uint32_t, std::uint32_t>> beyond_, lost_;
};

struct Walked {
    std::uint32_t title = 0;
    std::vector<v1::Instance> instances;
    std::vector<v1::Counter> counters;
    v1::Object object;
};

/// Walks an object; both ways of iterating over instances yield the same ones.
Walked walk_object(v1::Object object, std::uint32_t title, std::uint64_t& left, Diagnostics& diagnostics) {
    Walked walked{title, {}, {object.counters().begin(), object.counters().end()}, {}};
    std::uint64_t left_again = left;
    bool whole = true;
    v1::InstanceReader reader(object, left, diagnostics);
    for (v1::Instance instance; reader.next(instance);) {
        whole = whole && reader.complete();
        walked.instances.push_back(instance);
    }
    Diagnostics again;
    object.validate(left_again, again);
    require(left == left_again && object.count() == walked.instances.size());
    require(walked.instances.empty() || object.whole() == whole);
    std::size_t i = 0;
    for (const v1::Instance& instance : object.instances()) {
        require(i < walked.instances.size() && walked.instances[i].offset == instance.offset);
        ++i;
    }
    walked.object = std::move(object);
    return walked;
}

/// Requires that a value lies in its counter block or has a reason why not, and that a missing value is reported as an
/// error.
void require_value(const Walked& walked, const v1::Instance& instance, const v1::Counter& counter,
                   const ValueFaults& faults) {
    const auto value = value_of(instance, counter);
    const auto number = number_of(walked.object, instance, counter);
    require(!number || value.has_value());
    require(counter.readable || !value);
    if (!value) return require(!counter.readable || faults.lost(walked.title, instance.ordinal));
    require(value->size() == counter.definition.CounterSize);
    const bool inside = value->offset() >= instance.block.offset() && value->end() <= instance.block.end();
    const bool after = value->offset() >= instance.slack.offset() && value->end() <= instance.slack.end();
    require(inside || (after && faults.beyond(walked.title, instance.ordinal)));
}

/// Requires that the sample holds the same numbers.
void require_same(const Walked& walked, const Object& object) {
    require(object.title_index == walked.title && object.columns.size() == walked.counters.size() &&
            object.instances.size() == walked.instances.size());
    for (std::size_t c = 0; c < walked.counters.size(); ++c) {
        const Column& column = object.columns[c];
        require(column.values.size() == walked.instances.size());
        for (std::size_t row = 0; row < walked.instances.size(); ++row) {
            const auto value = value_of(walked.instances[row], walked.counters[c]);
            require(value.has_value() == column.is_valid(row));
            if (!value || column.storage == Storage::text) continue;
            if (column.storage == Storage::bytes)
                require(object.bytes(column, row) == text_of(*value));
            else
                require(column.values[row] == number_of(walked.object, walked.instances[row], walked.counters[c]));
        }
    }
}

/// Returns all that the block shows, after checking its properties; nothing if it gets only the cheap ones.
std::string show(Bytes input, const Effort& effort) {
    static UsualTitles titles;
    const Budget budget(input.size(), effort.limits().values, 3);
    Diagnostics diagnostics(100'000);
    v1::Block block;
    const auto opened = block.open(input, diagnostics);
    require(v1::has_signature(input) || !opened);
    if (!opened) {
        require(opened.error().offset <= input.end());
        return std::string(code_name(opened.error().code));
    }
    require(block.bytes().offset() == input.offset() && block.bytes().end() <= input.end());

    std::vector<Walked> objects;
    std::uint64_t left = effort.limits().values_for(block.bytes().size());
    for (const v1::ObjectEntry& entry : block.objects()) {
        v1::Object object(effort.thorough());
        require(entry.bytes.offset() >= input.offset() && entry.bytes.end() <= input.end());
        if (object.open(block, entry, diagnostics))
            objects.push_back(walk_object(std::move(object), entry.title_index, left, diagnostics));
    }
    require_places(diagnostics, input.end());
    const ValueFaults faults(diagnostics);
    for (const Walked& walked : objects)
        for (const v1::Instance& instance : walked.instances)
            for (const v1::Counter& counter : walked.counters) require_value(walked, instance, counter, faults);

    if (!effort.takes(0, 2)) return {};  // half of the inputs, and those that get everything, are made into a sample
    SampleBuilder builder(&titles.get(), effort.limits(), InstanceNames::utf8,
                          effort.thorough() ? Definitions::kept : Definitions::discarded);
    Sample sample;
    Diagnostics of_sample;
    builder.begin(sample, block, of_sample);
    builder.add(sample, block, of_sample);
    builder.finish(sample, 0, of_sample);
    require_places(of_sample, input.end());
    require(sample.objects().size() == objects.size());
    for (std::size_t k = 0; k < objects.size(); ++k) require_same(objects[k], sample.objects()[k]);
    return effort.thorough() ? hkpd_test::describe(sample) + hkpd_test::faults(diagnostics) : std::string();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span input = std::as_bytes(std::span(data, size));
    const Effort effort(data, size);
    const ExactCopy here(input);
    const std::string shown = show(here.bytes(), effort);
    if (!effort.thorough()) return 0;
    const ExactCopy there(input, 3);
    require(shown == show(here.bytes(), effort));
    require(shown == show(there.bytes(), effort));
    return 0;
}
