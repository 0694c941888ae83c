// Countersets and instances made from the input, registered in process and collected through both interfaces: the bytes
// are parsed without a fault, and the samples hold the provider's values.
#include "hkpd/provider.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "choices.hpp"
#include "hkpd/local_perflib.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v1_writer.hpp"
#include "live/perflib_query.hpp"
#include "properties.hpp"
#include "sample/fill/v1_builder.hpp"
#include "sample/fill/v2_builder.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

struct Row {
    std::string name;
    std::map<std::uint32_t, std::uint64_t> values;  ///< by counter id
};

struct Set {
    CountersetDescriptor descriptor;
    std::vector<Row> rows;

    bool multi() const { return is_multi(descriptor.instances); }
    /// Returns whether the values are shown unchanged, not as an aggregate.
    bool plain() const {
        const v2::InstanceType kind = descriptor.instances;
        return kind == v2::InstanceType::single || kind == v2::InstanceType::multi ||
               kind == v2::InstanceType::multi_aggregate;
    }
    /// Returns the number of instances shown; `_Total` comes last.
    std::size_t shown() const {
        return rows.size() + (descriptor.instances == v2::InstanceType::multi_aggregate && !rows.empty() ? 1 : 0);
    }
};

/// Returns a number in the byte order of this machine, as provider's structs have it.
template <class Number>
Number number_at(const std::byte* bytes) {
    Number number{};
    std::memcpy(&number, bytes, sizeof number);
    return number;
}

class Machine {
  public:
    explicit Machine(Choices choices) : choices_(choices) {
        for (std::uint32_t count = 1 + choices_.below(3), k = 0; k < count; ++k) add_set(k);
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const std::deque<Set>& sets() const { return sets_; }
    Provider& provider() { return provider_; }
    PerfLib& perflib() { return perflib_; }
    static Moment moment() {
        return {{2026, 5, 4, 14, 9, 30, 15, 250}, 12'345'678, 10'000'000, 133'601'526'000'000'000};
    }

  private:
    /// Makes a counter. Not all of them are allowed; those that are not must be rejected.
    CounterDescriptor counter() {
        static constexpr std::uint32_t types[] = {0x0001'0000, 0x0001'0100, 0x1041'0400, 0x1041'0500, 0x2151'0500,
                                                  0x4002'0500, 0x4003'0402, 0x2002'0400, 0x4003'0403, 0x2057'0500,
                                                  0x4003'0500, 0x2241'0500, 0x4203'0500, 0x3024'0500, 0x0041'0400};
        CounterDescriptor made;
        made.id = choices_.yes() ? choices_.below(8) : static_cast<std::uint32_t>(choices_.number(4));
        made.type = types[choices_.below(static_cast<std::uint32_t>(std::size(types)))];
        made.name = choices_.text(6);
        made.help = choices_.text(3);
        made.struct_index = static_cast<std::uint16_t>(choices_.below(3));
        made.offset = static_cast<std::uint16_t>(choices_.below(40));
        made.size = choices_.below(16) == 15 ? 2 : choices_.yes() ? 4 : 8;
        made.attributes = choices_.below(32);
        made.scale = static_cast<std::int32_t>(choices_.below(24)) - 11;
        for (std::uint32_t* related : {&made.base_id, &made.time_id, &made.frequency_id, &made.multi_id})
            if (choices_.below(4) == 3) *related = choices_.below(8);
        made.aggregate = static_cast<v2::Aggregate>(choices_.below(5));
        return made;
    }

    void add_set(std::uint32_t number) {
        using enum v2::InstanceType;
        static constexpr v2::InstanceType kinds[] = {
            multi, single, multi_aggregate, single_aggregate, single_aggregate_history, instance_aggregate};
        Set set;
        set.descriptor.guid.bytes[0] = static_cast<std::byte>(1 + number);
        set.descriptor.provider_name = "Fuzz";
        set.descriptor.name = "Set " + std::to_string(number);
        set.descriptor.instances = kinds[choices_.below(static_cast<std::uint32_t>(std::size(kinds)))];
        for (std::uint32_t count = choices_.below(7), c = 0; c < count; ++c)
            set.descriptor.counters.push_back(counter());
        if (!provider_.add(set.descriptor)) return;
        sets_.push_back(std::move(set));
        for (std::uint32_t count = choices_.below(6), i = 0; i < count; ++i) add_instance(sets_.back());
    }

    void add_instance(Set& set) {
        const std::string name = choices_.text(8);
        const auto id = choices_.yes() ? choices_.below(8) : static_cast<std::uint32_t>(choices_.number(4));
        auto made = provider_.create_instance(set.descriptor.guid, name, id);
        if (!made) return;
        std::uint64_t structs[3][8] = {};
        for (auto& one : structs)
            for (std::uint64_t& part : one) part = choices_.number(choices_.below(9));
        const std::span<const std::byte> spans[] = {std::as_bytes(std::span(structs[0])),
                                                    std::as_bytes(std::span(structs[1])),
                                                    std::as_bytes(std::span(structs[2]))};
        require(made->set(spans).has_value());
        Row row{name, {}};
        for (const CounterDescriptor& counter : set.descriptor.counters) {
            const std::byte* const at = spans[counter.struct_index].data() + counter.offset;
            row.values[counter.id] = counter.size == 4 ? number_at<std::uint32_t>(at) : number_at<std::uint64_t>(at);
        }
        if (choices_.yes()) {
            const CounterDescriptor& counter = set.descriptor.counters.front();
            const std::uint64_t value = choices_.number(8);
            require(made->set(counter.id, value).has_value());
            row.values[counter.id] = counter.size == 4 ? value & 0xFFFF'FFFF : value;
        }
        set.rows.push_back(std::move(row));
        handles_.push_back(*std::move(made));
    }

    Choices choices_;
    Provider provider_;
    std::deque<Set> sets_;
    std::vector<ProviderInstance> handles_;
    LocalPerfLib perflib_{provider_, &Machine::moment, "Here"};
};

/// Requires the provider's values; `title` returns the name of a counter of the set in the sample.
template <class Title>
void require_values(const Set& set, const Object& object, const Title& title) {
    if (!set.plain()) return;
    require(object.instances.size() == (set.multi() ? set.shown() : 1));
    for (std::size_t row = 0; row < set.rows.size(); ++row)
        if (set.multi()) require(object.instances[row].name == set.rows[row].name);
    for (const CounterDescriptor& counter : set.descriptor.counters) {
        const auto column = std::ranges::find(object.columns, title(counter.id), &Column::title_index);
        require(column != object.columns.end() && column->type == counter.type);
        require(object.instances.empty() || column->size == counter.size);  // only values show the size
        for (std::size_t row = 0; row < set.rows.size(); ++row)
            require(column->is_valid(row) && column->values[row] == set.rows[row].values.at(counter.id));
    }
}

void require_v1(Machine& machine) {
    const CountersetList list = machine.provider().countersets();
    const V1Numbering numbering(5000, list);
    V1BlockWriter writer(Machine::moment(), "Here");
    append_v1_view(writer, list, numbering, {});
    const ExactCopy bytes(writer.finish());
    Diagnostics diagnostics;
    v1::Block block;
    require(block.open(bytes.bytes(), diagnostics).has_value());
    SampleBuilder builder(nullptr, {});
    Sample sample;
    builder.begin(sample, block, diagnostics);
    builder.add(sample, block, diagnostics);
    builder.finish(sample, 0, diagnostics);
    require(diagnostics.count(Severity::error) == 0);
    for (const Set& set : machine.sets()) {
        const auto found = sample.find(numbering.object(set.descriptor.guid));
        require(found.has_value() || (!set.multi() && set.rows.empty()));
        if (found)
            require_values(set, sample.objects()[*found],
                           [&](std::uint32_t id) { return numbering.counter(set.descriptor.guid, id); });
    }
}

void take_registration(Machine& machine, const Set& set, Countersets& countersets, Diagnostics& diagnostics) {
    using enum v2::RegistrationRequest;
    for (const auto request : {counterset_struct, counterset_name, counter_names, counter_help}) {
        std::uint32_t status = 0;
        const auto answer = registration_info(machine.perflib(), {}, set.descriptor.guid, request, 0, status);
        const ExactCopy bytes(answer);
        if (status == 0) countersets.add({set.descriptor.guid, request, {}, "009", {}, bytes.bytes()}, {}, diagnostics);
    }
}

void require_v2(Machine& machine) {
    Diagnostics diagnostics;
    Countersets countersets;
    PerfQuery query(machine.perflib());
    for (const Set& set : machine.sets()) {
        require(query.add(set.descriptor.guid, set.multi() ? "*" : "") == 0);
        take_registration(machine, set, countersets, diagnostics);
    }
    require(query.collect() == 0);
    const ExactCopy info(query.info()), data(query.data().span());
    v2::Identifiers identifiers;
    identifiers.open(info.bytes(), diagnostics);
    v2::DataBlock block;
    require(block.open(data.bytes(), diagnostics).has_value());
    Sample sample;
    CountersetSampleBuilder(countersets, {}).build(sample, block, &identifiers, "Here", diagnostics);
    require(diagnostics.count(Severity::error) == 0);
    for (const Set& set : machine.sets()) {
        const auto found = sample.find(countersets.number(set.descriptor.guid));
        require(found.has_value() || (!set.multi() && set.rows.empty()));
        if (found) require_values(set, sample.objects()[*found], [](std::uint32_t id) { return id; });
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Budget budget(size, 1000, 64);
    Machine machine{Choices(std::span(data, size))};
    require_v1(machine);
    require_v2(machine);
    return 0;
}
