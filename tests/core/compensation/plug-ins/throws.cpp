// A plug-in in C++ that throws, once it has been tried out.
#include <stdexcept>

#include "hybridbench_compensator.h"

namespace {

constexpr long kWellBehaved = 2600;  // calls, beyond the 2000 of the trial
int self;
long calls;

void* create(const hyb_loop*, char*, size_t) { return &self; }
void nothing(void*) {}
void update(void*, const double* target, const double* target_rate, const double*, double* command,
            double* command_rate) {
  command[0] = target[0];
  command_rate[0] = target_rate[0];
  if (++calls > kWellBehaved) throw std::runtime_error("out of ideas");
}

}  // namespace

extern "C" const hyb_compensator* hybridbench_compensator() {
  static hyb_compensator table{};
  table.version = HYBRIDBENCH_COMPENSATOR_VERSION;
  table.name = "throws";
  table.create = create;
  table.destroy = nothing;
  table.reset = nothing;
  table.restart = nothing;
  table.update = update;
  return &table;
}
