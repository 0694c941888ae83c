// Mutates performance logs. Either fields and whole buffers are changed in place, or the log is split into its events,
// one event or a column of all rows is changed, and the events are laid into new buffers whose fragments, lengths and
// fill levels are right again. Offsets: evntrace.h, and real logs.
#include <array>

#include "mutation.hpp"

namespace {

using namespace hkpd_fuzz;
using ByteList = std::vector<std::uint8_t>;

constexpr std::size_t buffer_head = 72, event_head = 72, most_event = 8072, most_parts = 512;
constexpr std::uint32_t catalogue = 0x20, row = 0x22, trailer = 0x23;

constexpr std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

void add_fields(Outline& outline, std::size_t at, std::initializer_list<Field> fields) {
    for (const Field& field : fields) outline.fields.push_back({at + field.at, field.width});
}

/// An event of the log, joined from its fragments; an event of the trace itself has no head.
struct Event {
    ByteList head, body;
    std::uint32_t log_class() const { return head.empty() ? 0 : head[4]; }
};

class Log {
  public:
    explicit Log(const Mutant& input) : input_(input), buffer_size_(input.u32(0)) {
        if (buffer_size_ < 256 || buffer_size_ > 1U << 16U) return;
        for (std::size_t buffer = 0; buffer + buffer_head <= input.size(); buffer += buffer_size_) read_buffer(buffer);
    }

    Outline outline;  ///< of the file as it is
    std::vector<Event> events;

    /// Returns the events in buffers of the original size.
    ByteList write() const {
        ByteList out;
        std::size_t end = 0;  // of the current buffer
        for (const Event& event : events) {
            const std::size_t most = std::min(most_event, buffer_size_ - buffer_head) / 8 * 8 - event_head;
            const std::size_t fragments =
                event.head.empty() ? 1 : std::max<std::size_t>(1, (event.body.size() + most - 1) / most);
            for (std::size_t i = 0; i < fragments; ++i) {
                const ByteList piece = event.head.empty() ? event.body : fragment(event, i, fragments, most);
                if (out.size() + padded(piece.size()) > end) end = begin_buffer(out);
                out.insert(out.end(), piece.begin(), piece.end());
                out.resize(padded(out.size()));
                const std::size_t begin = end - buffer_size_;
                put(out, begin + 48, out.size() - begin, 4);
            }
        }
        out.resize(end);
        return out;
    }

  private:
    static void put(ByteList& bytes, std::size_t at, std::size_t value, std::size_t width) {
        for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }

    void read_buffer(std::size_t buffer) {
        add_fields(outline, buffer, {{0, 4}, {4, 4}, {8, 4}, {16, 8}, {24, 8}, {48, 4}, {52, 2}, {54, 2}});
        outline.parts.push_back({buffer, buffer_size_, {}, {}, 0});
        const std::size_t end = std::min({buffer + input_.u32(buffer + 48), buffer + buffer_size_, input_.size()});
        for (std::size_t at = buffer + buffer_head; at + 8 <= end && outline.parts.size() < most_parts;) {
            const bool of_trace = input_.number(at + 2, 1) <= 4;
            const std::size_t length = input_.number(at + (of_trace ? 4 : 0), 2);
            if (length < 8 || at + length > end) break;
            add_fields(outline, at, {{0, 2}, {2, 1}, {3, 1}, {4, 2}, {16, 8}});
            if (of_trace || length < event_head)
                add_trace_event(at, length);
            else
                add_event(at, length);
            at += padded(length);
        }
    }

    /// Adds an event of the trace. The first is SYSTEM_TRACE_HEADER and TRACE_LOGFILE_HEADER, with
    /// TIME_ZONE_INFORMATION after two pointers.
    void add_trace_event(std::size_t at, std::size_t length) {
        if (events.empty()) {
            const std::size_t header = at + 32;
            for (std::size_t field = 0; field < 56; field += 4) add_fields(outline, header, {{field, 4}});
            const std::size_t zone = header + 56 + 2 * std::size_t{input_.u32(header + 44)};
            add_fields(outline, zone,
                       {{0, 4}, {68, 2}, {70, 2}, {72, 2}, {74, 2}, {84, 4}, {152, 2}, {154, 2}, {168, 4}});
            add_fields(outline, zone, {{176, 8}, {184, 8}, {192, 8}, {200, 4}, {204, 4}});
        }
        events.push_back({{}, input_.copy(at, length)});
    }
    void add_event(std::size_t at, std::size_t length) {
        add_fields(outline, at, {{4, 1}, {6, 2}, {24, 1}, {48, 1}, {64, 4}, {68, 4}});
        const ByteList body = input_.copy(at + event_head, length - event_head);
        if (input_.u32(at + 64) > 1 && !events.empty() && !events.back().head.empty())
            events.back().body.insert(events.back().body.end(), body.begin(), body.end());
        else
            events.push_back({input_.copy(at, event_head), body});
    }

    std::size_t begin_buffer(ByteList& out) const {
        const std::size_t begin = (out.size() + buffer_size_ - 1) / buffer_size_ * buffer_size_;
        const ByteList head = input_.copy(begin == 0 ? 0 : buffer_size_, buffer_head);
        out.resize(begin);
        out.insert(out.end(), head.begin(), head.end());
        out.resize(begin + buffer_head);
        put(out, begin, buffer_size_, 4);
        put(out, begin + 24, begin / buffer_size_, 8);
        return begin + buffer_size_;
    }
    static ByteList fragment(const Event& event, std::size_t number, std::size_t count, std::size_t most) {
        ByteList piece = event.head;
        const auto first = event.body.begin() + static_cast<std::ptrdiff_t>(number * most);
        const auto size = std::min(most, event.body.size() - number * most);
        piece.insert(piece.end(), first, first + static_cast<std::ptrdiff_t>(size));
        put(piece, 0, piece.size(), 2);
        put(piece, 64, number + 1, 4);
        put(piece, 68, count, 4);
        return piece;
    }

    const Mutant& input_;
    std::size_t buffer_size_;
};

/// Outlines a record of raw counters of many instances; each instance counts in the lengths above it.
void outline_instances(const Mutant& body, std::size_t record, std::size_t end, Outline& outline) {
    add_fields(outline, record, {{8, 4}, {12, 4}, {16, 4}, {24, 4}, {28, 4}});
    std::size_t at = record + 32;
    for (std::uint32_t left = body.u32(record + 12); left != 0 && at + 24 <= end; --left, at += 24) {
        add_fields(outline, at, {{0, 4}, {4, 4}, {8, 8}, {16, 8}});
        if (outline.parts.size() < most_parts)
            outline.parts.push_back({at, 24, {4, record + 4, record + 8}, {record + 12}, 1});
    }
}

/// Returns the outline of one event: parts of kind 0 are the entries of a catalogue, or the values of a row at their
/// places.
Outline outline_of(const Mutant& body, std::uint32_t log_class) {
    Outline outline;
    if (log_class == trailer) add_fields(outline, 0, {{0, 8}, {8, 8}, {16, 4}, {20, 4}, {24, 4}, {28, 4}});
    if (log_class == row) add_fields(outline, 0, {{0, 1}, {1, 1}, {2, 2}, {4, 4}});
    if (log_class != row && log_class != catalogue) return outline;
    const std::size_t least = log_class == row ? 8 : 52, length_at = log_class == row ? 4 : 0;
    for (std::size_t at = 8; at + least <= body.size();) {
        const std::size_t length = body.u32(at + length_at);
        if (length < least || at + length > body.size() || outline.parts.size() > most_parts) break;
        outline.parts.push_back(
            {at, length, log_class == row ? std::vector<std::size_t>{4} : std::vector<std::size_t>{}, {}, 0});
        if (log_class == catalogue) {
            for (std::size_t field = 0; field < 52; field += 4) add_fields(outline, at, {{field, 4}});
        } else {
            add_fields(outline, at, {{0, 1}, {2, 2}, {4, 4}});
            const std::uint64_t type = body.number(at + 2, 2);
            if (type == 0x0103) add_fields(outline, at, {{8, 4}, {12, 4}, {16, 4}, {24, 8}, {32, 8}, {40, 4}});
            if (type == 0x0203) outline_instances(body, at, at + length, outline);
            if (type == 0x0503) add_fields(outline, at, {{12, 4}, {28, 4}, {32, 4}, {36, 4}, {88, 4}, {92, 4}});
        }
        at += length;
    }
    return outline;
}

ByteList bytes_of(const Mutant& mutant) { return {mutant.bytes().begin(), mutant.bytes().end()}; }

/// Resizes an entry of the catalogue, and the values at its place in all rows.
void resize_column(Log& log, std::size_t place, bool doubled) {
    for (Event& event : log.events) {
        Mutant body(event.body, 0);
        std::vector<Part> parts = outline_of(body, event.log_class()).parts;
        std::erase_if(parts, [](const Part& part) { return part.kind != 0; });
        if (parts.empty()) continue;
        resize_part(body, parts[place % parts.size()], doubled);
        event.body = bytes_of(body);
    }
}

void change_event(Event& event, Mutant& random) {
    Mutant body(event.body, random.below(1U << 30U));
    if (!change_structure(body, outline_of(body, event.log_class()))) {
        event.body.resize(event.body.size() + 64);
        event.body.resize(LLVMFuzzerMutate(event.body.data(), body.size(), event.body.size()));
    } else {
        event.body = bytes_of(body);
    }
}

void change_log(Log& log, Mutant& random) {
    const auto place = [&] { return log.events.begin() + random.below(log.events.size()); };
    switch (random.below(8)) {
        case 0:
            return resize_column(log, random.below(16), random.below(2) == 0);
        case 1:
            return std::iter_swap(place(), place());
        case 2: {
            const Event twice = *place();
            log.events.insert(place(), twice);
            return;
        }
        case 3:
            log.events.erase(place());
            return;
        default:
            return change_event(*place(), random);
    }
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
    Mutant mutant({data, size}, seed);
    Log log(mutant);
    const std::uint32_t choice = mutant.below(8);
    if (log.events.empty() || choice == 0) return LLVMFuzzerMutate(data, size, max_size);
    if (choice < 4) {
        change_structure(mutant, log.outline);
        return mutant.give(data, max_size);
    }
    change_log(log, mutant);
    return Mutant(log.write(), seed).give(data, max_size);
}
