#include "core/fidelity/expression.h"

#include <cstdint>
#include <cstdlib>

#include "core/base/error.h"

/// A user's expression: a number of the channels, or an InputError that names the column.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  try {
    const Expression expression(std::string(reinterpret_cast<const char*>(data), size), "/quantity");
    volatile double value = expression.value([](const std::string& name) {
      return name.size() % 3 == 0 ? std::vector<double>()
                                  : std::vector<double>{1.0, -2.0, static_cast<double>(name.size())};
    });
    (void)value;
    if (Expression(expression.text(), "/quantity").channels() != expression.channels()) std::abort();
  } catch (const InputError& error) {
    if (error.issues().empty()) std::abort();
  }
  return 0;
}
