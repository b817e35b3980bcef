#pragma once
#include <QString>
#include <QStringList>
#include <array>

#include "core/record/verdict.h"

namespace hyb::ui {

/// The verdict on a run as the window says it, in the header, in Analyse and in the list of runs: did it end as
/// planned, are the data whole, was it a good test. Three words that must not be taken for one another.
struct VerdictText {
  struct Word {
    QString title, word;
    QString sign;           // tells them apart without colour
    const char* mark = "";  // "ok", "warning", "error"; "": neither good nor bad. Green only where all three are good
  };
  std::array<Word, 3> words;  // ended, data, test
  QStringList reasons;
  /// "Ended: limit, Data: whole, Test: poor"
  QString sentence() const;
  /// The gravest reasons, and how many more there are; all of them belong in the tooltip.
  QString shown(QChar between) const;
  /// One of the reasons is this sentence, or has it.
  bool tells(const QString& sentence) const;
  /// Without the reasons that are this sentence: it stands beside them.
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
