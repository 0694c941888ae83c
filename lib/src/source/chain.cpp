// Inputs together: several sources, one after another.
#include <algorithm>
#include <filesystem>
#include <istream>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "hkpd/source.hpp"

namespace hkpd {
namespace {

class SourceChain final : public Source {
  public:
    explicit SourceChain(std::vector<std::unique_ptr<Source>> sources) : sources_(std::move(sources)) {}

    Position position() override {
        Position all;
        for (const auto& source : sources_) {
            const Position part = source->position();
            if (part.size == 0) return {};
            all.read += part.read;
            all.size += part.size;
        }
        return all;
    }

    std::optional<Span> span() override {
        std::optional<Span> all;
        for (const auto& source : sources_) {
            const auto one = source->span();
            if (!one) return std::nullopt;
            all = all ? Span{std::min(all->first, one->first), std::max(all->last, one->last)} : *one;
        }
        return all;
    }
    void seek(const Range& range, std::uint32_t input, std::uint64_t first) override {
        if (at_ < sources_.size()) sources_[at_]->seek(range, input, first);
    }
    std::uint64_t count_passed() override {
        std::uint64_t passed = 0;
        for (const auto& source : sources_) passed += source->count_passed();
        return passed;
    }

    std::optional<Record> next(Diagnostics& diagnostics) override {
        for (; at_ < sources_.size(); ++at_)
            if (const auto record = sources_[at_]->next(diagnostics)) return record;
        return std::nullopt;
    }

  private:
    std::vector<std::unique_ptr<Source>> sources_;
    std::size_t at_ = 0;
};

}  // namespace

bool are_repeatable(const std::vector<std::string>& paths) {
    return std::ranges::all_of(paths, [](const std::string& path) {
        if (path == "-") return standard_input().tellg() != std::istream::pos_type(-1);
        std::error_code error;
        const auto type = std::filesystem::status(path_of(path), error).type();
        return type != std::filesystem::file_type::fifo && type != std::filesystem::file_type::character;
    });
}

std::unique_ptr<Source> open_inputs(std::vector<std::string> files, const V2Files& v2, const Limits& limits,
                                    Subdirectories subdirectories, LogZones log_zones, TextEncoding encoding) {
    std::vector<std::unique_ptr<Source>> sources;
    if (!v2.registrations.empty()) sources.push_back(open_v2_files({.registrations = v2.registrations}, limits));
    if (!files.empty())
        sources.push_back(
            open_files(std::move(files), limits, subdirectories, std::move(log_zones), std::move(encoding)));
    if (!v2.blocks.empty())
        sources.push_back(open_v2_files({.blocks = v2.blocks, .identifiers = v2.identifiers}, limits));
    return sources.size() == 1 ? std::move(sources.front()) : chain(std::move(sources));
}

std::unique_ptr<Source> chain(std::vector<std::unique_ptr<Source>> sources) {
    return std::make_unique<SourceChain>(std::move(sources));
}

}  // namespace hkpd
