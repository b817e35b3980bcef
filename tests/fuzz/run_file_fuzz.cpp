#include "core/assess/metrics.h"
#include "core/base/error.h"
#include "core/project/project.h"
#include "core/record/run_file_reader.h"
#include "core/record/run_file_writer.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "tests/fuzz/fuzz_file.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Of this process, in memory; gone with it.
struct Folder {
  std::filesystem::path path = "/dev/shm/hybridbench-fuzz-" + std::to_string(::getpid());
  Folder() { std::filesystem::create_directory(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};
const std::filesystem::path& folder() {
  static const Folder made;
  return made.path;
}

/// The file of a short test.
Bytes sound() {
  using namespace hyb;
  const std::string name = folder() / "sound.h5";
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
  return hyb::fuzz::bytesOf(name);
}

/// The file that a writer leaves which dies after a flush: three chunks and a bit of every column.
Bytes live() {
  using namespace hyb;
  const std::string name = folder() / "live.h5";
  const Project project = parseProject(templateDocument("three-mass"));
  const RowLayout layout = buildLoop(project, buildTwin(project, buildPartition(project)))->layout();
  RunFileWriter writer(name, buildHeader(project), layout, {}, 64);
  writer.append(std::vector<double>(200 * layout.width(), 1.0));
  writer.append(Event{.tick = 7, .code = EventCode::operator_note});
  writer.flush();
  const Bytes bytes = hyb::fuzz::bytesOf(name);
  writer.close({});
  return bytes;
}

void readWhole(const std::filesystem::path& file) {
  const hyb::RunFileReader run(file);
  (void)run.events();
  (void)run.projectJson();
  for (const std::string& name : run.info().acquisition) (void)run.read("acquisition/" + name);
  (void)hyb::metrics(run, {});
}

/// What it does, or an error as the program tells it.
template <class Step>
void allowed(const Step& step) {
  try {
    step();
  } catch (const hyb::InputError&) {
  } catch (const hyb::DeviceError&) {
  }
}

}  // namespace

/// HDF5 1.10 itself keeps what it had read of an object whose header then proves damaged.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

/// A run file with bytes replaced (odd first byte; of a writer that died where it is 3 more than a multiple of 4), or
/// any bytes: read whole, and its figures; recovered, and that read; or a DeviceError. To recover takes several times
/// as long as to read: one in four is, by its first byte, so that what is found is found again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  if (size < 1) return 0;
  static const fuzz::MemoryFile file;
  static const Bytes closed = sound(), left = live();
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  if (data[0] % 2 == 1)
    file.fill(fuzz::edited(data[0] % 4 == 3 ? left : closed, rest));
  else
    file.fill(rest);
  allowed([] { readWhole(file.path()); });
  if (data[0] / 4 % 4 != 0) return 0;
  static const std::filesystem::path recovered = folder() / "recovered.h5";
  allowed([] {
    if (recover(file.path(), recovered).needed) readWhole(recovered);
  });
  std::filesystem::remove(recovered);
  return 0;
}
