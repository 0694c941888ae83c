#include "forms.hpp"

namespace hkpd {

std::unique_ptr<Writer> make_openmetrics_writer(const WriteOptions& options) { return make_table_writer(options); }

}  // namespace hkpd
