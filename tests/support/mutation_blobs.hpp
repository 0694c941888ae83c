// Four small blobs that together contain every structure of V1, for tests that damage them in every place.
#pragma once

#include <string>

#include "support/blob_builder.hpp"

namespace hkpd_test {

/// Objects without instances: fractions with their bases, values of both widths, offsets shared and out of order.
inline blob::Block single_instances() {
    using namespace blob::counter_type;
    return {.objects = {{.title = 2,
                         .counters = {{.title = 10, .type = counter},
                                      {.title = 12, .type = bulk_count, .size = 8, .offset = 16},
                                      {.title = 14, .type = raw_fraction, .offset = 8},
                                      {.title = 14, .type = raw_base, .offset = 12}},
                         .values = {1, 0x2'0000'0003, 4, 5}},
                        {.title = 4, .counters = {{.title = 24}, {.title = 26, .offset = 4}}, .values = {6, 6}},
                        {.title = 86,
                         .counters = {{.title = 88, .type = elapsed_time, .size = 8}},
                         .values = {0x01D0'0000'0000'0000},
                         .perf_time = 0x01D0'0000'0000'1000,
                         .perf_freq = 10'000'000}}};
}

/// Objects with instances, including repeated names and parents in another object.
inline blob::Block instances_with_parents() {
    using namespace blob::counter_type;
    return {.objects = {{.title = 238,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 6, .type = timer_100ns, .size = 8}, {.title = 148, .type = counter}},
                         .instances = {{u"0", {100, 1}}, {u"1", {200, 2}}, {u"_Total", {300, 3}}}},
                        {.title = 232,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 146, .type = counter}},
                         .instances = {{u"0", {31}, 230, 0}, {u"0", {32}, 230, 1}, {u"1", {33}, 230, 1}}},
                        {.title = 230,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 784}},
                         .instances = {{u"svchost", {564}, 0, 0, 564}, {u"svchost", {720}, 0, 0, 720}}}}};
}

/// An object with instances between two without.
inline blob::Block lone_and_listed() {
    return {.objects = {{.title = 2,
                         .counters = {{.title = 10}, {.title = 12, .type = blob::counter_type::bulk_count, .size = 8}},
                         .values = {7, 8}},
                        {.title = 4,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 20}, {.title = 22}},
                         .instances = {{u"a", {1, 2}}, {u"b", {3, 4}}, {u"c", {5, 6}}}},
                        {.title = 6, .counters = {{.title = 30}}, .values = {9}}}};
}

/// Big endian, with text, a code page, an empty list and definitions without data.
inline blob::Block big_endian_text() {
    using namespace blob::counter_type;
    const auto big = blob::Endian::big;
    return {.objects = {{.title = 0x1234,
                         .counters = {{.title = 10, .type = text_unicode, .size = 16},
                                      {.title = 12, .type = text_ascii, .size = 8},
                                      {.title = 14, .size = 3}},
                         .values = {blob::utf16(u"größer", big), std::string("ascii"), std::string("xyz")}},
                        {.title = 0x1236, .kind = blob::Kind::multi, .counters = {{.title = 20}}},
                        {.title = 0x1238, .kind = blob::Kind::metadata_multi, .counters = {{.title = 22}}},
                        {.title = 0x123A,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 24, .type = bulk_count, .size = 8}},
                         .instances = {{"\x93\xFA\x96\x7B", {0x0102'0304'0506'0708}}, {"disk", {9}, 0, 0, -1, false}},
                         .code_page = 932},
                        {.title = 0x123C, .counters = {{.title = 26}}, .values = {0xCAFE}}},
            .machine = u"BIG",
            .endian = big};
}

}  // namespace hkpd_test
