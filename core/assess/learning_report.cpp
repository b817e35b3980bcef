#include "core/assess/learning_report.h"

#include <cmath>
#include <complex>

#include "core/base/figure_text.h"
#include "core/compensation/feedback.h"
#include "core/linalg/dense.h"
#include "core/project/additions.h"
#include "core/structure/reduction.h"
#include "core/transfer/actuator_transfer.h"
#include "core/transfer/command_response.h"

namespace hyb {
namespace {

/// The specimen with its laws at their largest stiffness; laws inside the specimen are left out.
Partition inContact(Partition partition, const std::vector<SpecimenLawSpec>& laws) {
  for (const SpecimenLawSpec& spec : laws) {
    if (!spec.dof.empty()) continue;
    const Eigen::Index dof = partition.interface_in_physical[static_cast<std::size_t>(spec.interface - 1)];
    partition.physical.k.coeffRef(dof, dof) += spec.law->stiffness();
    partition.physical.c.coeffRef(dof, dof) += spec.law->damping();
  }
  return partition;
}

/// Error e = z - x per 1 m of an addition (times its scale at its level), [own axis, own axis]. With G = D_N^-1 D_P and
/// the command u = C z - B x + E w ahead of the actuators T: x = (I + T (C G + B))^-1 T E w and e = -(I + G) x (Insam
/// 2022, equations 6.11 to 6.14). E contains the hold of the addition over the tick.
class ErrorOfAddition {
 public:
  ErrorOfAddition(const Project& project, Partition partition, const PlacedAddition& addition)
      : project_(project),
        partition_(withSpecimen(std::move(partition), project.twin.specimen)),
        addition_(addition),
        entries_(velocityEntries(project, addition)),
        numerical_(partition_.numerical, partition_.interface_in_numerical),
        physical_(partition_.physical, partition_.interface_in_physical) {
    for (std::size_t i = 0; i < partition_.interface.size(); ++i) {
      taps_.push_back(project.compensation.method->taps(i));
      feedback_.push_back(feedbackOf(*project.compensation.method, i));
    }
  }

  Eigen::MatrixXcd operator()(std::complex<double> s) const {
    const auto count = static_cast<Eigen::Index>(partition_.interface.size());
    const Eigen::MatrixXcd one = Eigen::MatrixXcd::Identity(count, count),
                           g = linalg::ComplexLu(numerical_(s)).solve(physical_(s));
    Eigen::MatrixXcd t = commandResponse(partition_, project_.twin, s);
    const double link_s = project_.rig.use == RigUse::twin ? 0.0 : project_.rig.connection.delay_s;
    const double step_s = 1.0 / project_.loop.rate_hz;
    Eigen::MatrixXcd c = Eigen::MatrixXcd::Zero(count, count);
    Eigen::VectorXcd b(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      t.col(i) *= std::exp(-s * (project_.compensation.added_delay_s[i] + link_s));
      const auto axis = static_cast<std::size_t>(i);
      const std::complex<double> tick = std::exp(-s * step_s),
                                 kept = 1.0 + tick * evaluate(feedback_[axis].command, tick).value;
      c(i, i) = (taps_[axis].empty() ? 1.0 : evaluate(taps_[axis], tick).value) / kept;
      b[i] = evaluate(feedback_[axis].measured, tick).value / kept;
    }
    if (const auto system = project_.compensation.method->system()) c = system->at(s, step_s);
    const auto first = static_cast<Eigen::Index>(addition_.axes.first),
               own = static_cast<Eigen::Index>(addition_.axes.count);
    const std::complex<double> hold = (1.0 - std::exp(-s * step_s)) / (s * step_s);
    Eigen::MatrixXcd entered = hold * t.middleCols(first, own);
    for (Eigen::Index i = 0; i < own && !entries_.empty(); ++i) {
      const VelocityEntry& entry = entries_[static_cast<std::size_t>(i)];
      entered.col(i) *= entry.position_gain_per_s / (entry.position_gain_per_s + entry.rate_gain * s);
    }
    const Eigen::MatrixXcd x = linalg::ComplexLu(one + t * (c * g + Eigen::MatrixXcd(b.asDiagonal()))).solve(entered);
    return (-(one + g) * x).middleRows(first, own);
  }

 private:
  const Project& project_;
  Partition partition_;
  const PlacedAddition& addition_;
  std::vector<VelocityEntry> entries_;
  CondensedStiffness numerical_, physical_;
  std::vector<std::vector<double>> taps_;  // [i]; none: the method does not provide them
  std::vector<CommandFeedback> feedback_;  // [i]
};

void put(Json& entry, const LearningCondition& condition) {
  entry["largest"] = condition.largest;
  entry["frequency_hz"] = condition.frequency_hz;
  entry["over_frequency"] = {{"frequency_hz", condition.hz}, {"factor", condition.factors}};
}

std::string falls(const Json& condition) {
  const double largest = condition.at("largest").get<double>(), hz = condition.at("frequency_hz").get<double>();
  return std::string(largest < 1.0 ? "falls at all frequencies" : "grows") + ": by the factor " + figureText(largest) +
         " at most from one to the next, at " + figureText(hz) + " Hz";
}

}  // namespace

Json learningReport(const Project& project, const Partition& partition) {
  Json report = Json::array();
  for (const PlacedAddition& addition : additionsOf(*project.compensation.method)) {
    const AdditionContext context = additionContext(project, partition, addition);
    const auto condition = [&](const Partition& with, bool in_contact) {
      return addition.spec->learningCondition(context, ErrorOfAddition(project, with, addition), in_contact);
    };
    const Partition reduced = reduceSides(partition, project.partition.numerical, project.partition.physical);
    const std::optional<LearningCondition> free = condition(reduced, false);
    if (!free) continue;
    Json entry = {{"addition", describe(addition)}, {"at", "/compensation" + addition.field}};
    put(entry, *free);
    const bool switches = addition.spec->switchesAtContact();
    if (switches || !project.twin.laws.empty()) {
      entry["in_contact"] = Json::object();
      put(entry["in_contact"], *condition(inContact(reduced, project.twin.laws), true));
    }
    entry["switches"] = switches;
    report.push_back(std::move(entry));
  }
  return report;
}

bool learns(const Json& entry) {
  return entry.at("largest").get<double>() < 1.0 &&
         (!entry.contains("in_contact") || entry["in_contact"].at("largest").get<double>() < 1.0);
}

std::vector<std::string> learningFaults(const Json& report) {
  std::vector<std::string> sentences = learningSentences(report);
  std::size_t entry = 0;
  std::erase_if(sentences, [&](const std::string&) { return learns(report[entry++]); });
  return sentences;
}

std::vector<std::string> learningSentences(const Json& report) {
  std::vector<std::string> sentences;
  for (const Json& entry : report) {
    std::string sentence = entry.at("addition").get<std::string>() + ": the error of the trials " + falls(entry);
    if (entry.contains("in_contact"))
      sentence += (entry.at("switches").get<bool>() ? "; in contact, with the set for contact, it "
                                                    : "; with the specimen's laws at their largest stiffness it ") +
                  falls(entry["in_contact"]);
    sentence += ".";
    if (entry.at("switches").get<bool>())
      sentence += " This holds for each phase by itself, if it lasts long compared with the response of the loop.";
    if (!learns(entry)) sentence += " Learn less at such frequencies, or stop when the error rises (/loop/trials).";
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace hyb
