#include "core/compensation/compensator.h"

namespace hyb {
namespace {

class NoCompensator final : public Compensator {
 public:
  void reset() override {}
  void restart() noexcept override {}
  void update(const InterfaceState& state, Command& command) noexcept override {
    command.position = state.target;
    command.rate = state.target_rate;
  }
};

}  // namespace

std::unique_ptr<Compensator> makeNoCompensator() { return std::make_unique<NoCompensator>(); }

}  // namespace hyb
