#pragma once
#include <QElapsedTimer>
#include <QThread>
#include <QtTest>

// Waiting for an event: Qt's own limit of five seconds is a guess at how busy a computer may be. These come back as
// soon as what they wait for is there, and give up only when something hangs.
namespace hyb::test {

constexpr int kHangs_ms = 120'000;

/// Asks again, and does what asking does, until it is so; false when that takes for ever. A millisecond lies between
/// two questions, so that what is waited for gets the processor.
template <typename Done>
bool comesTrue(Done done) {
  QElapsedTimer time;
  for (time.start(); time.elapsed() < kHangs_ms; QThread::msleep(1))
    if (done()) return true;
  return false;
}

}  // namespace hyb::test

#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(expression) QTRY_VERIFY_WITH_TIMEOUT((expression), hyb::test::kHangs_ms)
#define QTRY_VERIFY2(expression, words) QTRY_VERIFY2_WITH_TIMEOUT((expression), (words), hyb::test::kHangs_ms)
#define QTRY_COMPARE(actual, expected) QTRY_COMPARE_WITH_TIMEOUT((actual), (expected), hyb::test::kHangs_ms)
