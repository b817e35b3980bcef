#include "ui/rig/rig_session.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

namespace hyb::ui {
namespace {

constexpr int kPoll_ms = 50, kRenewal_ms = 60;  // well below SetupTick::kRenewal_s

}  // namespace

RigSession::RigSession(DeviceFactory devices, QObject* parent) : QObject(parent), devices_(std::move(devices)) {
  poll_.setInterval(kPoll_ms);
  connect(&poll_, &QTimer::timeout, this, &RigSession::poll);
  renewal_.setInterval(kRenewal_ms);
  connect(&renewal_, &QTimer::timeout, this, [this] {
    if (setup_) setup_->jog(jogged_, jog_speed_, limits_);
  });
}

RigSession::~RigSession() = default;

void RigSession::connectTo(const Project& project) {
  if (active()) return;
  try {
    setup_ = std::make_unique<RigSetup>(project, devices_);
  } catch (const std::exception& error) {
    Q_EMIT told(QString::fromUtf8(error.what()), true);
    return;
  }
  channels_ = setup_->channels();
  sensors_ = setup_->sensors();
  view_ = {};
  heard_.invalidate();
  poll_.start();
  enter(State::connecting);
}

void RigSession::disconnectRig() {
  if (!setup_) return;
  release();
  setup_->close();
  enter(State::disconnecting);
}

void RigSession::stop() {
  if (!setup_) return;
  if (state_ == State::connecting) return disconnectRig();
  renewal_.stop();
  setup_->stop(tr("STOP by the operator").toStdString());
}

RigSession::Stale RigSession::stale() const {
  if (state_ != State::connected) return Stale::no;
  if (view_.activity == SetupActivity::stopped) return Stale::stopped;
  return heard_.isValid() && heard_.hasExpired(kSilent_ms) ? Stale::silent : Stale::no;
}

std::vector<AxisReading> RigSession::readings(std::size_t axes) const {
  if (state_ != State::connected || stale() != Stale::no) return {};
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<AxisReading> readings(axes, {kUnknown, kUnknown});
  const Eigen::MatrixXd& tells = sensors_.from_readings;  // empty: each displacement channel belongs to one interface
  for (std::size_t c = 0; c < std::min(channels_.size(), view_.scaled.size()); ++c) {
    const ChannelSpec& channel = channels_[c];
    const bool force = channel.role == ChannelRole::force;
    if ((!force && channel.role != ChannelRole::displacement) || channel.interface < 1) continue;
    const auto number = static_cast<Eigen::Index>(channel.interface) - 1;
    if (!force && tells.size() > 0) {
      if (number >= tells.cols()) continue;
      for (std::size_t i = 0; i < std::min(axes, static_cast<std::size_t>(tells.rows())); ++i) {
        if (std::isnan(readings[i].motion)) readings[i].motion = 0.0;
        readings[i].motion += tells(static_cast<Eigen::Index>(i), number) * view_.scaled[c];
      }
    } else if (static_cast<std::size_t>(number) < axes) {
      AxisReading& reading = readings[static_cast<std::size_t>(number)];
      (force ? reading.force : reading.motion) = view_.scaled[c];
    }
  }
  return readings;
}

QString RigSession::description() const { return setup_ ? QString::fromStdString(setup_->description()) : QString(); }

const LinkFigures* RigSession::link() const { return setup_ ? &setup_->link() : nullptr; }

void RigSession::zero(const std::vector<std::size_t>& channels, std::size_t readings) {
  if (state_ != State::connected) return;
  setup_->zero(channels, readings);
}

void RigSession::startJog(int interface, double speed_m_per_s, const JogLimits& limits) {
  if (state_ != State::connected) return;
  jogged_ = interface;
  jog_speed_ = speed_m_per_s;
  limits_ = limits;
  setup_->jog(jogged_, jog_speed_, limits_);
  renewal_.start();
}

void RigSession::release() {
  renewal_.stop();
  if (setup_) setup_->release();
}

void RigSession::checkWiring(double amplitude_m, const JogLimits& limits) {
  if (state_ != State::connected) return;
  setup_->checkWiring(amplitude_m, limits);
}

void RigSession::enter(State state) {
  if (state_ == state) return;
  state_ = state;
  Q_EMIT stateChanged();
}

void RigSession::poll() {
  if (setup_->state() == RigSetup::State::closed) {
    const QString failure = QString::fromStdString(setup_->failure());
    poll_.stop();
    renewal_.stop();
    setup_.reset();
    view_ = {};  // the last values are out of date
    enter(State::disconnected);
    if (!failure.isEmpty()) Q_EMIT told(failure, true);
    return;
  }
  if (setup_->state() == RigSetup::State::opening || state_ == State::disconnecting) return;
  enter(State::connected);
  const SetupView before = std::exchange(view_, setup_->view());
  if (!heard_.isValid() || view_.readings != before.readings) heard_.start();
  if (view_.activity == SetupActivity::stopped) renewal_.stop();
  Q_EMIT updated();
  if (view_.problem != before.problem && !view_.problem.empty())
    Q_EMIT told(QString::fromStdString(view_.problem), view_.activity == SetupActivity::stopped);
  if (view_.zeroings != before.zeroings) Q_EMIT zeroed(*view_.zero);
  if (view_.checks != before.checks) Q_EMIT wiringChecked(*view_.wiring);
}

}  // namespace hyb::ui
