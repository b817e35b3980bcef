#include "core/rig/wiring.h"

#include <cmath>
#include <cstdio>

namespace hyb {
namespace {

constexpr double kStandardErrors = 5.0;  // multiple of the standard error above which a change is significant
constexpr double kLeastShare = 0.1;      // share of the commanded motion below which there is no answer
constexpr double kLeastForce_n = 1e-6;   // smaller values are rounding
constexpr double kClearly = 1.5;         // ratio of the stronger answer
constexpr double kLowGain = 0.7, kHighGain = 1.4;

std::string percentText(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100.0 * share);
  return text;
}

/// Responses of one channel to all moves.
struct Answers {
  const std::vector<WiringMove>& moves;
  std::size_t channel;
  double at(std::size_t move) const { return moves[move].answer[channel]; }
  bool heard(std::size_t move, double least) const {
    const double size = std::abs(at(move));
    return size > least && size > kStandardErrors * moves[move].uncertainty[channel];
  }
};

class Judge {
 public:
  Judge(const std::vector<ChannelSpec>& channels, const std::vector<WiringMove>& moves)
      : channels_(channels), moves_(moves) {}

  std::vector<WiringFinding> all() const {
    std::vector<WiringFinding> findings;
    for (std::size_t own = 0; own < moves_.size(); ++own)
      for (std::size_t c = 0; c < channels_.size(); ++c) {
        if (channels_[c].interface != moves_[own].interface) continue;
        if (channels_[c].role == ChannelRole::displacement) findings.push_back(displacement(c, own));
        if (channels_[c].role == ChannelRole::force) findings.push_back(force(c, own));
      }
    return findings;
  }

 private:
  WiringFinding finding(std::size_t channel, WiringVerdict verdict, const std::string& says, int answers_to = 0) const {
    return {channel, verdict, answers_to, channels_[channel].name + " " + says};
  }
  std::string axis(std::size_t move) const { return "interface " + std::to_string(moves_[move].interface); }

  WiringFinding displacement(std::size_t channel, std::size_t own) const {
    const Answers answers{moves_, channel};
    std::size_t best = own;
    for (std::size_t k = 0; k < moves_.size(); ++k)
      if (std::abs(answers.at(k)) > kClearly * std::abs(answers.at(best))) best = k;
    const auto heard = [&](std::size_t k) { return answers.heard(k, kLeastShare * moves_[k].amplitude_m); };
    if (best != own && heard(best))
      return finding(channel, WiringVerdict::swapped,
                     "follows " + axis(best) + " and not " + axis(own) +
                         ": swap the two sensors, or the two actuators, or their channels.",
                     moves_[best].interface);
    if (!heard(own))
      return finding(
          channel, WiringVerdict::silent,
          "does not answer when " + axis(own) + " moves: check its cable and supply, and that the actuator moved.");
    const double share = answers.at(own) / moves_[own].amplitude_m;
    if (share < 0.0)
      return finding(channel, WiringVerdict::reversed,
                     "runs against the command of " + axis(own) +
                         ": reverse this sensor, or the actuator, whichever does not count positive along the axis.");
    if (share < kLowGain || share > kHighGain)
      return finding(channel, WiringVerdict::wrong_gain,
                     "reads " + percentText(share) + " of the commanded motion of " + axis(own) +
                         ": check its gain and that of the command.");
    return finding(channel, WiringVerdict::right,
                   "follows " + axis(own) + ", " + percentText(share) + " of the command.");
  }

  /// True if the specimen resists its motion.
  bool pushesBack(std::size_t channel, std::size_t move) const {
    return Answers{moves_, channel}.heard(move, kLeastForce_n) && moves_[move].answer[channel] < 0.0;
  }

  WiringFinding force(std::size_t channel, std::size_t own) const {
    const Answers answers{moves_, channel};
    std::size_t best = own;  // the move with the largest resistance
    for (std::size_t k = 0; k < moves_.size(); ++k)
      if (answers.at(k) < answers.at(best)) best = k;
    const bool heard = answers.heard(own, kLeastForce_n);
    if (best == own && pushesBack(channel, own))
      return finding(channel, WiringVerdict::right, "pushes back when " + axis(own) + " moves.");
    if (heard && answers.at(own) < 0.0 && answers.at(best) > kClearly * answers.at(own))
      return finding(channel, WiringVerdict::right, "pushes back when " + axis(own) + " moves.");
    const bool other = best != own && pushesBack(channel, best);
    if (!heard && !other)
      return finding(
          channel, WiringVerdict::silent,
          "does not answer when " + axis(own) +
              " moves slowly: right for a specimen without stiffness, otherwise check its cable and supply.");
    const double ratio = other ? std::abs(answers.at(best)) / std::max(1e-300, std::abs(answers.at(own))) : 0.0;
    const bool partner_wrong = other && !partnerRight(best);
    if (other && (ratio > kClearly || (ratio > 1.0 / kClearly && partner_wrong)))
      return finding(channel, WiringVerdict::swapped,
                     "answers " + axis(best) + " as its own" +
                         (ratio > kClearly ? std::string(": swap the two force sensors or their channels.")
                                           : ": the two force sensors are swapped, or both are reversed."),
                     moves_[best].interface);
    return finding(channel, WiringVerdict::reversed,
                   "pushes along when " + axis(own) +
                       " moves: reverse it; the force counts as that of the specimen on the computed side.");
  }

  /// True if the force sensor of the axis moved in `move` shows the resistance.
  bool partnerRight(std::size_t move) const {
    for (std::size_t c = 0; c < channels_.size(); ++c)
      if (channels_[c].role == ChannelRole::force && channels_[c].interface == moves_[move].interface)
        return pushesBack(c, move);
    return true;
  }

  const std::vector<ChannelSpec>& channels_;
  const std::vector<WiringMove>& moves_;
};

}  // namespace

std::vector<WiringFinding> judgeWiring(const std::vector<ChannelSpec>& channels, const std::vector<WiringMove>& moves) {
  return Judge(channels, moves).all();
}

}  // namespace hyb
