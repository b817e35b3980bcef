#pragma once
#include <Eigen/Core>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/coupling/sweep_reference.h"
#include "core/harmonic/moving_side.h"
#include "core/structure/partition.h"
#include "core/transfer/sensor_filter.h"

namespace hyb {

class CondensedStiffness;
struct FixtureParams;

/// A harmonic force on the computed side: amplitude times cos(harmonic w t + phase).
struct BalanceLoad {
  std::string dof;
  double amplitude = 0.0, phase_deg = 0.0;  // N (N m)
  int harmonic = 1;
};

/// Known properties of a sensor, to correct its effect on a harmonic.
struct BalanceChannel {
  std::string sensor;                // of the partition, by name
  std::vector<LowPassSpec> filters;  // applied to it
  double delay_s = 0.0;
};

/// The specimen between interface and gauges as a beam.
struct BalanceBeam {
  double mass_kg_per_m = 0.0, bending_stiffness_n_m2 = 0.0;  // mass 0: inertia before a gauge is neglected
};

struct BalanceModelSettings {
  std::vector<int> harmonics{1};  // ascending, >= 1
  std::vector<double> frequencies_hz;
  std::vector<BalanceLoad> loads;
  bool of_forces = true;  // true: the residual is the missing force divided by the load; false: a displacement, m
  double length_m = 1.0;  // converts rotations and moments to displacements and forces
  std::vector<BalanceChannel> channels;
  BalanceBeam beam;
  bool moves = false;  // the single frequency can be moved
};

/// Equations of a periodic test, for each frequency and harmonic: interface motion U and force f of the PS on the NS in
/// the DOF of the cut, such that
///   R_F = D_N(j k w) U - F - f = 0,   or  R = D_N^-1 R_F,
/// D_N and F: dynamic stiffness and load of the computed side, condensed on the interface. Amplitudes are complex: psi
/// of the signal Re(psi e^{j k w t}).
/// U and f follow from the sensor readings, each corrected for its lag. A gauge reads a bending moment at a distance d
/// from the interface: as a sum of interface forces its terms are -d and 1, times one factor. This holds for a beam at
/// rest; a moving beam adds the inertia before the gauge,
///   m <- m - mu (k w)^2 (u d^2/2 + phi d^3/6 + kappa d^4/24),   kappa = m(0)/EI, from uncorrected values.
/// An accelerometer reads -(k w)^2 times the motion. A rigid fixture between load cells and specimen, of mass M and on
/// springs K, is removed by its dynamics: f <- f + (K - (k w)^2 M) U. The inertia uses only accelerometers if they
/// determine all of it: their readings contain the steps of a held command, like those of the load cells.
/// Source: A. Vizzaccaro et al., Iterative method for real-time hybrid testing, eq. 19 and 22 to 24.
class BalanceModel {
 public:
  /// Throws InputError with places in the project. `partition`: in actuator axes, not reduced. Sensors and force
  /// sensors of the partition; none: one for each axis. `fixture`: to be removed from the forces; or null.
  BalanceModel(const BalanceModelSettings& settings, const Partition& partition, const Reduction& numerical,
               std::span<const InterfaceAxis> sensors, std::span<const InterfaceAxis> force_sensors,
               const FixtureParams* fixture = nullptr);

  /// The uncut structure under the loads of the sweep, U = (D_N + D_P)^-1 F and f = D_N U - F, with D_P of the specimen
  /// model: at so many evenly spaced frequencies, and at those of the sweep. Throws as the constructor.
  static SweepReference assembled(const BalanceModelSettings& settings, const Partition& partition,
                                  const PartitionSpec& cut, std::size_t points);

  const Eigen::MatrixXd& toAxes() const noexcept {
    return to_axes_;
  }  // [i, i]: from motion of the cut to motion of the axes
  std::size_t points() const noexcept { return points_.size(); }
  double frequency_hz(std::size_t point) const noexcept { return points_[point].frequency_hz; }
  Eigen::Index harmonics() const noexcept { return static_cast<Eigen::Index>(orders_.size()); }
  int order(Eigen::Index h) const noexcept { return orders_[static_cast<std::size_t>(h)]; }
  /// DOF of the cut, [i].
  const std::vector<Dof>& dofs() const noexcept { return dofs_; }
  bool ofForces() const noexcept { return of_forces_; }
  /// Number of readings: motions first, then forces.
  Eigen::Index readings() const noexcept { return motion_readings_ + force_map_.cols(); }
  Eigen::Index motionReadings() const noexcept { return motion_readings_; }

  /// Sets the factor of the loads, above 0; the residual is divided by them. Real-time safe, as all following
  /// functions.
  void setLevel(double level) noexcept { level_ = residual_over_ = level; }
  /// Evaluates the harmonics of the readings [readings, h] at a point.
  void evaluate(std::size_t point, const Eigen::MatrixXcd& readings) noexcept;
  /// Evaluates motion and force directly, [i, h], at the only point.
  void evaluate(const Eigen::MatrixXcd& motion, const Eigen::MatrixXcd& force) noexcept;
  const Eigen::VectorXd& residual() const noexcept { return residual_; }  // [2 i h], scaled, in pairs
  /// Motion and force on the PS side of the cut, and the values that the NS computes from the other one, [i, h].
  const Eigen::MatrixXcd& motion() const noexcept { return motion_; }
  const Eigen::MatrixXcd& force() const noexcept { return force_; }
  const Eigen::MatrixXcd& computedMotion() const noexcept { return computed_motion_; }  // D_N^-1 (F + f)
  const Eigen::MatrixXcd& computedForce() const noexcept { return computed_force_; }    // D_N U - F
  /// Moves the only point to another frequency and all loads to `factor` times their set values; the residual stays
  /// divided by the set values. Only for a moving model. The residual is NaN if the computed side resonates undamped
  /// with held interface.
  void moveTo(double hz, double factor) noexcept;
  /// Share of the interface motion that is in phase with the load, -1 to 1, at the first harmonic with one:
  /// Re(F^H U)/(sum |F_i U_i|). 0: phase resonance, 90 degrees behind the load.
  double inPhase() const noexcept;
  /// The same motion in the axes of the actuators, [i, h].
  const Eigen::MatrixXcd& target() const noexcept { return target_; }
  /// The largest motion error of DOF i that a residual of this norm can hide, m: |row of H| times the norm, with
  /// H = (D_N + D_P)^-1 at the first harmonic and D_P of the specimen model.
  double errorBound(std::size_t point, Eigen::Index i, double residual) const noexcept {
    return (of_forces_ ? residual_over_ : 1.0) * points_[point].bound[i] * residual;
  }

 private:
  struct Harmonic {
    Eigen::MatrixXcd stiffness, flexibility;  // D_N and its inverse [i, i]
    Eigen::VectorXcd load, lag;               // F [i]; 1 / transfer function of each reading
    Eigen::VectorXd u, phi, curve;            // [force readings]: correction per motion and moment m(0)
    Eigen::MatrixXd fixture;                  // [i, motion readings]: its contribution to the forces; empty: none
  };
  struct Point {
    double frequency_hz = 0.0;
    std::vector<Harmonic> harmonics;
    double unit = 1.0;      // of the residual
    Eigen::VectorXd bound;  // [i]
  };
  void placeSensors(const BalanceModelSettings& settings, const Partition& partition,
                    std::span<const InterfaceAxis> sensors, std::span<const InterfaceAxis> force_sensors);
  void placeFixture(const FixtureParams& fixture, const Partition& partition,
                    const std::vector<InterfaceAxis>& sensors);
  Eigen::MatrixXcd loadsOf(const BalanceModelSettings& settings, const Partition& partition,
                           const SparseMatrix& to_side) const;
  /// Sets the corrections for lags and stations of sensors at w, rad/s.
  void setCorrections(Harmonic& at, double w) const noexcept;
  void balance(const Point& point) noexcept;
  double loadSize2(const Eigen::VectorXcd& load) const noexcept;
  Point makePoint(double hz, const CondensedStiffness& computed, const Eigen::MatrixXcd& loads,
                  const CondensedStiffness& specimen) const;

  std::vector<int> orders_;
  std::vector<Dof> dofs_;
  std::vector<BalanceChannel> channels_;          // [readings]
  std::vector<char> accelerometer_;               // [readings]
  Eigen::MatrixXd fixture_kg_, fixture_n_per_m_;  // [i, motion readings], of the cut; empty: no fixture
  Eigen::MatrixXd motion_map_, force_map_;        // motion and force of the cut from the readings
  Eigen::MatrixXd force_readings_;                // [force readings, i]: the reverse
  Eigen::MatrixXd to_axes_;                       // [i, i]: from motion of the cut to motion of the axes
  Eigen::Index motion_readings_ = 0;
  Eigen::Index translation_ = -1, rotation_ = -1;  // of the cut, if stations are corrected
  bool of_forces_ = true;
  BalanceBeam beam_;
  double length_m_ = 1.0;
  std::unique_ptr<MovingSide> moving_;        // null: fixed frequencies
  double level_ = 1.0, residual_over_ = 1.0;  // factors of the loads, and of the loads in the residual
  Eigen::VectorXd weight_;                    // [i]: of the residual
  std::vector<Point> points_;
  Eigen::MatrixXcd motion_, force_, computed_motion_, computed_force_, target_;
  Eigen::VectorXcd read_, missing_;
  Eigen::VectorXd residual_;
};

}  // namespace hyb
