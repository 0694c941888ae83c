// ctest takes the names of tests from what a test program prints, and on Linux each line of it to its very end.
#include <fcntl.h>
#include <io.h>

#include <cstdio>

namespace {

[[maybe_unused]] const int mode_before = _setmode(_fileno(stdout), _O_BINARY);

}  // namespace
