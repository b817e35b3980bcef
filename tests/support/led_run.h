#pragma once
#include <QDeadlineTimer>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <string>

#include "core/project/project.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"

namespace hyb::test {

/// A spring of 2 kN/m on the rig, in the hands of a program that computes a mass of 10 kg and leads by this coupling.
inline Json springThatIsLed(Json coupling) {
  Json document = Json::parse(R"({
    "format": "hybridbench-project", "version": 2, "meta": {"title": "Spring for another program"},
    "structure": {"kind": "lumped", "masses": [{"name": "z", "mass_kg": 10}], "supports": [{"name": "ground"}],
      "links": [{"name": "tested", "from": "ground", "to": "z", "stiffness_n_per_m": 2000},
                {"name": "computed", "from": "ground", "to": "z", "stiffness_n_per_m": 1000}]},
    "partition": {"physical": ["tested"]},
    "excitation": {"signals": [], "loads": []},
    "compensation": {"method": "none"},
    "rig": {"kind": "twin", "actuators": [{"model": "ideal"}]},
    "safety": {"stop_ramp_s": 0.1, "limits": [{"quantity": "command", "threshold_m": 0.01, "action": "stop"}]},
    "loop": {"rate_hz": 1000, "duration_s": 0, "soft_start_s": 0, "soft_end_s": 0}
  })");
  coupling["listen"] = "tcp://127.0.0.1:0";
  document["coupling"] = std::move(coupling);
  return document;
}

/// `hybridbench run p.json -o r.h5` in a folder of its own, waiting for the program that leads it.
class LedRun {
 public:
  QString path(const char* name) const { return folder_.filePath(name); }
  /// The port at which it listens; empty: it has ended instead, see log().
  QString start(const QString& pace) {
    bench_.start(kProgram, {"run", path("p.json"), "-o", path("r.h5"), pace});
    const QRegularExpression place("tcp://127\\.0\\.0\\.1:(\\d+)");
    return told("start the program") ? place.match(QString::fromUtf8(log_)).captured(1) : QString();
  }
  /// It says so on standard error.
  bool told(const char* words) {
    for (QDeadlineTimer patience(kHangs_ms); !log_.contains(words) && !patience.hasExpired();) {
      bench_.waitForReadyRead(100);
      log_ += bench_.readAllStandardError();
      if (bench_.state() == QProcess::NotRunning) break;
    }
    return log_.contains(words);
  }
  bool ends() {
    const bool ended = bench_.state() == QProcess::NotRunning || bench_.waitForFinished(kHangs_ms);
    log_ += bench_.readAllStandardError();
    return ended;
  }
  int exitCode() const { return bench_.exitCode(); }
  void terminate() { bench_.terminate(); }
  const QByteArray& log() const { return log_; }

 private:
  QTemporaryDir folder_;
  QProcess bench_;
  QByteArray log_;
};

}  // namespace hyb::test
