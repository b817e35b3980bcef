#include "core/base/version.h"

namespace hyb {

std::string programVersion() { return HYB_VERSION; }

}  // namespace hyb
