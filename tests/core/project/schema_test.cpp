#include <QTest>
#include <cmath>
#include <functional>

#include "core/project/schema.h"
#include "resources/resources.h"
#include "tests/core/project/mutation.h"
#include "tests/support/published_schema.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Calls `visit` with the pointer of every value in `value`, containers included.
void walk(const Json& value, const Json::json_pointer& here,
          const std::function<void(const Json::json_pointer&)>& visit) {
  visit(here);
  if (value.is_object())
    for (const auto& [key, child] : value.items()) walk(child, here / key, visit);
  else if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) walk(value[i], here / i, visit);
}

}  // namespace

class SchemaTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void templatesAreValid();
  void everyFieldExplainsItself();
  void everyFaultIsNamed_data();
  void everyFaultIsNamed();
  void allFaultsAtOnce();
  void agreesWithTheStandardOnDamagedProjects_data();
  void agreesWithTheStandardOnDamagedProjects();
  void numbersAndTextsBeyondJson();
};

void SchemaTest::templatesAreValid() {
  const PublishedSchema standard(projectSchema().dump());
  QVERIFY(!templates().empty());
  for (const Template& entry : templates()) {
    const Json& document = templateDocument(entry.name);
    QVERIFY2(validate(document).empty(), qPrintable(listing(validate(document))));
    QVERIFY(standard.accepts(document.dump()));
    QVERIFY(!entry.title.empty() && !entry.description.empty());
  }
}

/// The window's forms are made from these.
void SchemaTest::everyFieldExplainsItself() {
  const std::function<void(const Json&, const std::string&)> look = [&](const Json& node, const std::string& where) {
    if (!node.is_structured()) return;
    if (node.is_object() && node.contains("properties") && node.at("properties").is_object()) {
      if (!node.contains("x-described-by"))  // by a file, which is checked with it
        QVERIFY2(node.value("additionalProperties", true) == false, where.c_str());
      for (const auto& [name, field] : node.at("properties").items()) {
        const std::string& key = name;
        const Json& schema = field.contains("$ref")
                                 ? projectSchema().at(Json::json_pointer(field.at("$ref").get<std::string>().substr(1)))
                                 : field;
        const std::string place = where + "/" + key;
        QVERIFY2(schema.contains("title") && schema.contains("description"), place.c_str());
        QVERIFY2(schema.contains("type"), place.c_str());
        if (schema.contains("enum")) QCOMPARE(schema.at("enum").size(), schema.at("x-enum-titles").size());
        const std::string unit = schema.value("x-unit", "");
        const auto unitEndsWith = [&](const char* ending, const char* expected) {
          const bool moment = key.ends_with("_n_m") && std::string_view(ending) != "_n_m";
          if (key.ends_with(ending) && !moment) QVERIFY2(unit == expected, place.c_str());
        };
        unitEndsWith("_kg", "kg");
        unitEndsWith("_n_m", "N m");
        unitEndsWith("_hz", "Hz");
        unitEndsWith("_deg", "deg");
        unitEndsWith("_ticks", "ticks");
        unitEndsWith("_n", "N");
        if (!key.ends_with("_per_m")) unitEndsWith("_m", "m");
      }
    }
    for (const auto& [key, child] : node.items()) look(child, where + "/" + key);
  };
  look(projectSchema(), "");
}

void SchemaTest::everyFaultIsNamed_data() {
  QTest::addColumn<QString>("patch");
  QTest::addColumn<QString>("where");
  QTest::addColumn<QString>("word");
  const auto row = [](const char* name, const char* patch, const char* where, const char* word) {
    QTest::newRow(name) << patch << where << word;
  };
  row("unknown key", R"([{"set": "/loop/foo", "to": 1}])", "/loop/foo", "not known here");
  row("unit forgotten", R"([{"set": "/loop/rate", "to": 1000}])", "/loop/rate", "Did you mean \"rate_hz\"");
  row("letters swapped", R"([{"set": "/loop/duratoin_s", "to": 1}])", "/loop/duratoin_s", "\"duration_s\"");
  row("unknown section", R"([{"set": "/saftey", "to": {}}])", "/saftey", "\"safety\"");
  row("key with a slash", R"([{"set": "/loop/a~1b", "to": 1}])", "/loop/a~1b", "not known");
  row("section missing", R"([{"drop": "/loop"}])", "/loop", "is missing");
  row("field missing", R"([{"drop": "/loop/rate_hz"}])", "/loop/rate_hz", "20000 Hz (usual: 1000)");
  row("section is a list", R"([{"set": "/loop", "to": []}])", "/loop", "is a list; give an object");
  row("section is null", R"([{"set": "/rig", "to": null}])", "/rig", "is null");
  row("number as text", R"([{"set": "/loop/rate_hz", "to": "1000"}])", "/loop/rate_hz",
      "the text \"1000\"; give a number");
  row("number with unit", R"([{"set": "/structure/masses/1/mass_kg", "to": "2.2 kg"}])", "/structure/masses/1/mass_kg",
      "kg");
  row("flag as number", R"([{"set": "/loop/lock_memory", "to": 1}])", "/loop/lock_memory", "true or false");
  row("whole number broken", R"([{"set": "/compensation/points", "to": 8.5}])", "/compensation/points", "whole number");
  row("text as number", R"([{"set": "/meta/title", "to": 7}])", "/meta/title", "text in quotes");
  row("list as object", R"([{"set": "/structure/masses", "to": {}}])", "/structure/masses", "a list in [ ]");
  row("negative mass", R"([{"set": "/structure/masses/0/mass_kg", "to": -2.2}])", "/structure/masses/0/mass_kg",
      "-2.2 kg, which is too small; give a number greater than 0");
  row("zero mass", R"([{"set": "/structure/masses/0/mass_kg", "to": 0}])", "/structure/masses/0/mass_kg",
      "greater than 0");
  row("huge mass", R"([{"set": "/structure/masses/0/mass_kg", "to": 1e300}])", "/structure/masses/0/mass_kg",
      "too large");
  row("negative stiffness", R"([{"set": "/structure/links/0/stiffness_n_per_m", "to": -1}])",
      "/structure/links/0/stiffness_n_per_m", "at least 0");
  row("rate too low", R"([{"set": "/loop/rate_hz", "to": 9.9}])", "/loop/rate_hz", "9.9 Hz");
  row("rate too high", R"([{"set": "/loop/rate_hz", "to": 20001}])", "/loop/rate_hz", "at most 20000 Hz");
  row("empty title", R"([{"set": "/meta/title", "to": ""}])", "/meta/title", "is empty");
  row("line break in a title", R"([{"set": "/meta/title", "to": "a\nb"}])", "/meta/title", "line breaks");
  row("endless name",
      R"([{"set": "/structure/masses/0/name", "to": "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"}])",
      "/structure/masses/0/name", "at most 60");
  row("no masses", R"([{"set": "/structure/masses", "to": []}])", "/structure/masses", "too few");
  row("nothing physical", R"([{"set": "/partition/physical", "to": []}])", "/partition/physical", "at least 1");
  row("null in a list", R"([{"set": "/partition/physical/1", "to": null}])", "/partition/physical/1", "is null");
  row("kind unknown", R"([{"set": "/excitation/signals/0/kind", "to": "sinus"}])", "/excitation/signals/0/kind",
      "Did you mean \"sine\"");
  row("kind missing", R"([{"drop": "/excitation/signals/0/kind"}])", "/excitation/signals/0/kind",
      "give one of \"sine\"");
  row("kind as number", R"([{"set": "/structure/kind", "to": 3}])", "/structure/kind", "\"lumped\"");
  row("method unknown", R"([{"set": "/compensation/method", "to": "afp"}])", "/compensation/method",
      "\"adaptive-forward-prediction\"");
  row("model unknown", R"([{"set": "/rig/actuators/1/model", "to": "serv"}])", "/rig/actuators/1/model", "\"servo\"");
  row("key of another variant", R"([{"set": "/compensation", "to": {"method": "none", "alpha": 1}}])",
      "/compensation/alpha", "not known here");
  row("threshold in the wrong unit", R"([{"set": "/safety/limits/0/threshold_n", "to": 1}])",
      "/safety/limits/0/threshold_n", "threshold_m");
  row("threshold missing", R"([{"drop": "/safety/limits/2/threshold_n"}])", "/safety/limits/2", "\"threshold_n\"");
  row("two thresholds", R"([{"set": "/safety/limits/2/threshold_n_m", "to": 1}])", "/safety/limits/2/threshold_n_m",
      "cannot stand beside");
  row("threshold zero", R"([{"set": "/safety/limits/4/threshold_m", "to": 0}])", "/safety/limits/4/threshold_m",
      "greater than 0");
  row("action unknown", R"([{"set": "/safety/limits/0/action", "to": "halt"}])", "/safety/limits/0/action", "\"hold\"");
  row("scheme unknown", R"([{"set": "/integrator/scheme", "to": "euler"}])", "/integrator/scheme", "\"newmark\"");
  row("no amplitude", R"([{"drop": "/excitation/signals/0/amplitude_m"}])", "/excitation/signals/0", "\"amplitude_n\"");
  row("two amplitudes", R"([{"set": "/excitation/signals/0/amplitude_n", "to": 1}])",
      "/excitation/signals/0/amplitude_n", "cannot stand beside");
  row("load on nothing", R"([{"drop": "/excitation/loads/1/support"}])", "/excitation/loads/1", "\"mass\"");
  row("load on two", R"([{"set": "/excitation/loads/1/mass", "to": "m1"}])", "/excitation/loads/1/mass", "\"support\"");
  row("prediction as text", R"([{"set": "/compensation/prediction_ticks", "to": "6"}])",
      "/compensation/prediction_ticks", "a list of such numbers");
  row("prediction negative", R"([{"set": "/compensation/prediction_ticks", "to": [6, -1]}])",
      "/compensation/prediction_ticks/1", "at least 0");
  row("wrong format", R"([{"set": "/format", "to": "hybridbench"}])", "/format", "hybridbench-project");
  row("wrong version", R"([{"set": "/version", "to": 3}])", "/version", "2");
  row("scale and peak",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "ground-motion", "file": "a.csv", "scale": 1, "peak_m": 0.01}}])",
      "/excitation/signals/0/peak_m", "keep one");
  row("scale and peak acceleration",
      R"([{"set": "/excitation/signals/0", "to": {"name": "walls", "kind": "ground-motion", "file": "a.csv", "scale": 1, "peak_mps2": 1}}])",
      "/excitation/signals/0/peak_mps2", "keep one");
  row("too many bits", R"([{"set": "/rig/force_sensor/bits", "to": 33}])", "/rig/force_sensor/bits", "32 bit");
  row("seed negative", R"([{"set": "/rig/seed", "to": -1}])", "/rig/seed", "at least 0");
}

void SchemaTest::everyFaultIsNamed() {
  QFETCH(QString, patch);
  QFETCH(QString, where);
  QFETCH(QString, word);
  const auto issues = validate(mutate(base(), patch.toStdString()));
  QVERIFY2(names(issues, where.toStdString(), word.toStdString()), qPrintable(listing(issues)));
  QVERIFY2(issues.size() == 1, qPrintable(listing(issues)));
}

void SchemaTest::allFaultsAtOnce() {
  const auto issues = validate(mutate(base(), R"([
    {"set": "/loop/rate_hz", "to": -1}, {"drop": "/meta/title"}, {"set": "/safety/limits/3/quantity", "to": "noise"},
    {"set": "/excitation/signals/0/frequncy", "to": 8}, {"set": "/structure/links/0/to", "to": "m9"}])"));
  QCOMPARE(issues.size(), 5);  // the last one is meaning, found although other sections are broken
  for (const char* where : {"/loop/rate_hz", "/meta/title", "/safety/limits/3/quantity",
                            "/excitation/signals/0/frequncy", "/structure/links/0/to"})
    QVERIFY2(names(issues, where, ""), where);
}

void SchemaTest::agreesWithTheStandardOnDamagedProjects_data() {
  QTest::addColumn<QByteArray>("document");
  QTest::addColumn<bool>("meaning");  // sound as a whole, so the meaning is judged too
  const auto row = [](const char* name, const char* patch, const Json& from, bool meaning) {
    QTest::newRow(name) << QByteArray::fromStdString(mutate(from, patch).dump()) << meaning;
  };
  row("lumped", R"([
    {"set": "/excitation/signals/1", "to": {"name": "s2", "kind": "multi-sine",
        "components": [{"amplitude_m": 0.001, "frequency_hz": 3, "phase_deg": 10}]}},
    {"set": "/excitation/signals/2", "to": {"name": "s3", "kind": "sweep", "amplitude_n": 1, "start_hz": 1, "end_hz": 9,
        "duration_s": 10, "spacing": "linear"}},
    {"set": "/excitation/signals/3", "to": {"name": "s4", "kind": "square", "amplitude_n": 1, "frequency_hz": 1,
        "rise_s": 0.1}},
    {"set": "/rig/actuators/1", "to": {"model": "pure-delay", "delay_s": 0.002}},
    {"set": "/loop/measured_from_s", "to": 3},
    {"set": "/safety/limits/0/interface", "to": 1}])",
      base(), true);
  row("matrices", R"([
    {"set": "/structure/damping", "to": {"rows": [[1, 0], [0, 1]]}},
    {"set": "/structure/mass", "to": {"file": "M.mat", "variable": "M"}},
    {"set": "/structure/nonlinear", "to": [{"law": "cubic", "name": "n", "from": "floor-1", "stiffness_n_per_m": 1,
        "cubic_n_per_m3": 5}]},
    {"set": "/partition/numerical", "to": {"dofs": ["floor-2"], "k": [[1]]}},
    {"set": "/integrator", "to": {"scheme": "kr-alpha", "rho_inf": 0.5, "substeps": 2, "load": "hold"}}])",
      templateDocument("benchmark-2020-sample"), false);
  row("beam", R"([
    {"set": "/structure", "to": {"kind": "beam", "sections": [{"name": "s", "youngs_modulus_n_per_m2": 2e11,
        "second_moment_m4": 1e-9, "area_m2": 1e-4, "density_kg_per_m3": 7850, "added_mass_kg_per_m": 1}],
        "segments": [{"name": "b", "length_m": 1, "section": "s", "elements": 8}], "supports": [{"position_m": 0}],
        "springs": [{"name": "k", "position_m": 1, "stiffness_n_per_m": 5}],
        "masses": [{"name": "m", "position_m": 1, "mass_kg": 2}], "ground": "floor",
        "damping": {"kind": "modal", "ratios": [0.01], "of_each_part": true}}},
    {"set": "/partition", "to": {"by": "position", "axis": "x", "position_m": 0.5, "physical_side": "before",
        "actuators": [{"name": "a", "motion": "rotation", "terms": [{"dof": "b/4.y", "factor": 2}]}],
        "sensors": [{"name": "a", "terms": [{"dof": "b/4.y"}]}],
        "reduction": {"numerical": {"method": "craig-bampton", "modes": 5}, "physical": {"method": "static"}}}}])",
      base(), false);
  row("frame", R"([
    {"set": "/structure", "to": {"kind": "frame", "sections": [], "nodes": [{"name": "a", "x_m": 0, "y_m": 0,
        "fixed_x": true}, {"name": "b", "x_m": 0, "y_m": 1}],
        "members": [{"name": "c", "from": "a", "to": "b", "section": "s", "elements": 3}],
        "springs": [{"name": "k", "from": "b", "to": "", "direction": "rotation", "stiffness": 5, "damping": 1}],
        "masses": [{"name": "m", "node": "b", "mass_kg": 2, "inertia_kg_m2": 1}],
        "damping": {"kind": "rayleigh-ratios", "ratios": [0.01, 0.02], "frequencies_hz": [1, 2]}}},
    {"set": "/structure/sections/0", "to": {"name": "s", "youngs_modulus_n_per_m2": 2e11,
        "second_moment_m4": 1e-9, "area_m2": 1e-4, "density_kg_per_m3": 7850}},
    {"set": "/partition", "to": {"by": "dofs", "physical": [], "interface": ["b.x"], "share": 0.2}}])",
      base(), false);
}

/// Drops every key, and replaces every value by each of a set of wrong ones: our own check, which exists for its
/// messages, has to judge like a general JSON Schema validator, and never fall over.
void SchemaTest::agreesWithTheStandardOnDamagedProjects() {
  QFETCH(QByteArray, document);
  QFETCH(bool, meaning);
  const PublishedSchema standard(projectSchema().dump());
  const Json whole = Json::parse(document.toStdString());
  const auto judged_whole = meaning ? validate(whole) : checkSchema(whole);
  QVERIFY2(judged_whole.empty() && standard.accepts(whole.dump()), qPrintable(listing(judged_whole)));
  std::vector<Json::json_pointer> places;
  walk(whole, Json::json_pointer(), [&](const Json::json_pointer& place) { places.push_back(place); });

  const std::vector<Json> wrong = {nullptr,
                                   true,
                                   "text",
                                   -1,
                                   0,
                                   1e300,
                                   1e-300,
                                   Json::array(),
                                   Json::object(),
                                   7.5,
                                   "",
                                   "three\nlines",
                                   Json::array({1, "a", nullptr})};
  std::size_t judged = 0, refused = 0;
  const auto judge = [&](const Json& damaged, const std::string& where) {
    const auto all = meaning ? validate(damaged) : checkSchema(damaged);  // must not crash, throw or repeat itself
    QVERIFY2(!hasDuplicates(all), qPrintable(QString::fromStdString(where) + "\n" + listing(all)));
    for (const Issue& issue : all) QVERIFY2(issue.message.size() > 10, qPrintable(listing(all)));
    const auto issues = meaning ? checkSchema(damaged) : all;
    const bool control = !issues.empty() && issues.front().message.find("line breaks") != std::string::npos;
    if (!control)  // line breaks in one-line texts are refused beyond the schema
      QVERIFY2(standard.accepts(damaged.dump()) == issues.empty(),
               qPrintable(QString::fromStdString(where) + " = " + QString::fromStdString(damaged.dump()).left(80) +
                          "\n" + listing(issues)));
    ++judged;
    refused += all.empty() ? 0 : 1;
  };
  const std::size_t stride = test::kThorough ? 1 : 41;
  for (std::size_t p = 0; p < places.size(); p += stride) {
    const Json::json_pointer& place = places[p];
    for (const Json& value : wrong) {
      Json damaged = whole;
      damaged[place] = value;
      judge(damaged, place.to_string());
    }
    if (place.empty()) continue;
    Json damaged = whole;
    Json& owner = damaged[place.parent_pointer()];
    if (owner.is_array())
      owner.erase(std::stoul(place.back()));
    else
      owner.erase(place.back());
    judge(damaged, place.to_string() + " dropped");
  }
  QVERIFY(judged > 2000 / stride && refused > judged / 2);
}

void SchemaTest::numbersAndTextsBeyondJson() {
  Json not_finite = base();  // cannot come from a file, but from a program that uses the library
  not_finite["loop"]["rate_hz"] = std::nan("");
  QVERIFY(names(validate(not_finite), "/loop/rate_hz", "not finite"));
  Json broken_text = base();
  broken_text["meta"]["title"] = "\xFF";
  QVERIFY(names(validate(broken_text), "/meta/title", "UTF-8"));
}

HYB_SUITE(project_schema, SchemaTest)
#include "schema_test.moc"
