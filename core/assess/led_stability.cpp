#include "core/assess/led_stability.h"

#include <algorithm>

#include "core/base/figure_text.h"
#include "core/coupling/led_spec.h"

namespace hyb {

std::optional<LedStability> ledStability(const Project& project, double delay_s) {
  const LedSpec* const led = ledSpec(*project.coupling);
  if (led == nullptr) return {};
  const auto ms = [](double seconds) { return figureText(1e3 * seconds) + " ms"; };
  const double tick_s = 1.0 / project.loop.rate_hz, late_s = std::max(0.0, delay_s);
  const std::string closes = "The program that leads closes the loop. ";
  if (const std::optional<int> rest = led->restTicks()) {
    const double rest_s = *rest * tick_s;
    const std::string figures = "The rig stands for " + ms(rest_s) +
                                " at a target before its values are measured, and is " + ms(late_s) + " late";
    if (rest_s < late_s)
      return LedStability{CheckState::warning, closes + figures + ": it still moves. Increase Coupling > Settle."};
    return LedStability{CheckState::ok, closes + figures + "."};
  }
  return LedStability{
      CheckState::unknown,
      closes + "Its stability with the delay of the bench is not known here: the rig is " + ms(late_s) + " late, " +
          figureText(100.0 * late_s / (led->stepTicks() * tick_s), 2) +
          " % of a step of the model. Compensation and a longer Coupling > Step reduce this share; with "
          "Coupling > Order 0 the rig is measured at rest."};
}

}  // namespace hyb
