// The command on the inputs of `data/found`, each of which once showed a fault.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace found_cli_test {

class FoundInputs : public SharedDir {
  protected:
    std::string found(const std::string& name) const { return path("data/found/" + name); }
    std::string content(const std::string& name) const { return read_file(found(name)); }
};

/// Checks that a capture gives the same from a file as from a pipe, wherever it is read from.
TEST_F(FoundInputs, CapturesOfOtherWritersAreReadFromTheMiddle) {
    for (const std::string name : {"mcap-channel-in-first-chunk.mcap", "mcap-sequence-gaps.mcap"})
        for (const std::vector<std::string>& subcommand :
             {std::vector<std::string>{"dump", "--sample", "3"}, {"replay", "--from", "2"}, {"dump"}}) {
            std::vector<std::string> file = subcommand, pipe = subcommand;
            file.push_back(found(name));
            pipe.emplace_back("-");
            const Result of_file = run(file);
            const Result of_pipe = run({.arguments = pipe, .input = content(name)});
            EXPECT_EQ(of_file.exit, 0) << name << of_file.err;
            EXPECT_EQ(of_file.err, "");
            EXPECT_NE(of_file.out, "");
            EXPECT_EQ(of_file.out, of_pipe.out) << name;
        }
}

}  // namespace found_cli_test
}  // namespace hkpd_test
