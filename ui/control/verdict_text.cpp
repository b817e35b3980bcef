#include "ui/control/verdict_text.h"

#include <QCoreApplication>

namespace hyb::ui {
namespace {

QString wordOf(std::string_view name) {
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))
      .replace(QLatin1Char('-'), QLatin1Char(' '));
}

QString signOf(const char* mark) {
  const QLatin1String text(mark);
  return text == QLatin1String("ok")        ? QString::fromUtf8("✓")
         : text == QLatin1String("warning") ? QStringLiteral("!")
         : text == QLatin1String("error")   ? QString::fromUtf8("✗")
                                            : QString::fromUtf8("·");
}

const char* endMark(EndReason ended) {
  switch (ended) {
    case EndReason::completed:
      return "ok";
    case EndReason::running:
    case EndReason::unknown:
    case EndReason::imported:
      return "";
    case EndReason::operator_stop:
      return "warning";
    default:
      return "error";
  }
}

}  // namespace

QString endText(EndReason ended) { return wordOf(name(ended)); }

QString gradeText(Grade grade) { return wordOf(name(grade)); }

const char* gradeMark(Grade grade) {
  return grade == Grade::good ? "ok" : grade == Grade::fair ? "warning" : grade == Grade::poor ? "error" : "";
}

VerdictText verdictText(const Verdict& verdict) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("Verdict", text); };
  VerdictText text;
  const char* marks[] = {endMark(verdict.ended), verdict.whole() ? "ok" : "warning", gradeMark(verdict.test)};
  const QString titles[] = {tr("Ended"), tr("Data"), tr("Test")};
  const QString words[] = {endText(verdict.ended), QString::fromStdString(verdict.data()), gradeText(verdict.test)};
  const bool all_good = verdict.ended == EndReason::completed && verdict.whole() && verdict.test == Grade::good;
  for (std::size_t w = 0; w < 3; ++w) {
    const bool ok = QLatin1String(marks[w]) == QLatin1String("ok");
    text.words[w] = {titles[w], words[w], signOf(marks[w]), ok && !all_good ? "" : marks[w]};
  }
  for (const std::string& reason : verdict.reasons) text.reasons << QString::fromStdString(reason);
  return text;
}

QString VerdictText::sentence() const {
  QStringList parts;
  for (const Word& word : words) parts << QStringLiteral("%1: %2").arg(word.title, word.word);
  return parts.join(QStringLiteral(", "));
}

QString VerdictText::shown(QChar between) const {
  constexpr qsizetype kShown = 2;
  const QString text = reasons.mid(0, kShown).join(between);
  return reasons.size() <= kShown
             ? text
             : text + QCoreApplication::translate("Verdict", " (%1 more)").arg(reasons.size() - kShown);
}

bool VerdictText::tells(const QString& sentence) const {
  return !sentence.isEmpty() && reasons.join(QLatin1Char('\n')).contains(sentence, Qt::CaseInsensitive);
}

VerdictText VerdictText::beside(const QString& sentence) const {
  VerdictText text = *this;
  text.reasons.removeIf([&](const QString& reason) {
    return !sentence.isEmpty() && reason.startsWith(sentence, Qt::CaseInsensitive) &&
           reason.size() <= sentence.size() + 1;  // its full stop
  });
  return text;
}

}  // namespace hyb::ui
