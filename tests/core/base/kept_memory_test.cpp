/// What is freed stays with the process: a long series made again touches no new page.
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>

#include "core/base/allocation_guard.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class KeptMemoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (!AllocationGuard::active()) HYB_SKIP("a sanitizer owns the allocator");
  }

  void aLongSeriesMadeAgainTouchesNoNewPage_data() {
    QTest::addColumn<int>("bytes");
    QTest::newRow("200 kB") << 200'000;
    QTest::newRow("8 MB") << 8'000'000;
    QTest::newRow("30 MB") << 30'000'000;
  }
  void aLongSeriesMadeAgainTouchesNoNewPage() {
    QFETCH(int, bytes);
    const auto fill = [bytes] {
      void* volatile series = std::malloc(static_cast<std::size_t>(bytes));
      std::memset(series, 1, static_cast<std::size_t>(bytes));
      std::free(series);
    };
    fill();
    const long before = newPages();
    for (int k = 0; k < 10; ++k) fill();
    const long touched = newPages() - before;
    QVERIFY2(touched < bytes / 4096 / 10,
             qPrintable(QString("%1 of %2 pages in ten times").arg(touched).arg(bytes / 4096)));
  }

 private:
  static long newPages() {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
  }
};

HYB_SUITE(kept_memory, KeptMemoryTest)
#include "kept_memory_test.moc"
