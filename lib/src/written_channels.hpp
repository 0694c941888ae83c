// The channels of a capture that is written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "hkpd/guid.hpp"
#include "hkpd/record.hpp"
#include "mcap/records.hpp"

namespace hkpd {

/// Numbers the channels in the order in which their first records came; what each says stands at `capture_encoding`.
class WrittenChannels {
  public:
    /// What a channel is for: kind, machine, name, language, counterset or log, request, title index.
    using Key = std::tuple<Record::Kind, std::string, std::string, std::string, Guid, std::uint32_t,
                           std::optional<std::uint32_t>>;

    /// The channel of a record, which is of a kind that messages can be; made where it is the first. Null where there
    /// are as many as ids, which count from 1. Lives as long as this object.
    const mcap::Channel* find_or_add(const Record& record);

    const std::map<Key, mcap::Channel, std::less<>>& all() const noexcept { return channels_; }

  private:
    std::map<Key, mcap::Channel, std::less<>> channels_;
};

}  // namespace hkpd
