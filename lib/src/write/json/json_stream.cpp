#include "write/json/json_stream.hpp"

#include "write/cells.hpp"

namespace hkpd {

void append_json_string(std::string& out, std::string_view text) {
    if (is_plain(text, '"', '\\')) {
        append_within(out, text.size() + 2, [text](char* to) { return put(put(put(to, "\""), text), "\""); });
        return;
    }
    const std::size_t before = out.size();
    StringSink sink;
    sink.attach(out);
    rapidjson::Writer<StringSink>(sink).String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    escape_json(out, before);
}

}  // namespace hkpd
