#include "core/assess/metrics.h"
#include "core/error.h"
#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "tests/fuzz/fuzz_file.h"

namespace {

/// The file of a short test.
std::vector<std::uint8_t> sound() {
  using namespace hyb;
  const std::string name = "/dev/shm/hybridbench-fuzz-" + std::to_string(::getpid()) + ".h5";
  std::filesystem::remove(name);
  Json document = templateDocument("three-mass");
  document["loop"]["duration_s"] = 0.2;
  document["loop"]["soft_start_s"] = document["loop"]["soft_end_s"] = 0.05;
  document["analysis"]["start_s"] = 0.1;
  document["safety"]["stop_ramp_s"] = 0.01;
  RunOptions options;
  options.pace = Pace::free_run;
  options.file = name;
  TestRun run(parseProject(document), options);
  run.arm();
  run.start();
  (void)run.finish();
  std::vector<std::uint8_t> bytes = hyb::fuzz::bytesOf(name);
  std::filesystem::remove(name);
  return bytes;
}

}  // namespace

/// A run file with bytes replaced (odd first byte), or any bytes: read whole, and its figures; or a DeviceError.
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
    const RunFileReader run(file.path());
    (void)run.events();
    (void)run.projectJson();
    for (const std::string& name : run.info().acquisition) (void)run.read("acquisition/" + name);
    (void)metrics(run, {});
  } catch (const InputError&) {
  } catch (const DeviceError&) {
  }
  return 0;
}
