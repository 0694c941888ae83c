// OpenMetrics text with time stamps: counters as they are underneath, for whoever reads the text to make rates of.
#include <optional>

#include "hkpd/diagnostics.hpp"
#include "write/metrics/sample_metrics.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

class OpenMetricsWriter final : public Writer {
  public:
    explicit OpenMetricsWriter(const WriteOptions& options)
        : text_({.series = options.series, .buffer = options.buffer, .one_pass = options.one_pass}, families_),
          metrics_(options, families_) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        // What Prometheus takes in begins in 1970.
        const auto since_1970 = unix_time(sample);
        std::optional<std::int64_t> time;
        if (since_1970 && *since_1970 >= 0) time = *since_1970 / 1'000'000;
        metrics_.add(sample, selected, cooker, time, text_, out);
    }

    bool again(std::string& out) override {
        metrics_.forget_instances();  // each pass begins with the first sample
        return text_.next_pass(out);
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        text_.finish(out);
        LeftOutPoints left_out = text_.left_out();
        left_out.out_of_order += metrics_.timeless();
        left_out.report(diagnostics);
    }

  private:
    MetricFamilies families_{MetricForm::openmetrics};
    MetricText text_;
    SampleMetrics metrics_;
};

}  // namespace

std::unique_ptr<Writer> make_openmetrics_writer(const WriteOptions& options) {
    return std::make_unique<OpenMetricsWriter>(options);
}

}  // namespace hkpd
