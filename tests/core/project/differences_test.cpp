/// Settings in which two projects differ, by the names of the form.
#include "core/project/differences.h"

#include "core/project/project.h"
#include "tests/support/suite.h"

using namespace hyb;

class ProjectDifferencesTest : public QObject {
  Q_OBJECT
  static std::vector<ProjectDifference> after(const std::vector<std::string>& changes) {
    Json changed = templateDocument("three-mass");
    for (const std::string& change : changes) setValue(changed, change);
    return differences(templateDocument("three-mass"), changed);
  }

 private Q_SLOTS:
  void equalProjectsHaveNone() { QVERIFY(after({}).empty()); }

  void aValueInASection() {
    const auto found = after({"/loop/duration_s=12.5"});
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found[0].pointer, std::string("/loop/duration_s"));
    QCOMPARE(found[0].unit, std::string("s"));
    QCOMPARE(found[0].b, Json(12.5));
    QVERIFY2(found[0].place.ends_with(" > Duration"), found[0].place.c_str());
  }

  /// An entry of a list has the title of its kind and its number, counted from one.
  void aValueInAnEntryOfAList() {
    const Json document = templateDocument("three-mass");
    const Json& limits = document.at("safety").at("limits");
    Json changed = document;
    changed["safety"]["limits"][1]["threshold_m_per_s"] = 0.0123;
    const auto found = differences(document, changed);
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY2(found[0].place.find(" > Limit 2 > ") != std::string::npos, found[0].place.c_str());
    QCOMPARE(found[0].unit, std::string("m/s"));
    changed = document;
    changed["safety"]["limits"].push_back(limits[0]);
    const auto more = differences(document, changed);
    QCOMPARE(more.size(), std::size_t{1});
    QVERIFY(more[0].a.is_null() && more[0].b == limits[0]);
  }

  /// A default that one of them spells out is no difference; another value is.
  void defaultsThatAreSpelledOut() {
    Json document = templateDocument("three-mass"), changed = document;
    document["recording"].erase("black_box_s");
    changed["recording"]["black_box_s"] = 5.0;
    QVERIFY(differences(document, changed).empty());
    QVERIFY(differences(changed, document).empty());
    changed["recording"]["black_box_s"] = 6.0;
    QCOMPARE(differences(document, changed).size(), std::size_t{1});
  }
};

HYB_SUITE(project_differences, ProjectDifferencesTest)
#include "differences_test.moc"
