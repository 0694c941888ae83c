// The two texts of metrics: of a whole run, and of the last sample of each machine.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "write/metrics/sample_metrics.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

/// OpenMetrics text with time stamps: counters as they are underneath, for whoever reads the text to make rates of.
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

/// Prometheus' text format for textfile collectors, which refuse points with times. Source: node_exporter,
/// collector/textfile.go.
class LatestText final : public TextfileWriter {
  public:
    explicit LatestText(const WriteOptions& options) : options_(options), metrics_(options, families_) {}

    void sample(const Sample& sample, std::span<const Selected> selected, Cooker* cooker, std::string& out) override {
        forget_the_gone();
        std::string machine;
        append_machine_label(machine, sample);
        if (const auto before = latest_.find(machine); before != latest_.end()) {
            bytes_ -= before->second.bytes;
            series_ -= before->second.series;
            latest_.erase(before);
        }
        constexpr std::int64_t no_time = 0;  // none is shown
        MetricText text({options_.series - series_, options_.buffer - bytes_, true}, families_);
        metrics_.add(sample, selected, cooker, no_time, text, out);
        left_out_ += text.left_out();
        Page page{text.take(), text.bytes(), text.series()};
        if (page.lines.empty()) return;
        bytes_ += page.bytes;
        series_ += page.series;
        latest_.emplace(std::move(machine), std::move(page));
    }

    void write(std::string& out) const override {
        std::map<std::uint32_t, std::vector<const std::string*>> families;
        for (const auto& [machine, page] : latest_)
            for (const auto& [family, lines] : page.lines) families[family].push_back(&lines);
        for (const auto& [family, parts] : families) {
            out += families_[family].head;
            for (const std::string* lines : parts) out += *lines;
        }
    }

    void end(Diagnostics& diagnostics, std::string& out) override {
        write(out);
        left_out_.report(diagnostics);
    }

  private:
    /// What a machine has shown last: the lines of each family.
    struct Page {
        std::vector<std::pair<std::uint32_t, std::string>> lines;
        std::uint64_t bytes, series;
    };

    /// A service may run for years, and processes come and go all the while. The names of those that are there,
    /// `cmd#1`, may become others by this, so that it happens seldom.
    void forget_the_gone() {
        constexpr std::uint64_t few = 100'000, times = 16;
        const std::uint64_t many = std::max(few, times * series_);
        if (metrics_.instances() >= std::min(many, options_.series)) metrics_.forget_instances();
    }

    WriteOptions options_;
    MetricFamilies families_{MetricForm::prometheus};
    SampleMetrics metrics_;
    std::map<std::string, Page> latest_;    // by the label of the machine
    std::uint64_t bytes_ = 0, series_ = 0;  // of all pages
    LeftOutPoints left_out_;
};

}  // namespace

std::unique_ptr<Writer> make_openmetrics_writer(const WriteOptions& options) {
    return std::make_unique<OpenMetricsWriter>(options);
}

std::unique_ptr<TextfileWriter> make_textfile_writer(const WriteOptions& options) {
    return std::make_unique<LatestText>(options);
}

}  // namespace hkpd
