#include "core/run/actuator_places.h"

#include <cmath>

#include "core/base/figure_text.h"
#include "core/run/build.h"

namespace hyb {
namespace {

/// A sum as text, for example "B.y - 0.04 B.rotation".
std::string sumOf(const InterfaceAxis& axis) {
  std::string text;
  for (const auto& [dof, factor] : axis.terms) {
    const std::string size = std::abs(factor) == 1.0 ? "" : figureText(std::abs(factor), 6) + ' ';
    const char* sign = factor < 0.0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    text += sign + size + dof;
  }
  return text;
}

}  // namespace

std::vector<ActuatorPlace> actuatorPlaces(const Project& project) {
  const Partition partition = buildPartition(project);
  const std::vector<InterfaceAxis>& axes = project.partition.actuators;
  const Json models = project.document.value("rig", Json::object()).value("actuators", Json::array());
  std::vector<ActuatorPlace> places;
  for (std::size_t i = 0; i < partition.interface.size(); ++i) {
    ActuatorPlace place;
    place.name = partition.interface[i].name;
    place.moves = i < axes.size() ? sumOf(axes[i]) : place.name;
    if (!models.empty()) place.model = models[models.size() == 1 ? 0 : i].value("model", std::string());
    for (const ChannelSpec& channel : project.rig.channels)
      if (!project.rig.geometry &&  // channels of legs belong to no single axis
          channel.interface == static_cast<int>(i) + 1 &&
          (project.partition.sensors.empty() || channel.role != ChannelRole::displacement))
        place.channels.push_back(channel.name);
    places.push_back(std::move(place));
  }
  return places;
}

std::string placesText(const std::vector<ActuatorPlace>& places) {
  std::string text;
  for (std::size_t i = 0; i < places.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(i + 1) + " on " + places[i].moves;
  return text;
}

}  // namespace hyb
