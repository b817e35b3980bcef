#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <tuple>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/excitation/band_signal.h"
#include "core/project/coupling_schemes.h"
#include "core/project/reading.h"
#include "core/project/schema.h"
#include "core/transfer/cross_coupled.h"

namespace hyb {
namespace {

const char* amplitudeKey(const Json& object) {
  for (const char* key : {"amplitude_n", "amplitude_mps2"})
    if (object.contains(key)) return key;
  return "amplitude_m";
}
double amplitude(const Json& object) { return object.at(amplitudeKey(object)); }

SineSpec parseSine(const Json& object) {
  return {amplitude(object), object.at("frequency_hz").get<double>(), object.at("phase_deg").get<double>()};
}

BandSpec parseBand(const Json& object) {
  return {amplitude(object), object.at("from_hz").get<double>(), object.at("to_hz").get<double>(),
          object.at("period_s").get<double>()};
}

GroundMotionSignal parseGroundMotion(const Json& object, const std::filesystem::path& folder) {
  GroundMotionSignal motion;
  motion.file = folder / text(object, "file");  // an absolute path replaces the folder
  const std::string format = text(object, "format"), unit = text(object, "unit");
  motion.format = format == "csv"        ? GroundMotionFormat::csv
                  : format == "peer-at2" ? GroundMotionFormat::peer_at2
                                         : GroundMotionFormat::automatic;
  motion.unit = unit == "m/s2"  ? AccelerationUnit::mps2
                : unit == "g"   ? AccelerationUnit::g
                : unit == "gal" ? AccelerationUnit::gal
                                : AccelerationUnit::from_file;
  if (object.contains("step_s")) motion.step_s = object.at("step_s").get<double>();
  motion.acceleration = text(object, "output") == "acceleration";
  read(object, "band_low_hz", motion.spec.band_low_hz);
  read(object, "band_high_hz", motion.spec.band_high_hz);
  read(object, "scale", motion.spec.scale);
  read(object, "from_s", motion.spec.from_s);
  read(object, "taper_s", motion.spec.taper_s);
  const auto optional = [&object](const char* key, std::optional<double>& value) {
    if (object.contains(key)) value = object.at(key).get<double>();
  };
  optional("peak_m", motion.spec.peak_m);
  optional("peak_mps2", motion.spec.peak_mps2);
  optional("to_s", motion.spec.to_s);
  return motion;
}

SignalSpec parseSignal(const Json& object, const std::filesystem::path& folder) {
  SignalSpec signal;
  signal.name = text(object, "name");
  const std::string kind = text(object, "kind");
  const std::string key = amplitudeKey(kind == "multi-sine" ? object.at("components").front() : object);
  signal.units = key == "amplitude_n" ? "N" : key == "amplitude_mps2" ? "m/s2" : "m";
  if (kind == "sine") {
    signal.shape = parseSine(object);
  } else if (kind == "multi-sine") {
    MultiSineSpec sum;
    for (const Json& component : object.at("components")) sum.components.push_back(parseSine(component));
    signal.shape = std::move(sum);
  } else if (kind == "band-sines") {
    signal.shape = lowCrestSines(parseBand(object));
  } else if (kind == "band-noise") {
    signal.shape = bandNoise(parseBand(object), object.at("seed").get<std::uint64_t>());
  } else if (kind == "stepped-sine") {
    signal.shape = parseSteppedSine(object);
  } else if (kind == "sweep") {
    signal.shape = SweepSpec{amplitude(object), object.at("start_hz").get<double>(), object.at("end_hz").get<double>(),
                             object.at("duration_s").get<double>(), text(object, "spacing") == "logarithmic"};
  } else if (kind == "square") {
    signal.shape =
        SquareSpec{amplitude(object), object.at("frequency_hz").get<double>(), object.at("rise_s").get<double>()};
  } else if (kind == "step") {
    signal.shape = StepSpec{amplitude(object), object.at("start_s").get<double>(), object.at("rise_s").get<double>()};
  } else {
    const GroundMotionSignal motion = parseGroundMotion(object, folder);
    if (motion.acceleration) signal.units = "m/s2";
    signal.shape = motion;
  }
  return signal;
}

CouplingSpecPtr parseCoupling(const Json& section) {
  const Json* chosen = chosenVariant(projectSchema().at("definitions").at("coupling"), section);
  const std::string scheme = chosen->at("properties").at("scheme").at("const");
  const auto all = couplingSchemes();
  return std::ranges::find(all, scheme, &CouplingEntry::name)->parse(section);
}

void parseIntegrator(const Json& section, Project& project) {
  IntegratorSpec& integrator = project.integrator;
  integrator.scheme = schemeFromName(text(section, "scheme"));
  read(section, "rho_inf", integrator.rho_inf);
  read(section, "substeps", integrator.substeps);
  integrator.load = text(section, "load") == "hold" ? LoadOverTick::hold : LoadOverTick::ramp;
  read(section, "ticks_per_step", integrator.ticks_per_step);
}

SensorParams parseSensor(const Json& rig, const char* key, const char* noise_key, const char* range_key) {
  SensorParams sensor;
  const Json object = rig.value(key, Json::object());
  read(object, noise_key, sensor.noise_rms);
  read(object, range_key, sensor.range);
  read(object, "bits", sensor.bits);
  return sensor;
}

/// Rows of different lengths leave NaN entries, which the twin refuses.
Eigen::MatrixXd parseMatrix(const Json& object, const char* key) {
  if (!object.contains(key)) return {};
  const auto rows = object.at(key).get<std::vector<std::vector<double>>>();
  std::size_t columns = 0;
  for (const auto& row : rows) columns = std::max(columns, row.size());
  Eigen::MatrixXd matrix =
      Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns), kNoValue);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
  return matrix;
}

FixtureParams parseFixture(const Json& object) {
  FixtureParams fixture;
  fixture.mass_kg = parseMatrix(object, "mass_kg");
  fixture.stiffness_n_per_m = parseMatrix(object, "stiffness_n_per_m");
  fixture.load_cell_beneath = text(object, "load_cell") == "actuator";
  read(object, "taken_out", fixture.taken_out);
  return fixture;
}

MomentSensor parseMomentSensor(const Json& object) {
  MomentSensor sensor;
  sensor.name = text(object, "name");
  read(object, "station_m", sensor.station_m);
  read(object, "noise_rms_n_m", sensor.noise_rms_n_m);
  sensor.filters = parseLowPasses(object.value("filters", Json::array()));
  const Json hum = object.value("hum", Json::object());
  read(hum, "amplitude_n_m", sensor.hum_n_m);
  read(hum, "frequency_hz", sensor.hum_hz);
  read(hum, "phase_deg", sensor.hum_deg);
  return sensor;
}

std::vector<double> parseDeviates(const Json& perturbation) {
  std::vector<double> deviates;
  std::uint64_t seed = 0;
  read(perturbation, "deviates", deviates);
  read(perturbation, "seed", seed);
  return deviates.empty() ? plantDeviates(seed) : deviates;
}

TwinParams parseTwin(const Json& section) {
  TwinParams twin;
  const std::vector<double> deviates = parseDeviates(section.value("perturbation", Json::object()));
  for (Json actuator : section.at("actuators")) {
    if (!deviates.empty())
      actuator["deviates"] = deviates;  // of all actuators at once; only the cross-coupled use them
    twin.actuators.push_back(parseActuator(actuator));
  }
  const Json specimen = section.value("specimen", Json::object());
  read(specimen, "mass_factor", twin.specimen.mass_factor);
  read(specimen, "damping_factor", twin.specimen.damping_factor);
  read(specimen, "stiffness_factor", twin.specimen.stiffness_factor);
  for (const Json& law : specimen.value("laws", Json::array())) twin.laws.push_back(parseSpecimenLaw(law));
  if (section.contains("fixture")) twin.fixture = parseFixture(section.at("fixture"));
  twin.displacement_sensor = parseSensor(section, "displacement_sensor", "noise_rms_m", "range_m");
  read(section.value("displacement_sensor", Json::object()), "common_noise", twin.common_noise);
  twin.force_sensor = parseSensor(section, "force_sensor", "noise_rms_n", "range_n");
  twin.accelerometer = parseSensor(section, "accelerometer", "noise_rms_m_per_s2", "range_m_per_s2");
  for (const Json& sensor : section.value("sensors", Json::array())) twin.moments.push_back(parseMomentSensor(sensor));
  if (text(section, "solver") == "rk4") twin.solver = TwinSolver::rk4;
  read(section, "seed", twin.seed);
  return twin;
}

/// The enumerator between `first` and `last` with the name `word`.
template <typename Enum>
Enum named(const std::string& word, Enum first, Enum last) {
  int value = static_cast<int>(first);
  while (value < static_cast<int>(last) && name(static_cast<Enum>(value)) != word) ++value;
  return static_cast<Enum>(value);
}

Limit parseLimit(const Json& object) {
  Limit limit;
  limit.quantity = limitQuantity(text(object, "quantity"));
  limit.action = named(text(object, "action"), Action::none, Action::stop);
  read(object, "interface", limit.interface);
  if (limit.quantity->of_column) limit.channel = text(object, "channel");
  if (!limit.quantity->ofAxis()) {
    if (!limit.quantity->isCondition()) read(object, std::string(limit.quantity->threshold).c_str(), limit.threshold);
    return limit;
  }
  for (std::size_t k = 0; k < kSignalKinds.size(); ++k) {
    const auto kind = static_cast<SignalKind>(k);
    const std::string key(limit.quantity->thresholdOf(kind));
    if (!object.contains(key)) continue;
    limit.kind = kind;
    read(object, key.c_str(), limit.threshold);
  }
  return limit;
}

void parseLoop(const Json& section, Project& project) {
  LoopConfig& loop = project.loop;
  read(section, "rate_hz", loop.rate_hz);
  read(section, "duration_s", loop.duration_s);
  read(section, "soft_start_s", loop.soft_start_s);
  read(section, "soft_end_s", loop.soft_end_s);
  read(section, "measured_from_s", loop.measured_from_s);
  if (section.contains("trials")) {
    const Json& trials = section.at("trials");
    read(trials, "count", loop.trials.count);
    read(trials, "length_s", loop.trials.length_s);
    read(trials, "pause_s", loop.trials.pause_s);
    read(trials, "stop_after_rises", loop.trials.stop_after_rises);
    read(trials, "stop_below_percent", loop.trials.stop_below_percent);
    if (loop.duration_s == 0.0) loop.duration_s = loop.trials.duration_s();
  }
  loop.force_source = text(section, "force_source") == "emulated" ? ForceSource::emulated : ForceSource::measured;
  read(section, "fifo_priority", project.realtime.fifo_priority);
  read(section, "cpu", project.realtime.cpu);
  read(section, "lock_memory", project.realtime.lock_memory);
}

/// The last ground motions that were read, so that a study reads each once. A file that has changed is read again.
class RecordsRead {
 public:
  static RecordsRead& ofProgram() {
    static RecordsRead records;
    return records;
  }
  GroundMotion get(const GroundMotionSignal& signal) {
    struct stat now = {};
    if (::stat(signal.file.c_str(), &now) != 0) return read(signal);  // which tells why
    const Key key{signal.file,         signal.format,      signal.unit,        signal.step_s,
                  now.st_dev,          now.st_ino,         now.st_size,        now.st_mtim.tv_sec,
                  now.st_mtim.tv_nsec, now.st_ctim.tv_sec, now.st_ctim.tv_nsec};
    {
      const std::scoped_lock lock(mutex_);
      for (const auto& [known, record] : records_)
        if (known == key) return *record;
    }
    auto record = std::make_shared<const GroundMotion>(read(signal));
    const std::scoped_lock lock(mutex_);
    if (records_.size() == kMost) records_.pop_front();
    records_.emplace_back(key, record);
    return *record;
  }

 private:
  static constexpr std::size_t kMost = 8;
  using Key = std::tuple<std::filesystem::path, GroundMotionFormat, AccelerationUnit, std::optional<double>, dev_t,
                         ino_t, off_t, time_t, long, time_t, long>;
  static GroundMotion read(const GroundMotionSignal& signal) {
    return readGroundMotion(signal.file, signal.format, signal.unit, signal.step_s);
  }
  std::mutex mutex_;
  std::deque<std::pair<Key, std::shared_ptr<const GroundMotion>>> records_;
};

}  // namespace

CouplingSpecPtr couplingOf(const Json& document) {
  const auto section = document.find("coupling");
  return section == document.end() ? tracking() : parseCoupling(sectionWithDefaults(document, "coupling"));
}

void parseSections(const Json& document, const std::set<std::string>& broken, Project& project) {
  /// The section; empty if it is broken or missing.
  const auto section = [&](const char* key) -> const Json* {
    return !broken.contains(key) && document.is_object() && document.contains(key) ? &document.at(key) : nullptr;
  };
  if (const Json* meta = section("meta"))
    project.meta = {text(*meta, "title"), text(*meta, "description"), text(*meta, "operator"), text(*meta, "source")};
  if (const Json* structure = section("structure")) project.structure = parseStructure(*structure, project.folder);
  if (const Json* partition = section("partition")) project.partition = parsePartition(*partition);
  if (const Json* excitation = section("excitation"))
    for (const Json& signal : excitation->at("signals"))
      project.excitation.signals.push_back(parseSignal(signal, project.folder));
  if (const Json* integrator = section("integrator")) parseIntegrator(*integrator, project);
  if (const Json* coupling = section("coupling")) project.coupling = parseCoupling(*coupling);
  if (const Json* rig = section("rig")) {
    project.twin = parseTwin(*rig);
    project.rig = parseRig(*rig, project.folder);
  }
  if (const Json* safety = section("safety")) {
    read(*safety, "stop_ramp_s", project.loop.stop_ramp_s);
    for (const Json& limit : safety->at("limits")) project.limits.push_back(parseLimit(limit));
  }
  if (const Json* recording = section("recording")) {
    read(*recording, "folder", project.recording.folder);
    read(*recording, "flush_s", project.recording.flush_s);
    read(*recording, "black_box_s", project.recording.black_box_s);
  }
  if (const Json* loop = section("loop")) parseLoop(*loop, project);
  project.twin.fixture.tracked = !broken.contains("coupling") && project.coupling->tracks();
  project.loop.excitation_from_s = project.coupling->excitationFrom_s();
  if (const Json* analysis = section("analysis")) {
    read(*analysis, "start_s", project.analysis.start_s);
    read(*analysis, "gap_tolerance_m", project.analysis.gap_tolerance.motion);
    read(*analysis, "gap_tolerance_n", project.analysis.gap_tolerance.force);
    read(*analysis, "window_s", project.analysis.window_s);
    if (analysis->contains("stability_cutoff_hz"))
      project.analysis.stability_cutoff_hz = analysis->at("stability_cutoff_hz").get<double>();
  }
}

SteppedSineSpec parseSteppedSine(const Json& object) {
  SteppedSineSpec spec{amplitude(object), object.at("from_hz").get<double>(), object.at("to_hz").get<double>()};
  read(object, "count", spec.count);
  spec.logarithmic = text(object, "spacing") == "logarithmic";
  read(object, "settle_s", spec.settle_s);
  read(object, "periods", spec.periods);
  return spec;
}

GroundMotion readRecord(const GroundMotionSignal& signal) { return RecordsRead::ofProgram().get(signal); }

}  // namespace hyb
