#include "base/text/encoding.hpp"
#include "blg/blg.hpp"
#include "blg/decode.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd::blg {
namespace {

constexpr std::string_view catalogue_structure = "performance log catalogue";

Form form_of_entry(std::uint32_t flags) noexcept {
    if ((flags & layout::entry_block) != 0) return Form::block;
    return (flags & layout::entry_instances) != 0 ? Form::instances : Form::raw;
}

/// Reads the strings of one entry.
class EntryStrings {
  public:
    EntryStrings(Bytes entry, const FaultSink& faults) noexcept
        : strings_(entry.from(layout::catalogue_strings)), faults_(faults) {}

    /// None at offset -1, and where it does not lie in the entry.
    std::optional<std::string> read(const layout::li32& place, std::string_view field) {
        const std::int32_t offset = place.value();
        if (offset == -1) return std::nullopt;
        const Bytes rest = offset < 0 ? Bytes() : strings_.from(static_cast<std::uint64_t>(offset));
        const EncodedText found = name_text(rest, 0, ByteOrder::little);
        if (found.bytes.size() + 2 > rest.size() || found.bytes.size() > longest_name_text) {
            sound_ = false;
            faults_.add(Severity::error, {Errc::log_catalogue, strings_.offset(), catalogue_structure, field,
                                          strings_.size(), static_cast<std::uint32_t>(offset)});
            return std::nullopt;
        }
        std::string text;
        if (!append_utf16(text, found.bytes.span(), ByteOrder::little))
            faults_.add(Severity::warning,
                        {Errc::bad_text, found.bytes.offset(), catalogue_structure, field, 0, found.bytes.size()});
        return text;
    }
    bool sound() const noexcept { return sound_; }

  private:
    Bytes strings_;
    FaultSink faults_;
    bool sound_ = true;
};

}  // namespace

std::expected<void, Error> Catalogue::open(Bytes event, const FaultSink& faults) {
    entries_.clear();
    texts_.clear();
    whole_ = false;
    const auto fault = [&](std::uint64_t at, std::string_view field, std::uint64_t need, std::uint64_t have) {
        return Error{Errc::log_catalogue, event.offset() + at, catalogue_structure, field, need, have};
    };
    if (event.size() < layout::catalogue_prefix)
        return std::unexpected(fault(0, "", layout::catalogue_prefix, event.size()));
    std::uint64_t at = layout::catalogue_prefix;
    while (event.contains(at, sizeof(std::uint32_t))) {
        const std::uint64_t length = load<std::uint32_t>(event.at(at), ByteOrder::little);
        if (length == 0) break;
        if (length < layout::catalogue_strings || length > event.size() - at) {
            faults.add(Severity::error, fault(at, "Length", event.size() - at, length));
            return {};
        }
        read_entry(event.slice(at, length), faults);
        at += length;
    }
    whole_ = true;
    return {};
}

/// `entry` holds all the fields.
void Catalogue::read_entry(Bytes entry, const FaultSink& faults) {
    const layout::CATALOGUE_ENTRY wire = wire_at<layout::CATALOGUE_ENTRY>(entry, 0).value_or(layout::CATALOGUE_ENTRY{});
    Entry& added = entries_.emplace_back();
    added.form = form_of_entry(wire.Flags.value());
    added.type = wire.CounterType.value();
    added.time_base = wire.TimeBase.value();
    added.scale = wire.DefaultScale.value();
    if (wire.Index.value() > 0) added.index = static_cast<std::uint32_t>(wire.Index.value());
    added.offset = entry.offset();
    EntryStrings strings(entry, faults);
    const auto machine = strings.read(wire.Machine, "Machine"), object = strings.read(wire.Object, "Object"),
               instance = strings.read(wire.Instance, "Instance"), parent = strings.read(wire.Parent, "Parent"),
               counter = strings.read(wire.Counter, "Counter");
    if (!strings.sound()) return;  // a part of a name is none
    const auto keep = [this](const std::optional<std::string>& text) {
        return text ? std::optional<std::string_view>(texts_.emplace_back(*text)) : std::nullopt;
    };
    added.machine = keep(machine).value_or("");
    added.object = keep(object).value_or("");
    added.instance = keep(instance);
    added.parent = keep(parent);
    added.counter = keep(counter).value_or("");
    while (added.machine.starts_with('\\')) added.machine.remove_prefix(1);
}

}  // namespace hkpd::blg
