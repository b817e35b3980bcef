/// Bench and UDP target as two processes over loopback: the peer of the help page, and the twin of the program.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <memory>

#include "core/base/json.h"
#include "core/project/project.h"
#include "resources/resources.h"
#include "tests/support/paths.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

/// The first block of the page that begins with this fence.
QString blockOf(const QString& page, const QString& fence) {
  const qsizetype start = page.indexOf("\n" + fence + "\n") + fence.size() + 2;
  return page.mid(start, page.indexOf("\n```", start) - start);
}

/// The page of UDP targets with free ports, so that several tests can run at once.
struct Page {
  Page() {
    const std::string_view all = resourceText("help/connection/udp.md");
    text = QString::fromUtf8(all.data(), static_cast<qsizetype>(all.size()));
    for (const char* port : {"5005", "5006"}) text.replace(port, QString::number(freePort()));
  }
  static int freePort() {
    const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof name;
    ::bind(socket, reinterpret_cast<sockaddr*>(&name), size);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&name), &size);
    ::close(socket);
    return ntohs(name.sin_port);
  }
  /// three-mass with the block of the page.
  Json project() const {
    QString block = text.mid(text.indexOf("\"use\": \"rig\""));
    block = "{" + block.left(block.indexOf("\n```")) + "}";
    Json document = templateDocument("three-mass");
    document["rig"].update(Json::parse(block.toStdString()));
    document["compensation"] = {{"method", "none"}};
    return document;
  }
  QString text;
};

void save(const QString& path, const QByteArray& text) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  QCOMPARE(file.write(text), static_cast<qint64>(text.size()));
}

struct UdpOutcome {
  int code = -1;
  QByteArray out, err;
};
UdpOutcome udpOutcomeOf(const QStringList& arguments) {
  QProcess process;
  process.start(test::kProgram, arguments);
  const bool ended = process.waitForFinished(test::kHangs_ms);
  return {ended ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

/// A process that is up once it has said so.
class Served {
 public:
  Served(const QString& program, const QStringList& arguments, const char* ready) {
    process_.start(program, arguments);
    while (!out.contains(ready) && process_.waitForReadyRead(test::kHangs_ms)) out += process_.readAllStandardOutput();
  }
  ~Served() {
    process_.kill();
    process_.waitForFinished(test::kHangs_ms);
  }
  QByteArray errors() { return process_.readAllStandardError(); }
  QByteArray out;

 private:
  QProcess process_;
};

/// Time-outs of a busy machine end no test here.
Json patient(Json document) {
  document["rig"]["connection"]["timeout_ticks"] = 100'000;
  document["rig"]["connection"]["connect_s"] = 30;
  document["safety"]["limits"] = Json::array({{{"quantity", "link-lost"}, {"action", "stop"}}});
  return document;
}

}  // namespace

class UdpLinkTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The block and the peer as they stand on the page, but for their ports.
  void theHelpPageWorks() {
    const Page page;
    QTemporaryDir folder;
    const QString project = folder.filePath("udp.json"), peer = folder.filePath("target.py");
    save(project, QByteArray::fromStdString(page.project().dump(1)));
    const UdpOutcome checked = udpOutcomeOf({"check", project});
    QVERIFY2(checked.code == 0, (checked.out + checked.err).constData());
    const QString script = blockOf(page.text, "```python");
    QVERIFY(script.count('\n') + 1 <= 32);
    save(peer, script.toUtf8());
    Served target("python3", {peer}, "ready");
    QVERIFY2(target.out.contains("ready"), target.errors().constData());
    save(project, QByteArray::fromStdString(patient(page.project()).dump(1)));
    for (const char* pace : {"--free-run", "--real-time"}) {
      const UdpOutcome run =
          udpOutcomeOf({"run", project, pace, "--duration", "5", "-o", folder.filePath("run.h5"), "--json"});
      QVERIFY2(run.code == 0, run.err.constData());
      const Json result = Json::parse(run.out.toStdString());
      QVERIFY2(result.value("stop_reason", "") == "completed", run.out.constData());
      const Json& link = result.at("link");
      qInfo("%s: %s", pace, link.dump().c_str());
      QVERIFY(link.at("round_trip_ms").at("median").get<double>() > 0.0);
      for (const char* count : {"corrupt", "doubled", "foreign"}) QCOMPARE(link.at(count).get<int>(), 0);
      for (const Json& face : result.at("metrics").at("interfaces")) {
        const double error = face.at("tracking_nrmse_percent").get<double>();
        qInfo("%s: tracking error %.2f %%", face.at("name").get<std::string>().c_str(), error);
        if (pace == QString("--free-run")) QVERIFY(error < 10.0);
      }
      QVERIFY(QFile::remove(folder.filePath("run.h5")));
    }
  }

  /// The page's change of the peer and of the block, as two processes.
  void theTargetOfThePageLeads() {
    const Page page;
    QTemporaryDir folder;
    const QString project = folder.filePath("udp.json"), peer = folder.filePath("target.py");
    const QString first = blockOf(page.text, "```python");
    const QString second = blockOf(page.text.mid(page.text.indexOf("with a clock of its own")), "```python");
    save(peer, (first.left(first.indexOf("print(")) + second).toUtf8());
    Json document = patient(page.project());
    document["rig"]["connection"]["leads"] = "target";
    const UdpOutcome refused = [&] {
      save(project, QByteArray::fromStdString(document.dump(1)));
      return udpOutcomeOf({"check", project});
    }();
    QVERIFY2(refused.code == 2 && (refused.out + refused.err).contains("number of datagrams a second"),
             (refused.out + refused.err).constData());
    document["rig"]["connection"]["target_rate_hz"] = document["loop"]["rate_hz"];
    save(project, QByteArray::fromStdString(document.dump(1)));
    Served target("python3", {peer}, "ready");
    QVERIFY2(target.out.contains("ready"), target.errors().constData());
    const UdpOutcome run =
        udpOutcomeOf({"run", project, "--real-time", "--duration", "5", "-o", folder.filePath("run.h5"), "--json"});
    // Without processor time neither side keeps a rate. That the bench says so of this target shows that it reads it.
    if ((run.out + run.err).contains("datagrams a second")) {
      qInfo("too busy: %s%s", run.out.constData(), run.err.constData());
      return;
    }
    QVERIFY2(run.code == 0, run.err.constData());
    const Json result = Json::parse(run.out.toStdString());
    QVERIFY2(result.value("stop_reason", "") == "completed", run.out.constData());
    qInfo("%s, %d ticks, %d missed periods", result.at("link").dump().c_str(), result.at("ticks").get<int>(),
          result.at("missed_periods").get<int>());
    for (const char* count : {"corrupt", "doubled", "foreign"}) QCOMPARE(result.at("link").at(count).get<int>(), 0);
  }

  void theTwinBehindTheSameWire() {
    const Page page;
    QTemporaryDir folder;
    const QString project = folder.filePath("udp.json");
    Json document = patient(page.project());
    Served rig(test::kProgram,
               {"rig", "three-mass", "--listen", "udp://127.0.0.1:0", "--json", "--set",
                QString::fromStdString("/rig/connection=" + document["rig"]["connection"].dump()), "--set",
                QString::fromStdString("/rig/channels=" + document["rig"]["channels"].dump())},
               "}");
    const Json served = Json::parse(rig.out.toStdString(), nullptr, false);
    QVERIFY2(served.is_object(), rig.errors().constData());
    document["rig"]["connection"]["address"] = served.at("address");
    document["compensation"] = templateDocument("three-mass").at("compensation");
    save(project, QByteArray::fromStdString(document.dump(1)));
    const UdpOutcome run =
        udpOutcomeOf({"run", project, "--free-run", "--duration", "5", "-o", folder.filePath("run.h5"), "--json"});
    QVERIFY2(run.code == 0, (run.err + rig.errors()).constData());
    const Json result = Json::parse(run.out.toStdString());
    QVERIFY2(result.value("stop_reason", "") == "completed", run.out.constData());
    qInfo("%s", result.at("link").dump().c_str());
    for (const Json& face : result.at("metrics").at("interfaces"))
      QVERIFY(face.at("tracking_nrmse_percent").get<double>() < 5.0);
  }

  void whatDoesNotFitIsRefused() {
    const UdpOutcome frames = udpOutcomeOf({"rig", "three-mass", "--listen", "udp://127.0.0.1:0"});
    QCOMPARE(frames.code, 2);
    QVERIFY2(frames.err.contains("/rig/connection/protocol"), frames.err.constData());
    const Page page;
    QTemporaryDir folder;
    Json document = page.project();
    document["rig"]["connection"]["receives"].erase(6);
    document["rig"]["connection"]["address"] = "tcp://127.0.0.1:5006";
    save(folder.filePath("udp.json"), QByteArray::fromStdString(document.dump()));
    const UdpOutcome checked = udpOutcomeOf({"check", folder.filePath("udp.json")});
    QCOMPARE(checked.code, 2);
    for (const char* words : {"no field for the channel \"f2\"", "udp://HOST:PORT"})
      QVERIFY2((checked.out + checked.err).contains(words), (checked.out + checked.err).constData());
  }
};

HYB_SUITE(udp_link, UdpLinkTest)
#include "udp_link_test.moc"
