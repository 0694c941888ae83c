#include "forms.hpp"

namespace hkpd {

std::unique_ptr<Writer> make_pdh_writer(Format /*format*/, const WriteOptions& options) {
    return make_table_writer(options);
}

}  // namespace hkpd
