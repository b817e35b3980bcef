#include "hardware/drivers.h"

#include <QTest>
#include <algorithm>

#include "core/base/error.h"
#include "tests/support/suite.h"

using namespace hyb;

class DriversTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyProtocolHasADriver() {
    for (const ProtocolEntry& entry : rigProtocols())
      QCOMPARE(std::ranges::count(drivers(), entry.name, &Driver::protocol), std::ptrdiff_t{1});
    QCOMPARE(drivers().size(), rigProtocols().size());
  }

  void withoutAConnectionThereIsNone() { QVERIFY_THROWS_EXCEPTION(InputError, makeDevice(RigSpec(), {})); }
};

HYB_SUITE(drivers, DriversTest)
#include "drivers_test.moc"
