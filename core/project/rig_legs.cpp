#include "core/project/rig_legs.h"

#include <algorithm>
#include <cmath>

#include "core/base/figure_text.h"
#include "core/base/words.h"
#include "core/project/meaning.h"
#include "core/rig/device_channels.h"
#include "core/rig/reach.h"

namespace hyb {
namespace {

using Eigen::Index;

const std::string kGeometry = "/rig/geometry";

Eigen::Vector3d parsePlace(const Json& object, const char* key) {
  const auto values = object.value(key, std::vector<double>(3, 0.0));
  return {values[0], values[1], values[2]};
}

PlatformLeg parseLeg(const Json& object) {
  PlatformLeg leg;
  leg.name = text(object, "name");
  leg.base_m = parsePlace(object, "base_m");
  leg.platform_m = parsePlace(object, "platform_m");
  read(object, "shortest_m", leg.shortest_m);
  read(object, "longest_m", leg.longest_m);
  return leg;
}

std::string entryPlace(const char* list, std::size_t index, const char* key) {
  return kGeometry + "/" + list + "/" + std::to_string(index) + "/" + key;
}

std::string moveUnit(PoseComponent component) { return turns(component) ? " rad" : " m"; }

class GeometryCheck {
 public:
  GeometryCheck(const Project& project, const Partition& partition, Findings& findings)
      : project_(project),
        geometry_(*project.rig.geometry),
        moves_(project.document.at("rig").at("geometry").at("moves")),
        partition_(partition),
        findings_(findings) {}

  void run() {
    checkLegs();
    checkMoves();
    checkAxes();
    checkBeside();
    checkInertia();
    if (findings_.clean(kGeometry)) checkRest();
  }

 private:
  void checkLegs() {
    for (std::size_t i = 0; i < geometry_.legs.size(); ++i) {
      const PlatformLeg& leg = geometry_.legs[i];
      for (std::size_t other = 0; other < i; ++other)
        if (geometry_.legs[other].name == leg.name)
          findings_.say(entryPlace("legs", i, "name"), "\"" + leg.name + "\" is given twice; rename one of the legs.");
      const double drawn_m = (leg.platform_m - leg.base_m).norm();
      if (!(drawn_m > 0.0)) {
        findings_.say(entryPlace("legs", i, "platform_m"),
                      "is the place of the joint on the base too, so the leg has no length; move one of the joints.");
        continue;
      }
      if (leg.shortest_m > leg.longest_m)
        findings_.say(entryPlace("legs", i, "longest_m"), "is " + figureText(leg.longest_m) +
                                                              " m, less than the shortest length (" +
                                                              figureText(leg.shortest_m) + " m); give a larger one.");
      else if (drawn_m < leg.shortest_m || drawn_m > leg.longest_m)
        findings_.say(entryPlace("legs", i, drawn_m < leg.shortest_m ? "shortest_m" : "longest_m"),
                      "does not allow the leg as drawn, which is " + figureText(drawn_m, 6) +
                          " m long; correct the joints or this length.");
    }
  }

  void checkMoves() {
    const std::size_t legs = geometry_.legs.size(), moves = geometry_.moves.size();
    if (legs != moves)
      findings_.say(kGeometry + "/moves", "has " + std::to_string(moves) + " motions for " + std::to_string(legs) +
                                              " legs; each leg controls one motion. Give as many motions as legs.");
    for (std::size_t m = 0; m < moves; ++m)
      for (std::size_t other = 0; other < m; ++other)
        if (geometry_.moves[other] == geometry_.moves[m])
          findings_.say(entryPlace("moves", m, "component"),
                        "\"" + std::string(name(geometry_.moves[m])) + "\" is given twice; give each motion once.");
  }

  /// Each interface axis is one motion, of its kind.
  void checkAxes() {
    const std::vector<Dof>& axes = partition_.interface;
    std::vector<int> count(axes.size(), 0);
    for (std::size_t m = 0; m < moves_.size(); ++m) {
      const int number = moves_[m].value("interface", 0);
      if (number == 0) continue;
      if (static_cast<std::size_t>(number) > axes.size()) {
        findings_.say(entryPlace("moves", m, "interface"),
                      "there is no interface " + std::to_string(number) + "; the cut has " +
                          std::to_string(axes.size()) + ". Give its number from 1, or 0 for a motion held at 0.");
        continue;
      }
      const Dof& axis = axes[static_cast<std::size_t>(number) - 1];
      if (++count[static_cast<std::size_t>(number) - 1] > 1)
        findings_.say(
            entryPlace("moves", m, "interface"),
            "interface " + std::to_string(number) + " is another motion too; give each interface one motion.");
      if (turns(geometry_.moves[m]) != (axis.motion == Motion::rotation))
        findings_.say(entryPlace("moves", m, "component"),
                      "is a " + std::string(turns(geometry_.moves[m]) ? "rotation" : "translation") +
                          ", but interface " + std::to_string(number) + " (" + axis.name + ") is a " +
                          (axis.motion == Motion::rotation ? "rotation" : "translation") +
                          "; choose another component or interface.");
    }
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (count[i] == 0)
        findings_.say(kGeometry + "/moves", "names no motion for interface " + std::to_string(i + 1) + " (" +
                                                axes[i].name + "); add its number to one of the motions.");
  }

  void checkBeside() {
    for (const char* key : {"sensors", "force_sensors"})
      if (!project_.document.at("partition").value(key, Json::array()).empty())
        findings_.say(kGeometry,
                      "computes the motion from the lengths of the legs and cannot be combined with "
                      "/partition/" +
                          std::string(key) + "; remove one of them.");
    for (std::size_t i = 0; i < project_.axes.size(); ++i)
      if (project_.axes[i].command != project_.axes[i].motion)
        findings_.say(kGeometry, "needs commands that are motions, but the coupling scheme \"" +
                                     std::string(project_.coupling->name()) + "\" commands a " +
                                     std::string(facts(project_.axes[i].command).name) + " on interface " +
                                     std::to_string(i + 1) + "; take another scheme, or remove the geometry.");
  }

  /// The inertia force is removed where there is a mass, and a rate at which its acceleration can be known.
  void checkInertia() {
    if (!(geometry_.acceleration_hz > 0.0)) return;
    const std::string where = kGeometry + "/acceleration_hz";
    if (!geometry_.cells_in_legs)
      findings_.say(where,
                    "has no effect: a load cell on the platform does not feel the inertia of the platform; set "
                    "it to 0.");
    else if (!(geometry_.mass_kg > 0.0))
      findings_.say(where, "has no effect without a mass (/rig/geometry/mass_kg); enter it, or set this to 0.");
    if (project_.twin.fixture.taken_out)
      findings_.say(where,
                    "removes an inertia force, and /rig/fixture/taken_out removes one too; set one of them to 0 "
                    "or off.");
    if (geometry_.acceleration_hz >= 0.5 * project_.loop.rate_hz)
      findings_.say(where, "is " + figureText(geometry_.acceleration_hz) + " Hz, not below half the loop's rate (" +
                               figureText(0.5 * project_.loop.rate_hz) + " Hz); lower it.");
  }

  void checkRest() {
    if (const PoseObstacle obstacle = obstacleAt(geometry_, Pose::Zero()))
      findings_.say(kGeometry + "/legs", "cannot hold the platform as drawn: " + obstacleText(geometry_, obstacle) +
                                             ". Move the joints, or choose other motions under /rig/geometry/moves.");
  }

  const Project& project_;
  const RigGeometry& geometry_;
  const Json& moves_;
  const Partition& partition_;
  Findings& findings_;
};

std::string endWords(const RigGeometry& geometry, const PoseObstacle& obstacle) {
  if (obstacle.leg < 0) return obstacle ? "the pose is singular" : "the mechanism has no bound";
  const PlatformLeg& leg = geometry.legs[static_cast<std::size_t>(obstacle.leg)];
  return "leg \"" + leg.name + "\" is at its " +
         (obstacle.kind == PoseObstacle::Kind::too_short ? "shortest" : "longest");
}

}  // namespace

RigGeometry parseGeometry(const Json& section) {
  RigGeometry geometry;
  for (const Json& leg : section.at("legs")) geometry.legs.push_back(parseLeg(leg));
  for (const Json& move : section.at("moves")) {
    PoseComponent component = PoseComponent::z;
    readChoice(move, "component", {"x", "y", "z", "rx", "ry", "rz"}, component);
    geometry.moves.push_back(component);
    const auto interface = static_cast<std::size_t>(move.value("interface", 0));
    if (interface > geometry.axes.size()) geometry.axes.resize(interface, component);
    if (interface > 0) geometry.axes[interface - 1] = component;
  }
  geometry.point_m = parsePlace(section, "point_m");
  read(section, "largest_condition", geometry.largest_condition);
  geometry.cells_in_legs = text(section, "load_cells") != "platform";
  read(section, "mass_kg", geometry.mass_kg);
  geometry.centre_m = parsePlace(section, "centre_m");
  geometry.inertia_kg_m2 = parsePlace(section, "inertia_kg_m2");
  read(section, "acceleration_hz", geometry.acceleration_hz);
  const std::string down = section.value("down", std::string("-z"));
  const double g = geometry.gravity_m_per_s2.norm();
  geometry.gravity_m_per_s2.setZero();
  geometry.gravity_m_per_s2[down.back() - 'x'] = down.front() == '-' ? -g : g;
  return geometry;
}

void checkGeometry(const Project& project, const Partition& partition, Findings& findings) {
  GeometryCheck(project, partition, findings).run();
}

ReachWords reachWords(const Project& project) {
  const RigGeometry& geometry = *project.rig.geometry;
  ReachWords words;
  LegValues most = LegValues::Zero(geometry.count());
  bool bounded = true;
  for (std::size_t i = 0; i < geometry.axes.size(); ++i) {
    const PoseComponent component = geometry.axes[i];
    const ComponentReach reach = reachOf(geometry, component);
    const std::string axis = "interface " + std::to_string(i + 1) + " (" + std::string(name(component)) + ")",
                      unit = moveUnit(component);
    words.sentences.push_back("With the other axes at 0, " + axis + " reaches from " + figureText(reach.from) + unit +
                              " (" + endWords(geometry, reach.before_from) + ") to " + figureText(reach.to) + unit +
                              " (" + endWords(geometry, reach.beyond_to) + ").");
    const double limit = largestMotion(project, i);
    bounded = bounded && std::isfinite(limit);
    const auto move = std::ranges::find(geometry.moves, component) - geometry.moves.begin();
    most[static_cast<Index>(move)] = limit;
    if (std::isfinite(limit) && limit > std::min(-reach.from, reach.to)) {
      words.all = false;
      words.sentences.push_back("The limits let " + axis + " move to " + figureText(limit) + unit +
                                ", beyond this reach. Lower the threshold of its limit on command or displacement.");
    }
  }
  if (!bounded) {
    words.all = false;
    words.sentences.emplace_back(
        "Not every interface axis has a limit on command or displacement, so the strokes of the legs are not bounded "
        "before the test. Add these limits under Safety.");
    return words;
  }
  const LegTravel travel = travelOf(geometry, most);
  std::string legs;
  for (std::size_t i = 0; i < geometry.legs.size(); ++i)
    legs += (i > 0 ? ", " : "") + geometry.legs[i].name + " " + figureText(travel.from_m[static_cast<Index>(i)]) +
            " to " + figureText(travel.to_m[static_cast<Index>(i)]) + " m";
  words.sentences.push_back("Within the limits of all axes together the legs need these lengths: " + legs + ".");
  if (travel.obstacle) {
    words.all = false;
    words.sentences.push_back("Not every pose within these limits can be used. For example " +
                              poseText(geometry, travel.bad) + ": " + obstacleText(geometry, travel.obstacle) + ".");
  }
  return words;
}

std::size_t actuatorCount(const Project& project, std::size_t interfaces) {
  return project.rig.geometry ? project.rig.geometry->legs.size() : interfaces;
}

std::vector<ChangeBounds> actuatorBounds(const Project& project) {
  std::vector<ChangeBounds> axes = changeBounds(project);
  if (!project.rig.geometry) return axes;
  const RigGeometry& geometry = *project.rig.geometry;
  std::vector<ChangeBounds> legs;
  for (const PlatformLeg& leg : geometry.legs) {
    ChangeBounds bounds{0.0, 0.0, "m", "m/s", "bounds of the interface axes"};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const double arm = turns(geometry.axes[i]) ? (leg.platform_m - geometry.point_m).norm() : 1.0;
      if (arm == 0.0) continue;
      bounds.step += arm * axes[i].step;
      bounds.rate += arm * axes[i].rate;
    }
    legs.push_back(std::move(bounds));
  }
  return legs;
}

std::vector<ChannelSpec> projectChannels(const Project& project, std::size_t interfaces) {
  return rigChannels(project.rig, actuatorCount(project, interfaces), project.partition.sensors.size(),
                     project.coupling->reads(interfaces));
}

}  // namespace hyb
