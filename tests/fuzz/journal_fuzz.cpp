#include "core/study/journal.h"

#include "core/base/error.h"
#include "tests/fuzz/fuzz_file.h"

namespace {

constexpr std::size_t kRuns = 10, kFigures = 3, kTraceBytes = 4096;

void write(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc).write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace

/// The journal of a study, behind a sound first line (odd first byte) or whole: its traces lie within their file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  if (size < 1) return 0;
  static const std::filesystem::path file = "/dev/shm/hybridbench-fuzz-" + std::to_string(::getpid()) + ".h5";
  static const std::string head = journalHeader();
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  write(StudyJournal::part(file), data[0] % 2 == 1 ? head + text : text);
  write(tracesOf(StudyJournal::part(file)), std::string(kTraceBytes, '\0'));
  try {
    const StudyJournal journal(StudyJournal::part(file), {"study", kRuns, {}, {}, {"a", "b", "c"}});
    std::size_t finished = 0;
    for (const StudyRun& run : journal.runs()) {
      finished += run.status != RunStatus::pending;
      if (!run.figures.empty() && run.figures.size() != kFigures) std::abort();
      for (const KeptTable& table : {run.trace, run.segments}) {
        const std::size_t channels = table.channels.size();
        if (table.rows == 0) continue;
        if (table.at > kTraceBytes || channels == 0 || table.rows > (kTraceBytes - table.at) / 8 / channels)
          std::abort();
      }
    }
    if (finished != journal.finished()) std::abort();
  } catch (const InputError&) {
  } catch (const DeviceError&) {
  }
  return 0;
}
