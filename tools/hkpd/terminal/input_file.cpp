#include "terminal/input_file.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "source/whole_file.hpp"

namespace hkpd::command {

bool exists(const std::string& path) { return is_there(path); }

bool is_file(const std::string& path) { return is_regular_file(path); }

bool are_same_file(const std::string& path, const std::string& other) {
    std::error_code error;
    return std::filesystem::equivalent(path_of(path), path_of(other), error);
}

bool is_stored(const std::string& path) { return is_file(path) || is_directory(path); }

std::string file_name(const std::string& path) { return path_text(path_of(path).filename()); }

std::expected<std::string, std::string> read_file(const std::string& path) {
    std::string content;
    if (std::string wrong = read_whole(path, content); !wrong.empty()) return std::unexpected(std::move(wrong));
    return content;
}

std::string read_answer() {
    std::string answer;
    std::getline(standard_input(), answer);
    return answer;
}

InputStart::InputStart() : place_(standard_input().tellg()) { standard_input().clear(); }

void InputStart::go_back() const {
    standard_input().clear();
    standard_input().seekg(place_);
}

}  // namespace hkpd::command
