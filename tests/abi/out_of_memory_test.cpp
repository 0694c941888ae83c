// Memory that is refused to the C interface: each function returns HKPD_ERROR_MEMORY or its usual result, and the
// handles that a caller has stay usable: they can be read further, and are closed.
#include <gtest/gtest.h>
#include <hkpd.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "handles.hpp"
#include "support/count_allocations.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace out_of_memory_abi_test {

std::string data(std::string_view name) { return std::string(testdata_folder) + '/' + std::string(name); }

/// The statuses of the calls of one run, each with what it returned.
class Outcome {
  public:
    /// Adds the result of a call. Returns whether the call succeeded.
    bool add(hkpd_status status) {
        text_ += std::to_string(status) + ' ';
        refused_ = refused_ || status == HKPD_ERROR_MEMORY;
        return status == HKPD_OK;
    }
    void add(std::uint64_t number) { text_ += std::to_string(number) + ' '; }
    void add(const char* text, std::size_t size) {
        if (text != nullptr) text_.append(text, size) += ' ';
    }
    bool refused() const noexcept { return refused_; }
    const std::string& text() const noexcept { return text_; }

  private:
    std::string text_;
    bool refused_ = false;
};

using Run = std::function<void(Outcome&)>;

/// Reads the next sample. Goes on after refused memory, as a program may that has freed some.
bool next(hkpd_reader* reader, hkpd_sample& sample, Outcome& outcome) {
    constexpr int attempts = 3;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const hkpd_status status = hkpd_next(reader, &sample);
        if (outcome.add(status)) return true;
        if (status != HKPD_ERROR_MEMORY) return false;
    }
    return false;
}

/// Reads everything that a reader has.
void read(hkpd_reader* reader, Outcome& outcome) {
    auto sample = sized<hkpd_sample>();
    while (next(reader, sample, outcome))
        for (std::size_t o = 0; o < sample.object_count; ++o) {
            auto object = sized<hkpd_object>();
            if (!outcome.add(hkpd_get_object(reader, o, &object))) continue;
            outcome.add(object.name, object.name_size);
            std::vector<hkpd_instance> instances(object.instance_count);
            if (!instances.empty()) instances[0].struct_size = sizeof(hkpd_instance);
            outcome.add(hkpd_get_instances(reader, o, 0, instances.size(), instances.data()));
            for (std::size_t c = 0; c < object.column_count; ++c) {
                auto column = sized<hkpd_column>();
                auto cooked = sized<hkpd_cooked>();
                const char* text = nullptr;
                std::size_t size = 0;
                outcome.add(hkpd_get_column(reader, o, c, &column));
                if (outcome.add(hkpd_get_cooked(reader, o, c, &cooked))) outcome.add(cooked.count);
                outcome.add(hkpd_get_text(reader, o, c, 0, &text, &size));
            }
        }
    outcome.add(hkpd_fault_count(reader));
    for (std::size_t i = 0; i < hkpd_fault_count(reader); ++i) {
        auto fault = sized<hkpd_fault>();
        if (outcome.add(hkpd_get_fault(reader, i, &fault))) outcome.add(fault.message, fault.message_size);
    }
}

Run reading(const std::string& path) {
    return [path](Outcome& outcome) {
        Reader reader;
        auto error = sized<hkpd_error>();
        const char* const text = path.c_str();
        if (outcome.add(hkpd_open(&text, 1, nullptr, reader.address(), &error))) read(reader, outcome);
    };
}

Run feeding(const std::string& path) {
    return [bytes = read_file(path)](Outcome& outcome) {
        Reader reader;
        if (!outcome.add(hkpd_open_feed(nullptr, reader.address(), nullptr))) return;
        for (int i = 0; i < 2; ++i) {
            auto record = sized<hkpd_record>();
            record.data = bytes.data();
            record.size = bytes.size();
            outcome.add(hkpd_feed(reader, &record));
            read(reader, outcome);
        }
    };
}

Run streaming(const std::string& path) {
    return [path](Outcome& outcome) {
        Reader reader;
        const char* const text = path.c_str();
        if (!outcome.add(hkpd_open(&text, 1, nullptr, reader.address(), nullptr))) return;
        ArrowArrayStream stream{};
        if (!outcome.add(hkpd_arrow_stream(reader, &stream))) return;
        ArrowSchema schema{};
        if (outcome.add(stream.get_schema(&stream, &schema) == 0 ? HKPD_OK : HKPD_ERROR_MEMORY))
            schema.release(&schema);
        ArrowArray array{};
        while (outcome.add(stream.get_next(&stream, &array) == 0 ? HKPD_OK : HKPD_ERROR_MEMORY)) {
            if (array.release == nullptr) break;
            outcome.add(static_cast<std::uint64_t>(array.length));
            array.release(&array);
        }
        stream.release(&stream);
    };
}

using Ask = std::function<hkpd_status(hkpd_answer** answer, hkpd_error* error)>;

/// Asks, and counts the rows of the answer.
Run asking(const Ask& ask) {
    return [ask](Outcome& outcome) {
        hkpd_answer* made = nullptr;
        auto error = sized<hkpd_error>();
        const bool good = outcome.add(ask(&made, &error));
        const std::unique_ptr<hkpd_answer, decltype(&hkpd_free_answer)> answer(made, hkpd_free_answer);
        if (!good) return;
        auto run = sized<hkpd_run>();
        auto input = sized<hkpd_input>();
        auto checked = sized<hkpd_checked>();
        auto page = sized<hkpd_page>();
        if (outcome.add(hkpd_get_run(made, 0, &run))) outcome.add(run.series_count);
        if (outcome.add(hkpd_get_input(made, &input))) outcome.add(input.samples);
        if (outcome.add(hkpd_get_checked(made, &checked))) outcome.add(checked.samples);
        if (outcome.add(hkpd_get_page(made, &page))) outcome.add(page.html, page.html_size);
        hkpd_reader* const faults = hkpd_answer_faults(made);
        for (std::size_t i = 0; i < hkpd_fault_count(faults); ++i) {
            auto fault = sized<hkpd_fault>();
            outcome.add(hkpd_get_fault(faults, i, &fault));
        }
    };
}

/// Lets allocations of a run fail: each position of few, and evenly spaced ones of many.
void expect_memory_status_or_usual_result(const Run& run) {
    constexpr std::size_t most_positions = 250;
    Outcome usual;
    run(usual);
    ASSERT_FALSE(usual.refused());
    const std::size_t before = allocations();
    {
        Outcome again;
        run(again);
    }
    const std::size_t count = allocations() - before;  // 0 if the library has another allocator: sanitizers, DLLs
    for (std::size_t position = 0; position < count; position += count / most_positions + 1)
        for (const Fails fails : {Fails::one, Fails::all}) {
            std::string found;
            bool refused = false;
            try {
                const FailingAllocations failing(position, fails);
                Outcome outcome;
                run(outcome);
                refused = outcome.refused();
                if (!refused) found = outcome.text();
            } catch (const std::bad_alloc&) {
                continue;  // of the test itself
            }
            ASSERT_TRUE(refused || found == usual.text())
                << "allocation " << position << " of " << count << " failed, and the result is another one:\n"
                << found.substr(0, 2000) << "\nexpected:\n"
                << usual.text().substr(0, 2000);
        }
}

TEST(AbiOutOfMemory, ReadingReturnsTheStatus) {
    for (const char* const name : {"captures/demo.bin", "captures/simulated.mcap", "captures/damaged.bin",
                                   "corpus/blg/raw", "corpus/text_log/csv", "captures"}) {
        SCOPED_TRACE(name);
        expect_memory_status_or_usual_result(reading(data(name)));
    }
    expect_memory_status_or_usual_result(feeding(data("captures/wine-like.bin")));
}

TEST(AbiOutOfMemory, ArrowReturnsTheStatus) {
    for (const char* const name : {"captures/demo.bin", "corpus/blg/raw"}) {
        SCOPED_TRACE(name);
        expect_memory_status_or_usual_result(streaming(data(name)));
    }
}

TEST(AbiOutOfMemory, AnswersReturnTheStatus) {
    const std::string path = data("captures/demo.bin"), rules = data("busy.xml");
    const char* const input = path.c_str();
    const auto options = sized<hkpd_answer_options>();
    auto report = sized<hkpd_report_options>();
    const auto of = [&](auto function) {
        return [=, &input, &options](hkpd_answer** answer, hkpd_error* error) {
            return function(&input, 1, nullptr, &options, answer, error);
        };
    };
    for (const Ask& ask : std::initializer_list<Ask>{of(hkpd_summary), of(hkpd_top), of(hkpd_check),
                                                     [&](hkpd_answer** answer, hkpd_error* error) {
                                                         return hkpd_compare(input, input, nullptr, &options, answer,
                                                                             error);
                                                     },
                                                     [&](hkpd_answer** answer, hkpd_error* error) {
                                                         return hkpd_overview(input, nullptr, &options, answer, error);
                                                     },
                                                     [&](hkpd_answer** answer, hkpd_error* error) {
                                                         return hkpd_report(&input, 1, nullptr, &report, answer, error);
                                                     }})
        expect_memory_status_or_usual_result(asking(ask));
}

}  // namespace out_of_memory_abi_test
}  // namespace hkpd_test
