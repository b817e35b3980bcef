// A driver in C++ that lets an exception out of its third exchange.
#include <cmath>
#include <stdexcept>

#include "hybridbench_driver.h"

/* clang-format off */
HYBRIDBENCH_DRIVER_DESCRIPTION({
  "title": "Throws",
  "channels": [
    {"name": "out", "direction": "output"},
    {"name": "in", "direction": "input"}
  ]
})
/* clang-format on */

namespace {

int exchanges = 0;

void* openIt(const hyb_request*, double, char*, std::size_t) { return &exchanges; }
int arm(void*) { return HYB_OK; }
int exchange(void*, const double*, double* inputs, double) {
  if (++exchanges == 3) throw std::runtime_error("out of cards");
  inputs[0] = 1.0;
  return HYB_OK;
}
int stop(void*) { return HYB_STOP_CONFIRMED; }
void closeIt(void*) {}
const char* lastError(void*) { return ""; }

}  // namespace

const hyb_driver* hybridbench_driver() {
  static const hyb_driver driver = {openIt, arm, exchange, stop, closeIt, lastError};
  return &driver;
}
