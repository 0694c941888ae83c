// make_vista_log FILE: writes the log of tests/support/vista_log.hpp, for tests without the real one.
#include <fstream>

#include "support/vista_log.hpp"

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const std::string log = hkpd_test::vista_log();
    std::ofstream file(argv[1], std::ios::binary);
    file.write(log.data(), static_cast<std::streamsize>(log.size())).flush();
    return file ? 0 : 3;
}
