// Prints without CR: ctest takes the names of tests from the output of a test program, and on Linux up to the very end
// of each line.
#include <fcntl.h>
#include <io.h>

#include <cstdio>

namespace {

[[maybe_unused]] const int mode_before = _setmode(_fileno(stdout), _O_BINARY);

}  // namespace
