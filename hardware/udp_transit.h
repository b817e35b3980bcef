#pragma once
#include <algorithm>

namespace hyb {

/// Time of datagrams on their way beyond that of the fastest one of the last ten seconds. The two clocks need not
/// agree: only their difference at the fastest datagram counts, which forgets a drift after ten seconds. Real-time
/// safe.
class TransitTime {
 public:
  /// `period_s`: the send time starts again at 0 after it; 0: never.
  explicit TransitTime(double period_s = 0.0) noexcept : period_s_(period_s) {}

  /// Seconds longer on its way than the fastest one; 0 for the fastest. `sent_s`: sender's clock; `arrived_s`: ours.
  double add(double sent_s, double arrived_s) noexcept {
    if (period_s_ > 0.0) {
      if (known_ && sent_s + turned_s_ < last_sent_s_ - 0.5 * period_s_) turned_s_ += period_s_;
      sent_s += turned_s_;
      last_sent_s_ = known_ ? std::max(last_sent_s_, sent_s) : sent_s;
    }
    const double transit_s = arrived_s - sent_s;
    if (!known_ || arrived_s - since_s_ >= kWindow_s) {
      before_s_ = known_ ? fastest_s_ : transit_s;
      fastest_s_ = transit_s;
      since_s_ = arrived_s;
      known_ = true;
    }
    fastest_s_ = std::min(fastest_s_, transit_s);
    return transit_s - std::min(fastest_s_, before_s_);
  }

 private:
  static constexpr double kWindow_s = 5.0;  // this window and the one before count
  double period_s_, turned_s_ = 0.0, last_sent_s_ = 0.0;
  double fastest_s_ = 0.0, before_s_ = 0.0, since_s_ = 0.0;
  bool known_ = false;
};

}  // namespace hyb
