// JSON values as short text that tests can compare.
#pragma once

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string>

namespace hkpd_test {

inline std::string json_text(const rapidjson::Value& value) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    value.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

/// Returns the keys of an object, in order: `index,name`.
inline std::string keys(const rapidjson::Value& value) {
    std::string text;
    if (!value.IsObject()) return "no object";
    for (const auto& member : value.GetObject())
        text.append(text.empty() ? "" : ",").append(member.name.GetString(), member.name.GetStringLength());
    return text;
}

/// Returns the value at a path of keys and positions: `at(document, "samples", 0, "objects")`.
inline const rapidjson::Value& at(const rapidjson::Value& value) { return value; }
template <class... More>
const rapidjson::Value& at(const rapidjson::Value& value, const char* key, More... more);
template <class... More>
const rapidjson::Value& at(const rapidjson::Value& value, int position, More... more) {
    static const rapidjson::Value none;
    const auto index = static_cast<rapidjson::SizeType>(position);
    EXPECT_TRUE(value.IsArray() && index < value.Size()) << position << " of " << json_text(value).substr(0, 300);
    return value.IsArray() && index < value.Size() ? at(value[index], more...) : none;
}
template <class... More>
const rapidjson::Value& at(const rapidjson::Value& value, const char* key, More... more) {
    static const rapidjson::Value none;
    const bool there = value.IsObject() && value.HasMember(key);
    EXPECT_TRUE(there) << key << " of " << json_text(value).substr(0, 300);
    return there ? at(value[key], more...) : none;
}

}  // namespace hkpd_test
