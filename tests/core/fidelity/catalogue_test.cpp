/// The help page on measures says what the program says.
#include <QFile>

#include "core/fidelity/measure.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;

class CatalogueTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void helpIsTheCatalogue() {
    QFile page(QString::fromUtf8(test::kSourceDir) + QStringLiteral("/resources/help/measures.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(page.readAll());
    for (const Measure& measure : measures()) {
      const QString unit = *measure.unit != '\0' ? QStringLiteral(", ") + measure.unit : QString();
      const QString row = QStringLiteral("| %1 (`%2`)%3 | %4 | %5 |\n")
                              .arg(measure.title, measure.name, unit, measure.description().c_str(), measure.cannot);
      QVERIFY2(text.contains(row), qPrintable(QStringLiteral("resources/help/measures.md lacks this row:\n") + row));
    }
  }

  void eachIsReadForInterfacesOrForTheTest() {
    for (const Measure& measure : measures())
      QVERIFY2((measure.of_interface == nullptr) != (measure.of_test == nullptr), measure.name);
  }

  void olderNamesLeadToTheSameFigure() {
    QCOMPARE(findMeasure("j2"), findMeasure("tracking_nrmse_percent"));
    QCOMPARE(findMeasure("gap_envelope"), findMeasure("gap_peak"));
  }
};

HYB_SUITE(fidelity_catalogue, CatalogueTest)
#include "catalogue_test.moc"
