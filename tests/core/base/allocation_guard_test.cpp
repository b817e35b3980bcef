/// The guard that finds allocations in a tick does find them: what every "allocates nothing" rests on.
#include "core/base/allocation_guard.h"

#include <Eigen/Core>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/core/loop/loop_bench.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// A rig that forgets itself and allocates in its tick.
class WastefulRig final : public Rig {
 public:
  std::size_t interfaces() const noexcept override { return 1; }
  std::string description() const override { return "wasteful"; }
  void open() override {}
  RigStatus read(RigState& state, std::int64_t) noexcept override {
    kept_.push_back(std::make_unique<double>(state.measured[0]));
    return RigStatus::ok;
  }
  RigStatus write(const Command&) noexcept override { return RigStatus::ok; }
  void safeStop() noexcept override {}

 private:
  std::vector<std::unique_ptr<double>> kept_;
};

}  // namespace

class AllocationGuardTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    if (!AllocationGuard::active()) HYB_SKIP("a sanitizer owns the allocator");
  }

  void everyWayToAllocateIsCounted_data() {
    QTest::addColumn<int>("way");
    int way = 0;
    for (const char* name : {"new", "new[]", "aligned new", "malloc", "calloc", "realloc", "aligned_alloc",
                             "posix_memalign", "a vector", "an Eigen product", "a string"})
      QTest::newRow(name) << way++;
  }
  void everyWayToAllocateIsCounted() {
    QFETCH(int, way);
    struct alignas(64) Wide {
      double values[8];
    };
    [[maybe_unused]] static const volatile void* volatile sink;  // or the compiler leaves out what nobody uses
    void* volatile kept = std::malloc(16);
    const Eigen::MatrixXd a = Eigen::MatrixXd::Ones(7, 7);
    const Eigen::VectorXd x = Eigen::VectorXd::Ones(7);
    const AllocationGuard guard;
    std::uint64_t counted = 0;
    const auto count = [&] { counted = guard.count(); };
    void* volatile more = nullptr;
    switch (way) {
      case 0: {
        const auto one = std::make_unique<double>(1.0);
        sink = one.get();
        count();
        break;
      }
      case 1: {
        const auto many = std::make_unique<double[]>(10);
        sink = many.get();
        count();
        break;
      }
      case 2: {
        const auto wide = std::make_unique<Wide>();
        sink = wide.get();
        count();
        break;
      }
      case 3:
        more = std::malloc(100);
        count();
        break;
      case 4:
        more = std::calloc(10, 10);
        count();
        break;
      case 5:
        kept = std::realloc(kept, 100'000);
        count();
        break;
      case 6:
        more = std::aligned_alloc(64, 128);
        count();
        break;
      case 7:
        if (void* aligned = nullptr; ::posix_memalign(&aligned, 64, 128) == 0) more = aligned;
        count();
        break;
      case 8: {
        const std::vector<double> values(10, 1.0);
        sink = values.data();
        count();
        break;
      }
      case 9: {
        Eigen::VectorXd y = a * x;
        count();
        sink = y.data();
        break;
      }
      default: {
        const std::string text(100, 'x');
        sink = text.data();
        count();
        break;
      }
    }
    std::free(more);
    std::free(kept);
    QVERIFY2(counted >= 1, "not counted");
  }

  void anAllocationInTheTickOfARigIsFound() {
    WastefulRig rig;
    RigState state{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    const AllocationGuard guard;
    for (int k = 0; k < 100; ++k) (void)rig.read(state, 1);
    QVERIFY(guard.count() >= 100);
  }

  void otherThreadsAndFreeingDoNotCount() {
    auto given = std::make_unique<double>(1.0);
    std::atomic<int> turn{0};
    std::thread other([&] {
      while (turn.load() == 0) std::this_thread::yield();
      for (int k = 0; k < 100; ++k) std::free(std::malloc(100));
      turn = 2;
    });
    const AllocationGuard guard;
    turn = 1;
    while (turn.load() != 2) std::this_thread::yield();
    given.reset();
    const std::uint64_t counted = guard.count();
    other.join();
    QCOMPARE(counted, std::uint64_t{0});
  }
};

// Not HYB_THREADS: the guard counts nothing under a sanitizer.
HYB_SUITE(allocation_guard, AllocationGuardTest)
#include "allocation_guard_test.moc"
