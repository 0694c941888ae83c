// The cases, by subject.
#pragma once

namespace bench {

void add_decode_cases();
void add_sample_cases();
void add_writer_cases();
void add_capture_cases();
void add_log_cases();

}  // namespace bench
