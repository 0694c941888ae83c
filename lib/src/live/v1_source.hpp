// Live counters through the registry's door.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "hkpd/live.hpp"
#include "hkpd/names.hpp"
#include "hkpd/record.hpp"
#include "hkpd/v1.hpp"

namespace hkpd {

class FaultSink;

/// Asks a registry for titles and blocks. What it gives is valid until it is asked again.
class LiveV1 {
  public:
    /// Keeps a reference to `registry`.
    LiveV1(PerformanceRegistry& registry, const LiveQuery& query, const RegistryPolicy& policy);

    void begin(std::vector<Record>& out);
    /// Appends a block, behind titles where those that are known do not name it. The query's status.
    std::uint32_t collect(std::vector<Record>& out, const FaultSink& faults);
    /// As the last block says; empty where it does not.
    std::string machine_name() const;

  private:
    struct TitleValue {
        std::string name, language;
        std::vector<std::byte> bytes;
        bool operator==(const TitleValue&) const = default;
    };

    bool read_titles();
    std::vector<std::byte> read_title_value(std::string_view language, std::string_view what);
    std::vector<std::byte> kept_value(std::string_view name) const;
    void append_titles(std::vector<Record>& out) const;
    void find_objects();
    bool find_object(const std::string& object);
    std::string value_name() const;
    bool look_at_block();
    void look_at(const v1::ObjectEntry& entry);
    void note_index(std::uint32_t index);

    PerformanceRegistry& registry_;
    RegistryReader reader_;
    LiveQuery query_;
    std::vector<std::string> languages_;  // as Perflib numbers them
    std::vector<TitleValue> values_;
    Titles titles_;
    std::set<std::uint32_t> objects_;             // title indices that are asked for; empty: all
    std::unordered_set<std::uint32_t> met_;       // indices that blocks had so far
    bool has_unknown_ = false, has_new_ = false;  // met in the current block: without title, parents' objects
    v1::Block block_;
    v1::Object object_;
};

}  // namespace hkpd
