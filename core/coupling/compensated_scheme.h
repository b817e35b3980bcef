#pragma once
#include <memory>
#include <utility>

#include "core/coupling/coupling.h"

namespace hyb {

/// A scheme whose command is made by a compensator. Tunables, adapted quantities and learnt values are those of the
/// compensator.
class CompensatedScheme : public CouplingScheme {
 public:
  /// Their fields are pointers in the project.
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> tunables = compensator_->tunables();
    for (Tunable& tunable : tunables) tunable.field = "/compensation" + tunable.field;
    return tunables;
  }
  void tune(std::size_t index, double value) noexcept override { compensator_->tune(index, value); }
  void leaveOutRates() noexcept override { compensator_->leaveOutRates(); }
  std::vector<Adapted> adapted() const override { return compensator_->adapted(); }
  void readAdapted(std::span<double> values) const noexcept override { compensator_->readAdapted(values); }
  bool endTrial(bool whole) noexcept override { return compensator_->endTrial(whole); }
  void learn() noexcept override { compensator_->learn(); }
  void adopt() noexcept override { compensator_->adopt(); }
  std::size_t learnt() const noexcept override { return compensator_->learnt(); }
  void readLearnt(std::span<double> values) const noexcept override { compensator_->readLearnt(values); }
  void setLearnt(std::span<const double> values) noexcept override { compensator_->setLearnt(values); }

 protected:
  explicit CompensatedScheme(std::unique_ptr<Compensator> compensator) : compensator_(std::move(compensator)) {}

  const std::unique_ptr<Compensator> compensator_;
};

}  // namespace hyb
