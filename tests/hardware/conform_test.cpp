/// Conformity of devices to the rig protocol: those that keep it, and one broken in each rule.
#include "hardware/conform.h"

#include <QFile>

#include "tests/hardware/frames_support.h"
#include "tests/support/served_device.h"

using namespace hyb;
using namespace hyb::test;

namespace {

ConformSpec specOf(const std::string& address) {
  ConformSpec spec;
  spec.address = parseAddress(address, "");
  spec.channels = servedChannels(true);
  spec.answer_s = 10.0;  // for a busy machine; only devices that break a rule let it pass
  return spec;
}

std::string told(const std::vector<ConformResult>& results) {
  std::string text;
  for (const ConformResult& result : results)
    text += std::string(result.rule) + ": " + words(result.conformity) + " " + result.detail + "\n";
  return text;
}

const ConformResult* find(const std::vector<ConformResult>& results, const std::string& rule) {
  for (const ConformResult& result : results)
    if (result.rule == rule) return &result;
  return nullptr;
}

}  // namespace

class ConformTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString keyFile() const { return folder_.filePath("rig.key"); }
  Bytes32 key() const {
    if (!QFile::exists(keyFile())) makeKeyFile(keyFile().toStdString());
    return readKeyFile(keyFile().toStdString());
  }

 private Q_SLOTS:
  void initTestCase() { requirePseudoTerminals(); }

  void devicesThatKeepIt_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("listen");
    QTest::addColumn<bool>("key");
    for (const DeviceKind& kind : deviceKinds())
      for (const char* listen : {"tcp://127.0.0.1:0", "serial:pty"})
        for (const bool key : {false, true})
          if ((std::string_view(kind.name) == "server" && std::string_view(listen).starts_with("tcp") && !key) ||
              (triesKits() && (!key || std::string_view(kind.name) != "server")))
            QTest::addRow("%s, %s%s", kind.name, listen, key ? ", key" : "") << kind.name << listen << key;
  }
  void devicesThatKeepIt() {
    QFETCH(QString, kind);
    QFETCH(QString, listen);
    QFETCH(bool, key);
    ConformSpec spec;
    std::unique_ptr<ServedDevice> device;
    if (key) {
      const Bytes32 shared = this->key();
      device = deviceKind(kind.toStdString()).serve(listen.toStdString(), {"--key-file", keyFile()});
      spec = specOf(device->address());
      spec.key = shared;
    } else {
      device = deviceKind(kind.toStdString()).serve(listen.toStdString(), {});
      spec = specOf(device->address());
    }
    // The server of the tests is patient with silent benches; what a busy machine makes late is tried with the kits.
    QStringList left_out;
    if (kind == "server") left_out << "place";
    if (!triesKits())
      left_out << "stale"
               << "watchdog"
               << "hold";
    std::vector<std::string> names;
    for (const ConformRule& rule : conformRules())
      if (!left_out.contains(rule.name)) names.emplace_back(rule.name);
    const std::vector<ConformResult> results = conform(spec, names);
    QCOMPARE(results.size(), names.size());
    for (const ConformResult& result : results) {
      const bool tries = (std::string_view(result.rule) != "key" || key) &&
                         (std::string_view(result.rule) != "close" || !listen.startsWith("serial")) &&
                         (std::string_view(result.rule) != "clamps" || kind != "server");
      QVERIFY2(result.conformity == (tries ? Conformity::kept : Conformity::not_tried), told(results).c_str());
    }
  }

  void devicesThatBreakARule_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("listen");
    for (const ConformRule& rule : conformRules()) {
      if (!triesKits()) continue;
      QTest::addRow("%s, TCP", rule.name) << rule.name << rule.name << "tcp://127.0.0.1:0";
      if (std::string_view(rule.name) == "damage")
        QTest::addRow("%s, serial", rule.name) << rule.name << rule.name << "serial:pty";
    }
    if (triesKits())
      QTest::newRow("watchdog, early") << "watchdog-early"
                                       << "watchdog"
                                       << "tcp://127.0.0.1:0";
  }
  void devicesThatBreakARule() {
    if (!triesKits()) return;
    QFETCH(QString, fault);
    QFETCH(QString, rule);
    QFETCH(QString, listen);
    const QString script = QString::fromUtf8(kSourceDir) + "/tests/hardware/broken_rig.py";
    QStringList arguments{"-B", script, fault, pythonKit()};
    const Bytes32 shared = key();
    if (rule == "key") arguments << "--key-file" << keyFile();
    KitDevice device("python3", arguments, listen.toStdString());
    ConformSpec spec = specOf(device.address());
    if (rule == "key") spec.key = shared;
    const std::vector<ConformResult> results = conform(spec, {rule.toStdString()});
    const ConformResult* const found = find(results, rule.toStdString());
    QVERIFY2(found != nullptr && found->conformity == Conformity::broken && !found->detail.empty(),
             told(results).c_str());
    for (const ConformResult& result : results)
      QVERIFY2(&result == found || result.conformity == Conformity::kept, told(results).c_str());
  }

  /// Who does not even greet is told so once.
  void nobodyWhoGreets() {
    FakeRig rig([](FakeRig& fake) { (void)fake.await(FrameType::bye); });
    ConformSpec spec = specOf(rig.address());
    spec.answer_s = 0.2;
    const std::vector<ConformResult> results = conform(spec);
    QCOMPARE(results.size(), conformRules().size());
    QVERIFY2(results.front().conformity == Conformity::broken, told(results).c_str());
    QVERIFY(has(results.front().detail, "HELLO was not answered by WELCOME"));
    for (std::size_t k = 1; k < results.size(); ++k) QVERIFY(results[k].conformity == Conformity::not_tried);
  }

  void unknownRules() { QVERIFY_THROWS_EXCEPTION(InputError, conform(specOf("tcp://127.0.0.1:1"), {"no-such-rule"})); }
};

HYB_SUITE(conform, ConformTest)
HYB_THREADS(conform)
#include "conform_test.moc"
