#include <cstddef>
#include <set>
#include <string>

#include "hkpd/counter_type.hpp"
#include "hkpd/title_check.hpp"
#include "v1/layout.hpp"
#include "sample_boundary.hpp"

namespace hkpd {
namespace {

using ObjectLayout = layout::PERF_OBJECT_TYPE<boost::endian::order::little>;
using CounterLayout = layout::PERF_COUNTER_DEFINITION<boost::endian::order::little>;

class NameCheck {
  public:
    NameCheck(const v1::Block& block, const Titles& titles, Diagnostics& diagnostics)
        : block_(block), titles_(titles), diagnostics_(diagnostics) {
        assign_machine(machine_, block);
    }

    void run() {
        Diagnostics told_elsewhere(0);
        for (const v1::ObjectEntry& entry : block_.objects())
            if (object_.open(block_, entry, told_elsewhere)) check_object();
    }

  private:
    void check_object() {
        told_.clear();
        object_index_ = object_.header().ObjectNameTitleIndex;
        check(object_index_, object_.bytes().offset() + offsetof(ObjectLayout, ObjectNameTitleIndex),
              "PERF_OBJECT_TYPE", "ObjectNameTitleIndex");
        for (const v1::Counter& counter : object_.counters())
            // Bases are shown nowhere, and many have no name of their own.
            if (!CounterType{counter.definition.CounterType}.is_base())
                check(counter.definition.CounterNameTitleIndex,
                      counter.offset + offsetof(CounterLayout, CounterNameTitleIndex), "PERF_COUNTER_DEFINITION",
                      "CounterNameTitleIndex");
    }

    void check(std::uint32_t index, std::uint64_t offset, std::string_view structure, std::string_view field) {
        if (index == 0 || titles_.find(index, {false, machine_})) return;
        if (told_.insert(index).second)
            diagnostics_.add(Severity::warning, {Errc::title_unnamed, offset, structure, field, 0, index},
                             object_index_);
    }

    const v1::Block& block_;
    const Titles& titles_;
    Diagnostics& diagnostics_;
    std::string machine_;
    v1::Object object_;
    std::uint32_t object_index_ = no_index;
    std::set<std::uint32_t> told_;  // of the object at hand
};

}  // namespace

void check_named(const v1::Block& block, const Titles& titles, Diagnostics& diagnostics) {
    NameCheck(block, titles, diagnostics).run();
}

}  // namespace hkpd
