#include "core/study/study.h"

#include "core/base/error.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/fuzz/fuzz_json.h"

/// A study, as text (even first byte) or a sound one with values replaced.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  if (size < 2) return 0;
  static const fuzz::MemoryFile file;
  static const Json project = templateDocument("three-mass");
  static const Json sound = Json::parse(R"({
    "format": "hybridbench-study", "version": 1, "project": "three-mass",
    "set": {"/loop/duration_s": 3, "/compensation/beta": 0.2},
    "vary": [{"name": "alpha", "pointers": ["/compensation/alpha"], "values": [0.1, 0.2]},
             {"name": "amplitude", "pointers": ["/excitation/signals/0/amplitude_m"],
              "range": {"from": 0.001, "to": 0.002, "count": 3}}],
    "combine": "grid", "seeds": [1, 2, 3], "measures": ["energy_error", "delay_ms"], "pace": "free-run"})");
  try {
    if (data[0] % 2 == 0) {
      file.fill({data + 1, size - 1});
      (void)loadStudy(file.path());
    } else {
      const Study study =
          parseStudy(fuzz::edited(sound, {reinterpret_cast<const char*>(data) + 1, size - 1}), {}, &project);
      if (study.runs() > 0) (void)study.project(study.runs() - 1), (void)study.words(0);
    }
  } catch (const InputError& error) {
    if (error.issues().empty()) std::abort();
  } catch (const DeviceError&) {
  }
  return 0;
}
