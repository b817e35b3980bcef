#pragma once
#include <QString>
#include <QStringList>
#include <array>

#include "core/record/verdict.h"

namespace hyb::ui {

/// Verdict on a run for the header, Analyse and the list of runs: end as planned, whole data, good test. The three
/// words are independent.
struct VerdictText {
  struct Word {
    QString title, word;
    QString sign;           // distinguishes them without colour
    const char* mark = "";  // "ok", "warning", "error"; "": neither good nor bad. Green only where all three are good
  };
  std::array<Word, 3> words;  // ended, data, test
  QStringList reasons;
  /// "Ended: limit, Data: whole, Test: poor"
  QString sentence() const;
  /// The gravest reasons and the number of further ones; the tooltip shows all.
  QString shown(QChar between) const;
  /// True if a reason is or contains this sentence.
  bool tells(const QString& sentence) const;
  /// Removes reasons equal to this sentence, which is shown beside them.
  VerdictText beside(const QString& sentence) const;
};
VerdictText verdictText(const Verdict& verdict);

/// "as planned", "operator", "link lost", ...
QString endText(EndReason ended);
/// "good", "fair", ...
QString gradeText(Grade grade);
/// "ok" for a good test, and so on.
const char* gradeMark(Grade grade);

}  // namespace hyb::ui
