// GUIDs as bytes and as text.
#include "hkpd/guid.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/v2_builder.hpp"

namespace guid_test {

const hkpd::Guid processor_information =
    v2_blob::guid(0xB4FC'721A, 0x0378, 0x476F, {0x89, 0xBA, 0xA5, 0xA7, 0x9F, 0x81, 0x0B, 0x36});

TEST(Guid, Text) {
    EXPECT_EQ(hkpd::guid_text(processor_information), "{b4fc721a-0378-476f-89ba-a5a79f810b36}");
    EXPECT_EQ(hkpd::guid_text({}), "{00000000-0000-0000-0000-000000000000}");
    std::string text = "guid ";
    hkpd::append_guid(text, v2_blob::guid(0x0000'0001, 0x0002, 0x0003, {0, 4}));
    EXPECT_EQ(text, "guid {00000001-0002-0003-0004-000000000000}");
}

TEST(Guid, ReadsTextWithAndWithoutBracesInAnyCase) {
    for (const char* text : {"{b4fc721a-0378-476f-89ba-a5a79f810b36}", "b4fc721a-0378-476f-89ba-a5a79f810b36",
                             "{B4FC721A-0378-476F-89BA-A5A79F810B36}", "B4fc721A-0378-476f-89bA-A5A79f810b36"}) {
        EXPECT_EQ(hkpd::parse_guid(text), processor_information) << text;
    }
}

TEST(Guid, RefusesOtherText) {
    for (const char* text : {"", "{}", "{", "{b4fc721a-0378-476f-89ba-a5a79f810b36",
                             "b4fc721a-0378-476f-89ba-a5a79f810b36}", "b4fc721a-0378-476f-89ba-a5a79f810b3",
                             "b4fc721a-0378-476f-89ba-a5a79f810b360", "b4fc721a0378476f89baa5a79f810b36",
                             "b4fc721a-0378-476f-89ba-a5a79f810b3g", "b4fc721a-0378-476f-89ba_a5a79f810b36",
                             "b4fc721-a0378-476f-89ba-a5a79f810b36", " b4fc721a-0378-476f-89ba-a5a79f810b36",
                             "{b4fc721a-0378-476f-89ba-a5a79f810b36} ", "{{b4fc721a-0378-476f-89ba-a5a79f810b36}}",
                             "+4fc721a-0378-476f-89ba-a5a79f810b36", "0x4fc721a-0378-476f-89ba-a5a79f810b36"}) {
        EXPECT_EQ(hkpd::parse_guid(text), std::nullopt) << text;
    }
    EXPECT_EQ(hkpd::parse_guid(std::string("{b4fc721a-0378-476f-89ba-a5a79f810b36}\0", 39)), std::nullopt);
}

TEST(Guid, TextReadsBackToTheSameBytes) {
    for (unsigned i = 0; i < 16; ++i) {
        for (const unsigned value : {0x01U, 0x7FU, 0x80U, 0xFFU}) {
            hkpd::Guid guid;
            guid.bytes[i] = static_cast<std::byte>(value);
            EXPECT_EQ(hkpd::parse_guid(hkpd::guid_text(guid)), guid);
        }
    }
}

}  // namespace guid_test
