// The V1 views on damaged input: every truncation and every byte changed of three blobs.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "hkpd/v1.hpp"
#include "support/mutation_blobs.hpp"
#include "mutation_sweep.hpp"
#include "support/v1_walk.hpp"

namespace {

using hkpd_test::Delivered;
using hkpd_test::MutationSweep;

std::string text_of(const hkpd_test::WalkedInstance& walked) {
    const hkpd::v1::InstanceDefinition& definition = walked.instance.definition;
    std::ostringstream out;
    out << walked.instance.ordinal << ' ' << walked.name.value_or("(damaged)") << ' '
        << definition.ParentObjectTitleIndex << ' ' << definition.ParentObjectInstance << ' ' << definition.UniqueID;
    for (const auto& bytes : walked.bytes) out << '|' << bytes.value_or("(damaged)");
    for (const auto& value : walked.values) out << '|' << (value ? std::to_string(*value) : "(none)");
    return out.str();
}

std::string text_of(const hkpd_test::WalkedObject& walked) {
    const hkpd::v1::ObjectType& header = walked.object.header();
    std::ostringstream out;
    out << header.ObjectHelpTitleIndex << ' ' << header.DetailLevel << ' ' << header.DefaultCounter << ' '
        << header.NumInstances << ' ' << header.CodePage << ' ' << header.PerfTime << ' ' << header.PerfFreq << ' '
        << static_cast<int>(walked.object.kind());
    for (const hkpd::v1::Counter& counter : walked.object.counters()) {
        const hkpd::v1::CounterDefinition& definition = counter.definition;
        out << '\n'
            << counter.ordinal << ' ' << definition.CounterNameTitleIndex << ' ' << definition.CounterType << ' '
            << definition.CounterSize << ' ' << definition.CounterOffset << ' ' << counter.base << ' '
            << counter.readable;
    }
    for (const hkpd_test::WalkedInstance& instance : walked.instances) out << '\n' << text_of(instance);
    return out.str();
}

Delivered walk_views(hkpd::Bytes input, hkpd::Diagnostics& diagnostics) {
    hkpd_test::Walk walked = hkpd_test::walk(input);
    Delivered delivered;
    for (const hkpd_test::WalkedObject& object : walked.objects)
        if (!object.failure) delivered.emplace(object.entry.title_index, text_of(object));
    diagnostics = std::move(walked.diagnostics);
    return delivered;
}

class V1Mutation : public testing::TestWithParam<blob::Block (*)()> {
  protected:
    const MutationSweep sweep{blob::build(GetParam()()), walk_views};
};

TEST_P(V1Mutation, EveryTruncation) { sweep.truncate_everywhere(); }
TEST_P(V1Mutation, EveryByte) { sweep.change_every_byte(); }

INSTANTIATE_TEST_SUITE_P(Blobs, V1Mutation,
                         testing::Values(hkpd_test::single_instances, hkpd_test::instances_with_parents,
                                         hkpd_test::big_endian_text));

}  // namespace
