// Prometheus' text format for textfile collectors, which refuse points with times. Source: node_exporter,
// collector/textfile.go.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "write/metrics/sample_metrics.hpp"

namespace hkpd {
namespace {

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

std::unique_ptr<TextfileWriter> make_textfile_writer(const WriteOptions& options) {
    return std::make_unique<LatestText>(options);
}

}  // namespace hkpd
