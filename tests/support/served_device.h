#pragma once
#include <sys/prctl.h>

#include <QProcess>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/served_twin.h"

namespace hyb::test {

/// A device that speaks the rig protocol, for suites that all of them pass: two actuators, measured_i, force_i.
class ServedDevice {
 public:
  virtual ~ServedDevice() = default;
  virtual std::string address() const = 0;
  /// What it has said until now, one line per event.
  virtual std::string log() = 0;
  bool said(const std::string& words) { return log().find(words) != std::string::npos; }
};

/// The rig server of the program, in this process.
class BuiltInDevice final : public ServedDevice {
 public:
  explicit BuiltInDevice(const std::string& listen) : served_(listen) {}
  std::string address() const override { return served_.address(); }
  std::string log() override { return served_.log(); }

 private:
  ServedTwin served_;
};

/// An example of the rig kit as a process of its own.
class KitDevice final : public ServedDevice {
 public:
  KitDevice(const QString& program, QStringList arguments, const std::string& listen) {
    arguments << QStringLiteral("--listen") << QString::fromStdString(listen);
    // It ends with the suite, also where that ends at once.
    process_.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGTERM); });
    process_.start(program, arguments);
    QByteArray line;
    for (QElapsedTimer time; !line.endsWith('\n') && (!time.isValid() || time.elapsed() < kHangs_ms);) {
      if (!time.isValid()) time.start();
      if (!process_.waitForReadyRead(50) && process_.state() == QProcess::NotRunning) break;
      line += process_.readLine();
    }
    const QByteArray head("serving at ");
    if (!line.startsWith(head)) throw std::runtime_error("the kit serves nothing: " + log());
    address_ = line.mid(head.size()).trimmed().toStdString();
  }
  ~KitDevice() override {
    process_.terminate();
    process_.waitForFinished(kHangs_ms);
  }
  std::string address() const override { return address_; }
  std::string log() override {
    process_.waitForReadyRead(0);
    log_ += process_.readAllStandardError().toStdString();
    return log_;
  }
  QProcess& process() { return process_; }

 private:
  QProcess process_;
  std::string address_, log_;
};

/// One kind of device.
struct DeviceKind {
  const char* name;
  std::unique_ptr<ServedDevice> (*serve)(const std::string& listen, const QStringList& arguments);
};

inline QString pythonKit() { return QString::fromUtf8(kSourceDir) + QStringLiteral("/resources/rig-kit/python/"); }

/// The built-in server, and the examples of the kit. "C, float": numbers of four bytes, as on small controllers.
inline const std::vector<DeviceKind>& deviceKinds() {
  static const std::vector<DeviceKind> all = {
      {"server",
       [](const std::string& listen, const QStringList&) -> std::unique_ptr<ServedDevice> {
         return std::make_unique<BuiltInDevice>(listen);
       }},
      {"C kit",
       [](const std::string& listen, const QStringList& arguments) -> std::unique_ptr<ServedDevice> {
         return std::make_unique<KitDevice>(QString::fromUtf8(kPlugIns) + QStringLiteral("/linux_rig"), arguments,
                                            listen);
       }},
      {"C kit, float",
       [](const std::string& listen, const QStringList& arguments) -> std::unique_ptr<ServedDevice> {
         return std::make_unique<KitDevice>(QString::fromUtf8(kPlugIns) + QStringLiteral("/linux_rig_float"), arguments,
                                            listen);
       }},
      {"Python kit", [](const std::string& listen, const QStringList& arguments) -> std::unique_ptr<ServedDevice> {
         return std::make_unique<KitDevice>(
             QStringLiteral("python3"),
             QStringList{QStringLiteral("-B"), pythonKit() + QStringLiteral("example_rig.py")} + arguments, listen);
       }}};
  return all;
}

/// The kits are processes with a time of their own, which a busy machine makes late: tests/thorough tries what they
/// keep.
inline bool triesKits() { return qEnvironmentVariableIsSet("HYB_KITS"); }

/// The one with that name.
inline const DeviceKind& deviceKind(std::string_view name) {
  for (const DeviceKind& kind : deviceKinds())
    if (kind.name == name) return kind;
  throw std::logic_error("no such device");
}

}  // namespace hyb::test
