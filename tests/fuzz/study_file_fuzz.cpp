#include "core/base/error.h"
#include "core/study/run_study.h"
#include "core/study/study_file.h"
#include "tests/fuzz/fuzz_file.h"

namespace {

/// The file of a study of four short runs.
std::vector<std::uint8_t> sound() {
  using namespace hyb;
  const std::string name = "/dev/shm/hybridbench-fuzz-" + std::to_string(::getpid()) + "-study.h5";
  std::filesystem::remove(name);
  const Json document = Json::parse(R"({
    "format": "hybridbench-study", "version": 1, "project": "three-mass",
    "set": {"/loop/duration_s": 0.2, "/loop/soft_start_s": 0.05, "/loop/soft_end_s": 0.05, "/analysis/start_s": 0.1},
    "traces": true, "vary": [{"name": "alpha", "pointer": "/compensation/alpha", "values": [0.1, 0.2]}], "seeds": [1, 2]})");
  (void)runStudy(parseStudy(document), name, 1);
  std::vector<std::uint8_t> bytes = hyb::fuzz::bytesOf(name);
  std::filesystem::remove(name);
  return bytes;
}

}  // namespace

/// A study file with bytes replaced (odd first byte), or any bytes: tables, or a DeviceError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  if (size < 1) return 0;
  static const fuzz::MemoryFile file;
  static const std::vector<std::uint8_t> base = sound();
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  if (data[0] % 2 == 1)
    file.fill(fuzz::edited(base, rest));
  else
    file.fill(rest);
  try {
    (void)readStudyFile(file.path());
    for (const char* group : {kStudyTraces, kStudySegments}) (void)readStudyTables(file.path(), group, {0, 1, 2, 3});
  } catch (const InputError&) {
  } catch (const DeviceError&) {
  }
  return 0;
}
