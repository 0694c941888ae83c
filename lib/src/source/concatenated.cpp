#include <numeric>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"

namespace hkpd {
namespace {

class SourceChain final : public Source {
  public:
    explicit SourceChain(std::vector<std::unique_ptr<Source>> sources) : sources_(std::move(sources)) {}

    std::optional<Record> next(Diagnostics& diagnostics) override {
        for (; at_ < sources_.size(); ++at_)
            if (const auto record = sources_[at_]->next(diagnostics)) return record;
        return std::nullopt;
    }

    std::uint64_t skipped_samples() const noexcept override {
        return std::accumulate(
            sources_.begin(), sources_.end(), std::uint64_t{0},
            [](std::uint64_t sum, const std::unique_ptr<Source>& source) { return sum + source->skipped_samples(); });
    }

  private:
    std::vector<std::unique_ptr<Source>> sources_;
    std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<Source> chain(std::vector<std::unique_ptr<Source>> sources) {
    return std::make_unique<SourceChain>(std::move(sources));
}

}  // namespace hkpd
