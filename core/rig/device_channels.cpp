#include "core/rig/device_channels.h"

#include <cmath>
#include <string>

namespace hyb {
namespace {

using Points = std::vector<std::pair<double, double>>;

/// Piecewise linear interpolation through points whose `from` is monotonic.
double interpolated(const Points& points, double Points::value_type::*from, double Points::value_type::*to,
                    double x) noexcept {
  if (points.size() < 2) return points.empty() ? x : points.front().*to;
  const bool ascending = points.back().*from > points.front().*from;
  std::size_t right = 1;
  while (right + 1 < points.size() && (ascending ? x > points[right].*from : x < points[right].*from)) ++right;
  const auto &a = points[right - 1], &b = points[right];
  const double width = b.*from - a.*from;
  return width != 0.0 ? a.*to + (x - a.*from) * (b.*to - a.*to) / width : a.*to;
}

ChannelSpec plainChannel(const char* stem, std::size_t interface, ChannelRole role, const char* units) {
  ChannelSpec channel;
  channel.name = std::string(stem) + "_" + std::to_string(interface);
  channel.role = role;
  channel.interface = static_cast<int>(interface);
  channel.units = units;
  return channel;
}

}  // namespace

std::vector<ChannelSpec> rigChannels(const RigSpec& rig, std::size_t interfaces, std::size_t sensors,
                                     const std::vector<std::string>& monitors) {
  if (!rig.channels.empty()) return rig.channels;
  std::vector<ChannelSpec> channels;
  for (std::size_t i = 1; i <= interfaces; ++i)
    channels.push_back(plainChannel("command", i, ChannelRole::command, "m"));
  for (std::size_t i = 1; i <= interfaces; ++i)
    channels.push_back(plainChannel("command_rate", i, ChannelRole::command_rate, "m/s"));
  for (std::size_t i = 1; i <= (sensors > 0 ? sensors : interfaces); ++i)
    channels.push_back(plainChannel("measured", i, ChannelRole::displacement, "m"));
  for (std::size_t i = 1; i <= interfaces; ++i) channels.push_back(plainChannel("force", i, ChannelRole::force, "N"));
  for (const std::string& name : monitors) {
    ChannelSpec& monitor = channels.emplace_back();
    monitor.name = name;
    monitor.units = "m";
  }
  return channels;
}

std::string channelPlace(std::size_t channel, const char* key) {
  return "/rig/channels/" + std::to_string(channel) + "/" + key;
}

bool isOutput(ChannelRole role) noexcept { return role == ChannelRole::command || role == ChannelRole::command_rate; }

DeviceChannels deviceChannels(const std::vector<ChannelSpec>& channels, double rate_hz) {
  DeviceChannels wanted;
  wanted.rate_hz = rate_hz;
  for (const ChannelSpec& channel : channels)
    (isOutput(channel.role) ? wanted.outputs : wanted.inputs)
        .push_back({channel.name, channel.units, channel.raw_min, channel.raw_max});
  return wanted;
}

double scaledValue(const ChannelSpec& channel, double raw) noexcept {
  using Point = Points::value_type;
  const double value = channel.table.empty() ? channel.gain * raw + channel.offset
                                             : interpolated(channel.table, &Point::first, &Point::second, raw);
  return (channel.reversed ? -value : value) - channel.tare;
}

double rawValue(const ChannelSpec& channel, double scaled) noexcept {
  using Point = Points::value_type;
  const double tared = scaled + channel.tare;
  const double value = channel.reversed ? -tared : tared;
  return channel.table.empty() ? (value - channel.offset) / channel.gain
                               : interpolated(channel.table, &Point::second, &Point::first, value);
}

bool interlockOpen(const ChannelSpec& channel, double raw) noexcept {
  return std::isnan(raw) || (channel.reversed ? raw < channel.open_above : raw > channel.open_above);
}

}  // namespace hyb
