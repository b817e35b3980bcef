/// Every fault of a program that leads, in both of its conversations: a test from project to file that ends as the
/// table says, with the reason in it. The program is never left without an answer that it waits for, no command is
/// beyond the limits, and no row is lost. The matrix is printed.
#include <QTemporaryDir>
#include <cmath>
#include <limits>
#include <map>

#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "core/run/test_run.h"
#include "hardware/program_site.h"
#include "tests/support/led_bench.h"
#include "tests/support/led_run.h"
#include "tests/support/patience.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

using Sizes = std::array<std::int32_t, 11>;

/// A column: a coupling, and how its program speaks.
struct LedKind {
  const char* name;
  Json (*coupling)();
  Sizes sizes;
  double question;    // code that asks for measured values
  std::size_t force;  // place of the force in the answer
};
const std::array<LedKind, 3>& ledKinds() {
  static const std::array<LedKind, 3> all = {
      {{"external",
        [] {
          return Json{{"scheme", "external"},       {"ramp_ticks", 5},      {"settle_ticks", 3},
                      {"length_factor", 0.001},     {"force_factor", 1000}, {"time_factor", 1},
                      {"stiffness_n_per_m", {2000}}};
        },
        {1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256},
        10.0,
        0},
       {"openfresco",
        [] {
          return Json{{"scheme", "openfresco"}, {"step_ticks", 10}, {"length_factor", 0.001}, {"force_factor", 1000}};
        },
        {1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 256},
        6.0,
        1},
       {"openfresco, steps",
        [] {
          return Json{{"scheme", "openfresco"}, {"step_ticks", 10},       {"order", 0},
                      {"settle_ticks", 3},      {"length_factor", 0.001}, {"force_factor", 1000}};
        },
        {1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 256},
        6.0,
        1}}};
  return all;
}

/// The program, after it has begun a test.
struct LeadingModel : LedClient {
  LeadingModel(const std::string& address, const LedKind& given) : LedClient(address), kind(given) {
    sendSizes(kind.sizes);
  }
  std::vector<double> ask() { return LedClient::ask({kind.question}); }
  /// The answer at this target, in mm.
  std::vector<double> step(double target) {
    request({3.0, target});
    return ask();
  }
  void end() { request({99.0}); }
  const LedKind& kind;
};

constexpr double kNoTarget = std::numeric_limits<double>::quiet_NaN();
bool noNumbers(const std::vector<double>& answer) { return !answer.empty() && std::isnan(answer.front()); }

enum class LedEnd : std::uint8_t { goes_on, client_lost, not_a_number, limit };
constexpr std::array<const char*, 4> kLedEnds = {"goes on", "client lost", "not a number", "limit"};

struct LedExpected {
  LedEnd end;
  const char* told;  // part of an event or of the sentence at the end
};
using Stranger = std::unique_ptr<LedClient>;
/// A row. `before`: another program that connects ahead of the model, and stays. `play`: in the middle of the test;
/// false: the model was not answered as it has to be.
struct LedRow {
  const char* name;
  Stranger (*before)(const std::string& address, const LedKind& kind);
  bool (*play)(std::unique_ptr<LeadingModel>& model, const std::string& address);
  LedExpected expected;
  std::optional<LedExpected> external = {};  // where it is another end
};

Stranger strangerWith(const std::string& address, const void* bytes, std::size_t count) {
  auto stranger = std::make_unique<LedClient>(address);
  stranger->send(bytes, count);
  return stranger;
}

const std::vector<LedRow>& ledRows() {
  using LeadingModels = std::unique_ptr<LeadingModel>;
  constexpr auto kNothing = [](LeadingModels&, const std::string&) { return true; };
  static const std::vector<LedRow> rows = {
      {"nothing", nullptr, kNothing, {LedEnd::goes_on, "client connected"}},
      {"target twice",
       nullptr,
       [](LeadingModels& model, const std::string&) {
         model->request({3.0, 1.0});
         return !model->step(1.0).empty();
       },
       {LedEnd::goes_on, ""}},
      {"asked twice",
       nullptr,
       [](LeadingModels& model, const std::string&) {
         const std::vector<double> first = model->step(1.0);
         return !first.empty() && model->ask() == first;
       },
       {LedEnd::goes_on, ""}},
      {"in pieces",
       nullptr,
       [](LeadingModels& model, const std::string&) {
         std::array<double, 256> block{3.0, 1.0};
         const auto* const bytes = reinterpret_cast<const char*>(block.data());
         for (std::size_t at = 0; at < sizeof block; at += 7)
           model->send(bytes + at, std::min<std::size_t>(7, sizeof block - at));
         return !model->ask().empty();
       },
       {LedEnd::goes_on, ""}},
      {"unknown code",
       nullptr,
       [](LeadingModels& model, const std::string&) {
         model->request({4.1});
         return !model->step(1.0).empty();
       },
       {LedEnd::goes_on, "4.1"}},
      {"unknown codes",
       nullptr,
       [](LeadingModels& model, const std::string&) {
         for (const double code : {4.1, 4.2, kNoTarget}) model->request({code});
         model.reset();
         return true;
       },
       {LedEnd::client_lost, "out of step"}},
      {"not a number",
       nullptr,
       [](LeadingModels& model, const std::string&) {
         return noNumbers(model->step(kNoTarget)) && noNumbers(model->step(1.0));
       },
       {LedEnd::not_a_number, "was not a number"}},
      {"beyond a limit",
       nullptr,
       [](LeadingModels& model, const std::string&) {
         // Refused and answered where the rig stands, or a limit that ends the test.
         const std::vector<double> answer = model->step(1000.0);
         return !answer.empty() && (model->kind.force == 0 ? noNumbers(answer) : std::abs(answer[0]) < 5.0);
       },
       {LedEnd::goes_on, "refused"},
       LedExpected{LedEnd::limit, "ommand"}},
      {"half a block",
       nullptr,
       [](LeadingModels& model, const std::string&) {
         const std::array<double, 100> part{3.0, 1.0};
         model->send(part.data(), sizeof part);
         model.reset();
         return true;
       },
       {LedEnd::client_lost, "in the middle of a block (800 bytes)"}},
      {"gone",
       nullptr,
       [](LeadingModels& model, const std::string&) {
         model.reset();
         return true;
       },
       {LedEnd::client_lost, "without ending the session"}},
      {"gone while it waits",
       nullptr,
       [](LeadingModels& model, const std::string&) {
         model->request({3.0, 2.0});
         model->request({model->kind.question});
         model.reset();
         return true;
       },
       {LedEnd::client_lost, "without ending the session"}},
      {"flood",
       nullptr,
       [](LeadingModels& model, const std::string&) {
         const std::vector<std::uint8_t> noise(1 << 20, '7');
         model->send(noise.data(), noise.size());
         model.reset();
         return true;
       },
       {LedEnd::client_lost, "out of step"}},
      {"a second model",
       nullptr,
       [](LeadingModels& model, const std::string& address) {
         LeadingModel second(address, model->kind);  // waits until the first has gone
         second.request({3.0, 5.0});
         return !model->step(1.0).empty();
       },
       {LedEnd::goes_on, ""}},
      {"wrong sizes",
       [](const std::string& address, const LedKind& kind) {
         Sizes sizes = kind.sizes;
         sizes[0] = 2;
         return strangerWith(address, sizes.data(), sizeof sizes);
       },
       kNothing,
       {LedEnd::goes_on, "refused"}},
      {"other byte order",
       [](const std::string& address, const LedKind& kind) {
         Sizes sizes = kind.sizes;
         for (std::int32_t& size : sizes)
           size = static_cast<std::int32_t>(__builtin_bswap32(static_cast<std::uint32_t>(size)));
         return strangerWith(address, sizes.data(), sizeof sizes);
       },
       kNothing,
       {LedEnd::goes_on, "refused"}},
      {"nonsense",
       [](const std::string& address, const LedKind&) {
         const std::string text = "GET / HTTP/1.1\r\nHost: bench\r\nAccept: everything\r\n\r\n";
         return strangerWith(address, text.data(), text.size());
       },
       kNothing,
       {LedEnd::goes_on, "refused"}},
      {"half the sizes",
       [](const std::string& address, const LedKind& kind) { return strangerWith(address, kind.sizes.data(), 20); },
       kNothing,
       {LedEnd::goes_on, "gave way to the next one after 20 bytes"}},
      {"silence first",
       [](const std::string& address, const LedKind&) { return std::make_unique<LedClient>(address); },
       kNothing,
       {LedEnd::goes_on, "gave way to the next one after 0 bytes"}},
      {"half, then gone",
       [](const std::string& address, const LedKind& kind) -> Stranger {
         (void)strangerWith(address, kind.sizes.data(), 20);
         return nullptr;
       },
       kNothing,
       {LedEnd::goes_on, "before its sizes were complete"}},
  };
  return rows;
}

}  // namespace

class LedFaultsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::map<std::string, std::map<std::string, QString>> matrix_;

 private Q_SLOTS:
  void everyFaultOfEveryProgram_data() {
    QTest::addColumn<int>("row");
    QTest::addColumn<int>("column");
    for (std::size_t r = 0; r < ledRows().size(); ++r)
      for (std::size_t c = 0; c < ledKinds().size(); ++c)
        QTest::addRow("%s, %s", ledRows()[r].name, ledKinds()[c].name) << static_cast<int>(r) << static_cast<int>(c);
  }
  void everyFaultOfEveryProgram() {
    QFETCH(int, row);
    QFETCH(int, column);
    const LedRow& asked = ledRows()[static_cast<std::size_t>(row)];
    const LedKind& kind = ledKinds()[static_cast<std::size_t>(column)];
    const LedExpected expected = asked.external && kind.force == 0 ? *asked.external : asked.expected;

    RunOptions options;
    options.pace = Pace::free_run;
    options.file = folder_.filePath(QStringLiteral("run.h5")).toStdString();
    std::filesystem::remove(options.file);
    options.site = makeProgramSite;
    TestRun run(parseProject(springThatIsLed(kind.coupling())), options);
    run.arm();
    run.start();
    const Stranger stranger = asked.before != nullptr ? asked.before(run.siteAddress(), kind) : nullptr;
    auto model = std::make_unique<LeadingModel>(run.siteAddress(), kind);
    for (int step = 1; step <= 10; ++step) {
      const std::vector<double> answer = model->step(0.2 * step);
      QVERIFY2(answer.size() == 256 && std::isfinite(answer[kind.force]), qPrintable(QString::number(step)));
    }
    QVERIFY(asked.play(model, run.siteAddress()));
    if (expected.end == LedEnd::goes_on) {
      for (int step = 10; step >= 1; --step) QVERIFY(std::isfinite(model->step(0.1 * step).at(kind.force)));
      model->end();
    }
    QVERIFY(comesTrue([&] { return run.ended(); }));
    if (model && expected.end != LedEnd::goes_on) QVERIFY(noNumbers(model->ask()));  // it is still there
    const RunResult result = run.finish();
    const char* const why = result.stop_reason.c_str();

    constexpr std::array<EndReason, 4> kReasons = {EndReason::completed, EndReason::client_lost,
                                                   EndReason::not_a_number, EndReason::limit};
    QVERIFY2(result.reason == kReasons[static_cast<std::size_t>(expected.end)], why);
    QVERIFY2(result.complete == (expected.end == LedEnd::goes_on), why);
    const RunFileReader file(options.file);
    QCOMPARE(file.info().rows, result.ticks);
    QCOMPARE(file.info().stop_reason, result.stop_reason);
    std::string told = result.stop_reason;
    for (const RecordedEvent& event : file.events()) told += "\n" + event.message;
    QVERIFY2(told.find(expected.told) != std::string::npos, told.c_str());

    // What the actuator was told: always a number, never beyond the limit, and at rest in the end where it could ramp.
    const std::vector<double> commands = file.read("acquisition/command_1");
    for (const double command : commands) QVERIFY2(std::abs(command) <= 0.01, qPrintable(QString::number(command)));
    if (expected.end == LedEnd::client_lost)
      QVERIFY2(std::abs(commands.back()) < 1e-4, qPrintable(QString::number(commands.back())));
    matrix_[asked.name][kind.name] = kLedEnds[static_cast<std::size_t>(expected.end)];
  }

  void cleanupTestCase() {
    QString text = QString("%1").arg("fault", -20);
    for (const LedKind& kind : ledKinds()) text += QString(" %1").arg(kind.name, -18);
    for (const LedRow& row : ledRows()) {
      text += QString("\n%1").arg(row.name, -20);
      for (const LedKind& kind : ledKinds()) {
        const QString& cell = matrix_[row.name][kind.name];
        text += QString(" %1").arg(cell.isEmpty() ? "FAILED" : cell, -18);
      }
    }
    qInfo().noquote() << "End of a test that is led\n" + text;
  }
};

HYB_SUITE(led_faults, LedFaultsTest)
HYB_THREADS(led_faults)
#include "led_faults_test.moc"
