#pragma once
#include "core/allocation_guard.h"

namespace hyb::test {
using hyb::AllocationGuard;
}
