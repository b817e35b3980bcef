#include "core/feedforward/lms_loop.h"

#include <cmath>

#include "core/linalg/eigen.h"

namespace hyb {

// phi = psi e^{j w t}, [re, im] for each axis:  phi_k = rotation phi_{k-1} - gain conj(H)^T g_k,  u_k = sum of re.
double lmsGrowth(const GapModel& model, const std::vector<LmsHarmonic>& harmonics) {
  const Eigen::Index states = model.a.rows(), axes = model.b.cols(), each = 2 * axes,
                     size = states + each * static_cast<Eigen::Index>(harmonics.size());
  Eigen::MatrixXd loop = Eigen::MatrixXd::Zero(size, size);
  loop.topLeftCorner(states, states) = model.a;
  for (std::size_t h = 0; h < harmonics.size(); ++h) {
    const LmsHarmonic& harmonic = harmonics[h];
    const Eigen::Index at = states + each * static_cast<Eigen::Index>(h);
    const double c = std::cos(harmonic.w * model.step_s), s = std::sin(harmonic.w * model.step_s);
    for (Eigen::Index a = 0; a < axes; ++a) {
      const Eigen::Index re = at + 2 * a, im = re + 1;
      loop(re, re) = loop(im, im) = c;
      loop(re, im) = -s;
      loop(im, re) = s;
      loop.row(re).head(states) = -harmonic.gain * harmonic.response.col(a).real().transpose() * model.c;
      loop.row(im).head(states) = harmonic.gain * harmonic.response.col(a).imag().transpose() * model.c;
      loop.topRows(states) += model.b.col(a) * loop.row(re);
    }
  }
  return std::log(linalg::eigenvalues(loop).cwiseAbs().maxCoeff()) / model.step_s;
}

double largestLmsFactor(const GapModel& model, std::vector<LmsHarmonic> harmonics) {
  const std::vector<LmsHarmonic> given = harmonics;
  return largestStableFactor([&](double factor) {
    for (std::size_t h = 0; h < harmonics.size(); ++h) harmonics[h].gain = factor * given[h].gain;
    return lmsGrowth(model, harmonics) < 0.0;
  });
}

}  // namespace hyb
