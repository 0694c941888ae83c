// V2 blocks, identifiers and registration info in which names are replaced.
#include <algorithm>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/v2.hpp"
#include "redact/rewrite.hpp"
#include "v2/layout.hpp"

namespace hkpd {
namespace {

/// Writes the results of one block.
class ResultRedactor {
  public:
    ResultRedactor(ByteBuffer& out, std::uint64_t& values_left, Pseudonyms& names, const FaultSink& faults)
        : out_(out), names_(names), faults_(faults), values_left_(values_left) {}

    /// Appends a result. Of one that cannot be read, only the header, so that the results after it keep their places.
    void add(const v2::ResultEntry& entry) {
        const std::size_t begin = out_.size();
        append_u32(out_, entry.header.dwStatus);
        append_u32(out_, entry.header.dwType);
        append_u32(out_, 0);
        append_u32(out_, 0);
        const auto opened = result_.open(entry, entry.ordinal, faults_);
        if (!opened) {
            faults_.add(Severity::error, opened.error(), entry.ordinal);
        } else if (result_.type() != v2::ResultType::error && !add_content()) {
            out_.resize(begin + sizeof(layout::PERF_COUNTER_HEADER));
            faults_.add({Errc::names_not_located, entry.bytes.offset(), "PERF_COUNTER_HEADER", "", 0, 0},
                        entry.ordinal);
        }
        patch_u32(out_, begin + offsetof(layout::PERF_COUNTER_HEADER, dwSize), u32(out_.size() - begin));
    }

  private:
    bool add_content() {
        if (result_.type() == v2::ResultType::multiple_counters || result_.type() == v2::ResultType::counterset) {
            const std::size_t begin = out_.size();
            append_u32(out_, 0);
            append_u32(out_, u32(result_.ids().size()));
            for (const std::uint32_t id : result_.ids()) append_u32(out_, id);
            pad_to_8(out_, begin);
            patch_u32(out_, begin, u32(out_.size() - begin));
        }
        const std::size_t list = out_.size();
        if (result_.has_instances()) append_u64(out_, 0);
        std::vector<v2::Value> values;
        v2::InstanceReader reader(result_, values_left_, values, faults_);
        v2::Instance instance;
        std::uint32_t count = 0;
        while (reader.next(instance)) {
            if (instance.ordinal != count++) return false;
            add_instance(instance);
        }
        if (result_.has_instances()) {
            patch_u32(out_, list, u32(out_.size() - list));
            patch_u32(out_, list + sizeof(std::uint32_t), count);
        }
        return true;
    }

    void add_instance(const v2::Instance& instance) {
        if (result_.has_instances()) {
            const std::size_t begin = out_.size();
            append_u32(out_, 0);
            append_u32(out_, instance.InstanceId);
            append_utf16z(out_, instance.name ? replaced_name(names_, NameKind::instance, *instance.name) : "");
            pad_to_8(out_, begin);
            patch_u32(out_, begin, u32(out_.size() - begin));
        }
        for (const v2::Value& value : instance.values) add_value(value);
    }

    /// Appends a number. Of a value that is none, only the size, so that readers find the same fault.
    void add_value(const v2::Value& value) {
        constexpr std::uint32_t damaged = 0xFFFF'FFFF;
        const std::size_t size = value.bytes.size();
        const bool is_number = v2::number_of(value).has_value();
        const std::size_t kept = value.damaged ? 0 : size;
        const std::size_t begin = out_.size();
        append_u32(out_, value.damaged ? damaged : u32(size));
        append_u32(out_, 0);
        if (is_number)
            append_bytes(out_, value.bytes.span());
        else
            out_.resize(out_.size() + std::max<std::size_t>(kept, 1));
        pad_to_8(out_, begin);
        patch_u32(out_, begin + sizeof(std::uint32_t), u32(out_.size() - begin));
    }

    ByteBuffer& out_;
    Pseudonyms& names_;
    const FaultSink& faults_;
    std::uint64_t& values_left_;
    v2::Result result_;
};

void append_v2_block(ByteBuffer& out, const v2::DataBlock& block, std::uint64_t& values_left, Pseudonyms& names,
                     const FaultSink& faults) {
    const std::size_t begin = out.size();
    const v2::DataHeader& header = block.header();
    append_u32(out, 0);
    append_u32(out, 0);
    append_i64(out, header.PerfTimeStamp);
    append_i64(out, header.PerfTime100NSec);
    append_i64(out, header.PerfFreq);
    append_system_time(out, header.SystemTime);
    ResultRedactor results(out, values_left, names, faults);
    std::uint32_t count = 0;
    const auto add_missing = [&](std::uint32_t up_to) {
        for (; count < up_to; ++count) {  // a result that is lost keeps its place, with an error for its status
            constexpr std::uint32_t invalid_data = 13;
            append_u32(out, invalid_data);
            append_u32(out, std::to_underlying(v2::ResultType::error));
            append_u32(out, sizeof(layout::PERF_COUNTER_HEADER));
            append_u32(out, 0);
        }
    };
    for (const v2::ResultEntry& entry : block.results()) {
        add_missing(entry.ordinal);
        results.add(entry);
        ++count;
    }
    patch_u32(out, begin, u32(out.size() - begin));
    patch_u32(out, begin + sizeof(std::uint32_t), count);
}

bool append_string(ByteBuffer& out, const Record& record, Pseudonyms& names, const FaultSink& faults) {
    append_utf16z(out, replaced_name(names, NameKind::title, v2::read_string(record.bytes, faults)));
    return true;
}

bool append_string_buffer(ByteBuffer& out, const Record& record, Pseudonyms& names, const FaultSink& faults) {
    v2::StringBuffer buffer;
    if (const auto opened = buffer.open(record.bytes, faults); !opened) {
        faults.add(Severity::error, opened.error());
        return false;
    }
    const std::size_t begin = out.size();
    append_u32(out, 0);
    append_u32(out, u32(buffer.entries().size()));
    for (const auto& entry : buffer.entries()) {
        append_u32(out, entry.dwCounterId);
        append_u32(out, v2::no_string);
    }
    std::size_t at = begin + sizeof(layout::PERF_STRING_BUFFER_HEADER);
    for (const auto& entry : buffer.entries()) {
        if (entry.text) {
            patch_u32(out, at + offsetof(layout::PERF_STRING_COUNTER_HEADER, dwOffset), u32(out.size() - begin));
            append_utf16z(out, replaced_name(names, NameKind::title, *entry.text));
        }
        at += sizeof(layout::PERF_STRING_COUNTER_HEADER);
    }
    pad_to_8(out, begin);
    patch_u32(out, begin, u32(out.size() - begin));
    return true;
}

/// Appends structures that consist of numbers only.
bool append_numbers(ByteBuffer& out, Bytes input, std::size_t size) {
    append_bytes(out, input.clip(0, size).span());
    return true;
}

bool append_registration_info(ByteBuffer& out, const Record& record, const FaultSink& faults) {
    v2::RegistrationInfo info;
    if (const auto opened = info.open(record.bytes, {}); !opened) {  // readers of the result report its faults
        faults.add(Severity::error, opened.error());
        return false;
    }
    return append_numbers(
        out, record.bytes,
        sizeof(layout::PERF_COUNTERSET_REG_INFO) + info.counters().size() * sizeof(layout::PERF_COUNTER_REG_INFO));
}

}  // namespace

bool append_redacted_v2(ByteBuffer& out, Bytes input, std::uint64_t& values_left, Pseudonyms& names,
                        const FaultSink& faults) {
    Diagnostics found;
    v2::DataBlock block;
    if (const auto opened = block.open(input, found); !opened) {
        faults.add(Severity::error, opened.error());
        return false;
    }
    const std::size_t begin = out.size();
    std::uint64_t values = values_left;
    append_v2_block(out, block, values_left, names, found);
    if (found.count() == 0) return true;
    Diagnostics again, unnumbered;
    ByteBuffer unused;
    Pseudonyms others({.key = "unused"});
    v2::DataBlock made;
    if (made.open(Bytes(std::span(out).subspan(begin)), again)) append_v2_block(unused, made, values, others, again);
    report_missing(found, again, unnumbered);
    // The numbers of objects are positions in the block here, and not those of samples.
    for (const Diagnostic& one : unnumbered.kept()) faults.add(one.severity, one.error);
    return true;
}

void append_redacted_identifiers(ByteBuffer& out, Bytes input, Pseudonyms& names, const FaultSink& faults) {
    v2::Identifiers identifiers;
    identifiers.open(input, faults);
    for (const v2::Identifier& one : identifiers.all()) {
        const std::size_t begin = out.size();
        append_bytes(out, one.CounterSetGuid.bytes);
        append_u32(out, one.Status);
        append_u32(out, 0);
        append_u32(out, one.CounterId);
        append_u32(out, one.InstanceId);
        append_u32(out, one.Index);
        append_u32(out, 0);
        if (one.name && !one.name->bytes.empty()) {
            std::string text;
            append_code_page(text, one.name->bytes.span(), one.name->code_page, one.name->order);
            // A pattern would match no pseudonym.
            const bool is_pattern = text.find_first_of("*?") != std::string::npos;
            append_utf16z(out, is_pattern ? "*" : names.replace(NameKind::instance, text));
        }
        pad_to_8(out, begin);
        patch_u32(out, begin + offsetof(layout::PERF_COUNTER_IDENTIFIER, Size), u32(out.size() - begin));
    }
}

bool append_redacted_registration(ByteBuffer& out, const Record& record, Pseudonyms& names, const FaultSink& faults) {
    using enum v2::RegistrationRequest;
    switch (static_cast<v2::RegistrationRequest>(record.request)) {
        case counterset_struct:
            return append_registration_info(out, record, faults);
        case counter_struct:
            return append_numbers(out, record.bytes, sizeof(layout::PERF_COUNTER_REG_INFO));
        case provider_guid:
            return append_numbers(out, record.bytes, sizeof(layout::WireGuid));
        case counterset_name:
        case counterset_english:
        case provider_name:
            return append_string(out, record, names, faults);
        case counter_names:
        case counter_names_english:
            return append_string_buffer(out, record, names, faults);
        default:
            return false;
    }
}

}  // namespace hkpd
