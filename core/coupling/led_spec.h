#pragma once
#include <optional>
#include <utility>

#include "core/coupling/coupling_spec.h"
#include "core/rig/address.h"

namespace hyb {

/// A configured scheme of a test that another program leads (LedScheme). That program computes the NS and closes the
/// loop. The bench only knows its own part: how late the rig is, and when the values are measured.
class LedSpec : public CouplingSpec {
 public:
  explicit LedSpec(SiteSpec site) : site_(std::move(site)) {}
  const SiteSpec* site() const noexcept override { return &site_; }
  /// From one target to the next at the earliest, in ticks.
  virtual int stepTicks() const noexcept = 0;
  /// At rest at a target before its values are measured, in ticks; none: they are measured in motion.
  virtual std::optional<int> restTicks() const noexcept = 0;
  void check(std::size_t /*interfaces*/, const IntegratorSpec& /*integrator*/, Checks& checks) const override {
    checks.collect([&] { parseAddress(site_.listen, "/listen"); });
  }

 protected:
  SiteSpec site_;
};
/// Null: the bench computes the NS itself.
inline const LedSpec* ledSpec(const CouplingSpec& coupling) noexcept { return dynamic_cast<const LedSpec*>(&coupling); }

}  // namespace hyb
