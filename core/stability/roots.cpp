#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "core/base/numbers.h"
#include "core/stability/characteristic.h"
#include "core/structure/modes.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

constexpr double kApart = 1e-5;  // of the cut-off
constexpr const char* kUncounted = "The roots of the delayed loop could not be counted; choose another cut-off.";

/// The contour contains a root, or is too close to one for a reliable phase.
struct RootOnContour {};

struct Rectangle {
  double left, right, bottom, top;
  Complex centre() const { return {0.5 * (left + right), 0.5 * (bottom + top)}; }
  double size() const { return std::max(right - left, top - bottom); }
  bool contains(Complex s) const {
    return s.real() >= left && s.real() <= right && s.imag() >= bottom && s.imag() <= top;
  }
};

/// Roots of an entire function in a rectangle, by the argument principle and bisection. Source: P. Kravanja, M. Van
/// Barel, Computing the zeros of analytic functions, Lecture Notes in Mathematics 1727 (2000), ch. 1.
class RootFinder {
 public:
  RootFinder(const Characteristic& f, double scale) : f_(f), scale_(scale) {}

  /// The simple roots that Newton's method finds from these starts.
  std::vector<Complex> polished(const std::vector<Complex>& starts) const {
    std::vector<Complex> known;
    for (const Complex start : starts)
      if (const std::optional<Complex> root = descend(start, known))
        if (std::none_of(known.begin(), known.end(), [&](Complex other) { return near(*root, other); }))
          known.push_back(*root);
    return known;
  }

  /// Number of roots inside. Throws RootOnContour.
  int count(const Rectangle& r) const {
    const Complex corners[] = {{r.left, r.bottom}, {r.right, r.bottom}, {r.right, r.top}, {r.left, r.top}};
    double phase = 0.0;
    for (std::size_t i = 0; i < 4; ++i) phase += edgePhase(corners[i], corners[(i + 1) % 4]);
    const double turns = phase / kTwoPi;
    if (std::abs(turns - std::round(turns)) > 0.05) throw RootOnContour{};
    return static_cast<int>(std::lround(turns));
  }

  /// Adds the `expected` roots inside, with multiplicity: by Newton's method if it finds all of them, otherwise in two
  /// parts. `known`: simple roots found so far, here and elsewhere.
  void collect(const Rectangle& r, int expected, std::vector<Complex>& known, std::vector<Complex>& roots) const {
    if (expected == 0) return;
    if (hunt(r, expected, known)) {
      std::copy_if(known.begin(), known.end(), std::back_inserter(roots),
                   [&](Complex root) { return r.contains(root); });
      return;
    }
    // Rounding spreads a double root by the root of its relative error: closer roots count as one.
    if (r.size() < std::max(1e-7 * std::abs(r.centre()), 1e-10 * scale_)) return merge(r, expected, roots);
    for (const double share : {0.5, 0.46, 0.55, 0.41, 0.61}) {  // another split if a root is on this one
      Rectangle first = r, second = r;
      if (r.right - r.left > r.top - r.bottom)
        first.right = second.left = r.left + share * (r.right - r.left);
      else
        first.top = second.bottom = r.bottom + share * (r.top - r.bottom);
      try {
        const int in_first = count(first), in_second = count(second);
        if (in_first < 0 || in_second < 0 || in_first + in_second != expected) continue;
        collect(first, in_first, known, roots);
        collect(second, in_second, known, roots);
        return;
      } catch (const RootOnContour&) {
      }
    }
    if (r.size() < 1e-5 * scale_) return merge(r, expected, roots);  // triple and higher roots spread further
    throw std::runtime_error("The roots of the delayed loop could not be separated; choose another cut-off.");
  }

 private:
  /// Searches the unknown ones of the `expected` roots inside by Newton's method from all over the rectangle, with the
  /// known ones removed (deflation: F'/F minus the sum of 1 / (s - root)). False if it does not find exactly these
  /// roots, all simple and separate.
  bool hunt(const Rectangle& r, int expected, std::vector<Complex>& known) const {
    auto missing = expected - std::count_if(known.begin(), known.end(), [&](Complex root) { return r.contains(root); });
    const double right = r.left < 0.0 ? std::min(r.right, 0.0) : r.right;  // few roots are far to the right
    const int row = static_cast<int>(missing) + 1;
    for (const double share : {0.02, 0.5, 0.2, 0.8})
      for (int i = 0; i < row && missing > 0; ++i) {
        const Complex start(right + share * (r.left - right), r.bottom + (i + 0.5) / row * (r.top - r.bottom));
        const std::optional<Complex> root = descend(start, known);
        if (!root) continue;
        if (std::any_of(known.begin(), known.end(), [&](Complex other) { return near(*root, other); })) return false;
        known.push_back(*root);
        missing -= r.contains(*root);
      }
    return missing == 0;
  }
  /// Too close to be separated without counting.
  bool near(Complex a, Complex b) const { return std::abs(a - b) < kApart * scale_; }

  /// One multiple root.
  void merge(const Rectangle& r, int expected, std::vector<Complex>& roots) const {
    Complex root = polish(r.centre(), expected);
    // A single root on a clamped mode cancels with a pole: its box is less accurate than the root itself.
    const bool alike = expected == 1 && std::abs(root - r.centre()) < 1e-5 * scale_;
    if (!alike && !r.contains(root)) root = r.centre();
    if (r.bottom <= 0.0 && r.top >= 0.0) root.imag(0.0);  // for clustered real roots
    roots.insert(roots.end(), static_cast<std::size_t>(expected), root);
  }

  double edgePhase(Complex a, Complex b) const {
    // Starts with pieces that are short relative to the delay; then as short as the function requires.
    const double turns = std::abs((b - a).imag()) * f_.delay().sum();
    const int pieces = static_cast<int>(std::min(8.0 + 2.0 * turns, 1e6));
    double phase = 0.0;
    Complex from = a;
    Characteristic::Value at_from = f_.at(a);
    for (int i = 1; i <= pieces; ++i) {
      const Complex to = a + (b - a) * (static_cast<double>(i) / pieces);
      const Characteristic::Value at_to = f_.at(to);
      phase += piecePhase(from, at_from, to, at_to, 0);
      from = to;
      at_from = at_to;
    }
    return phase;
  }

  double piecePhase(Complex a, const Characteristic::Value& at_a, Complex b, const Characteristic::Value& at_b,
                    int depth) const {
    const double change = std::arg(at_b.direction * std::conj(at_a.direction));
    const double steepest = std::max(std::abs(at_a.log_derivative), std::abs(at_b.log_derivative));
    const double foreseen = (0.5 * (at_a.log_derivative + at_b.log_derivative) * (b - a)).imag();
    if (std::abs(b - a) * steepest < 1.0 && std::abs(change - foreseen) < 0.2) return change;
    if (depth == 30 || !std::isfinite(steepest)) throw RootOnContour{};
    const Complex middle = 0.5 * (a + b);
    const Characteristic::Value at_middle = f_.at(middle);
    return piecePhase(a, at_a, middle, at_middle, depth + 1) + piecePhase(middle, at_middle, b, at_b, depth + 1);
  }

  /// An unknown root; none if the iteration does not converge.
  std::optional<Complex> descend(Complex s, const std::vector<Complex>& known) const {
    for (int i = 0; i < 40; ++i) {
      Complex slope = f_.at(s).log_derivative;
      if (!std::isfinite(std::abs(slope))) break;
      for (const Complex root : known) slope -= 1.0 / (s - root);
      Complex step = 1.0 / slope;
      if (!std::isfinite(std::abs(step))) return std::nullopt;
      if (std::abs(step) > 0.2 * scale_) step *= 0.2 * scale_ / std::abs(step);
      s -= step;
      if (std::abs(step) < 1e-9 * scale_) break;
      if (!(std::abs(s) < 20.0 * scale_)) return std::nullopt;
    }
    const Complex root = polish(s, 1);
    // The last steps omit deflation: they must not lead to another root. If zero and pole of a clamped mode cancel,
    // rounding looks like a root: it is one if the count confirms it.
    if (!near(root, s)) return std::nullopt;
    const double around = 2.0 * kApart * scale_;
    try {
      if (count({root.real() - around, root.real() + around, root.imag() - around, root.imag() + around}) == 1)
        return root;
    } catch (const RootOnContour&) {
    }
    return std::nullopt;
  }

  Complex polish(Complex s, int multiplicity) const {
    for (int i = 0; i < 60; ++i) {
      const Complex slope = f_.at(s).log_derivative;
      const Complex step = std::isfinite(std::abs(slope)) ? static_cast<double>(multiplicity) / slope : Complex{};
      s -= step;
      if (std::abs(step) < 1e-13 * scale_ || !std::isfinite(std::abs(s))) break;
    }
    return s;
  }

  const Characteristic& f_;
  double scale_;
};

/// Estimate of the root positions from the modes without delay.
struct ModalGuess {
  std::vector<Complex> roots;  // up to the cut-off
  /// Twice the largest decay rate of the modes below the cut-off; for (nearly) undamped ones a tenth of the first mode.
  /// Excludes overdamped modes beyond it: stiffness-proportional damping clusters dozens of them.
  double left;
};

ModalGuess modalGuess(const DelaySystem& system, double cutoff_hz) {
  const Modes reference = modes(system.partition.reference);
  const Eigen::ArrayXd omega = kTwoPi * reference.frequency_hz.array();
  ModalGuess guess;
  double decay = 0.05 * omega[0], creep = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < omega.size(); ++i) {
    const double ratio = reference.damping_ratio[i];
    if (ratio > 1.0 && reference.frequency_hz[i] > cutoff_hz)
      creep = std::min(creep, omega[i] / (ratio + std::sqrt(ratio * ratio - 1.0)));
    const double turned = std::sqrt(std::abs(1.0 - ratio * ratio));
    if (ratio <= 1.0) guess.roots.push_back(omega[i] * Complex(-ratio, turned));
    if (ratio > 1.0)
      for (const double rate : {1.0 / (ratio + turned), ratio + turned})
        guess.roots.emplace_back(-omega[i] * rate, 0.0);
    if (reference.frequency_hz[i] <= cutoff_hz) decay = std::max(decay, ratio * omega[i]);
  }
  guess.left = std::max(1.1 * decay, std::min(2.0 * decay, 0.9 * creep));
  const double top = kTwoPi * cutoff_hz;
  std::erase_if(guess.roots, [&](Complex root) { return root.imag() > top || root.real() < -guess.left; });
  return guess;
}

struct Found {
  std::vector<Complex> roots;
  double left;  // border of the region, -1/s
};

Found findRoots(const DelaySystem& system, const Characteristic& f, double cutoff_hz) {
  const double top = kTwoPi * cutoff_hz;
  const RootFinder finder(f, top);
  // e^{-s tau} stays below e^20 at the border: further left, delay adds more and more irrelevant roots.
  const double furthest = std::min(10.0 * top, 20.0 / std::max(f.delay().maxCoeff(), 1e-12));

  std::vector<Complex> roots;
  const ModalGuess guess = modalGuess(system, cutoff_hz);
  double left = std::min(guess.left, furthest);
  for (int attempt = 0; attempt < 12; ++attempt) {
    // Odd shares keep the contour off round numbers; each attempt shifts it outward.
    const double shift = 1e-3 * top * (1.0 + 0.37 * attempt);
    const Rectangle r{-left - shift, 10.0 * top + shift, -shift, top + shift};
    int expected = 0;
    try {
      expected = finder.count(r);
      roots.clear();
      std::vector<Complex> known = finder.polished(guess.roots);
      finder.collect(r, expected, known, roots);
    } catch (const RootOnContour&) {
      continue;
    }
    // Roots in the strip added by the shift are counted, but not returned. Real roots are real.
    for (Complex& root : roots)
      if (std::abs(root.imag()) < 1e-9 * top) root.imag(0.0);
    std::erase_if(roots, [&](Complex root) { return root.imag() < 0.0 || root.imag() > top || root.real() < -left; });
    if (!roots.empty() || left >= furthest) {
      std::sort(roots.begin(), roots.end(),
                [](Complex a, Complex b) { return a.real() != b.real() ? a.real() > b.real() : a.imag() < b.imag(); });
      return {roots, left};
    }
    left = std::min(2.0 * left, furthest);
  }
  throw std::runtime_error(kUncounted);
}

/// Roots with Im(s) from 0 to the cut-off, right of -left. The contour avoids the known roots on its borders.
int countRegion(const Characteristic& f, const Found& found, double cutoff_hz) {
  const double top = kTwoPi * cutoff_hz;
  double lowest = top;  // of the roots off the real axis: excludes their mirror images
  for (const Complex root : found.roots)
    if (root.imag() > 0.0) lowest = std::min(lowest, root.imag());
  for (const double share : {0.5, 0.3, 0.17}) {
    const double below = share * std::min(lowest, 1e-3 * top);
    try {
      return RootFinder(f, top).count({-found.left, 10.0 * top, -below, top});
    } catch (const RootOnContour&) {
    }
  }
  throw std::runtime_error(kUncounted);
}

}  // namespace

bool provenStable(const DelaySystem& system, double cutoff_hz) {
  requireSound(system, 0.0, cutoff_hz);
  const DelaySystem small = condensedFor(system, cutoff_hz);
  const ModalGuess guess = modalGuess(small, cutoff_hz);
  double slowest = guess.left;
  for (const Complex root : guess.roots) slowest = std::min(slowest, -root.real());
  if (!(slowest > 0.0)) return false;
  const double top = kTwoPi * cutoff_hz, shift = 1e-3 * top;
  try {
    const Characteristic f(small, 0.0);
    return RootFinder(f, top).count({-0.5 * slowest, 10.0 * top, -shift, top + shift}) == 0;
  } catch (const RootOnContour&) {
    return false;
  }
}

std::vector<Complex> rightmostRoots(const DelaySystem& system, double delay_s, double cutoff_hz) {
  requireSound(system, delay_s, cutoff_hz);
  const DelaySystem small = condensedFor(system, cutoff_hz);
  return findRoots(small, Characteristic(small, delay_s), cutoff_hz).roots;
}

Roots countedRoots(const DelaySystem& system, double delay_s, double cutoff_hz) {
  requireSound(system, delay_s, cutoff_hz);
  const DelaySystem small = condensedFor(system, cutoff_hz);
  const Characteristic f(small, delay_s);
  Found found = findRoots(small, f, cutoff_hz);
  const int counted = countRegion(f, found, cutoff_hz);
  return {std::move(found.roots), counted};
}

}  // namespace hyb
