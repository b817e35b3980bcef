/// fuzz_long_input PARSER FILE: an input about as long as the parser accepts, and sound up to its end, for the fuzzer
/// of that name; the campaign makes them when it starts.
#include <matio.h>

#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "core/project/project.h"
#include "core/rig/text_template.h"
#include "core/rig/udp_layout.h"
#include "core/structure/matrix_file.h"
#include "hardware/cobs.h"
#include "hardware/frame.h"
#include "tests/fuzz/fuzz_file.h"

namespace {

using namespace hyb;

constexpr std::size_t kGroundMotionBytes = 64u << 20, kProjectBytes = 16u << 20;  // of the parsers
constexpr std::size_t kExpressionBytes = 1000, kBlockDoubles = 65536;             // likewise
constexpr std::size_t kUnboundedBytes = 1u << 20;                                 // where the parser has no limit

/// `piece` once and again, as often as it fits whole.
std::string repeated(const std::string& piece, std::size_t bytes) {
  std::string text;
  text.reserve(bytes);
  while (text.size() + piece.size() <= bytes) text += piece;
  return text;
}

/// A full matrix as CSV, with numbers as NumPy writes them.
std::string matrixText() {
  const std::string number = "0.000000000000000000e+00,";
  const auto n = static_cast<std::size_t>(std::sqrt(kMaxMatrixTextBytes / number.size()));
  std::string text;
  text.reserve(n * n * number.size());
  for (std::size_t i = 0; i < n; ++i) {
    text += repeated(number, n * number.size());
    text[text.size() - number.size() * (n - i)] = '1';
    text.back() = '\n';
  }
  return text;
}

/// A MAT file of version 5 with a full matrix, and bytes that fill it up.
std::string matrixMat() {
  const std::string name = std::filesystem::temp_directory_path() / ("long-" + std::to_string(::getpid()) + ".mat");
  mat_t* const file = Mat_CreateVer(name.c_str(), nullptr, MAT_FT_MAT5);
  if (file == nullptr) std::abort();
  std::size_t dofs[2] = {1000, 1000}, rest[2] = {1, (kMaxMatBytes - 8 * dofs[0] * dofs[1]) - 1024};
  std::vector<double> values(dofs[0] * dofs[1], 0.0);
  values[0] = 1.0;
  std::vector<std::uint8_t> filling(rest[1], 0);
  matvar_t* variable = Mat_VarCreate("M", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dofs, values.data(), MAT_F_DONT_COPY_DATA);
  Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE);
  Mat_VarFree(variable);
  variable = Mat_VarCreate("rest", MAT_C_UINT8, MAT_T_UINT8, 2, rest, filling.data(), MAT_F_DONT_COPY_DATA);
  Mat_VarWrite(file, variable, MAT_COMPRESSION_NONE);
  Mat_VarFree(variable);
  Mat_Close(file);
  std::string bytes(1 + std::filesystem::file_size(name), '\0');  // first byte: as it comes
  std::ifstream(name, std::ios::binary).read(bytes.data() + 1, static_cast<std::streamsize>(bytes.size() - 1));
  std::filesystem::remove(name);
  if (bytes.size() > kMaxMatBytes) std::abort();
  return bytes;
}

/// A record of an hour in PEER's format.
std::string groundMotion() {
  const std::string value = "  0.1234567E-01";
  const std::size_t lines = (kGroundMotionBytes - 200) / (5 * value.size() + 1);
  const std::string count = std::to_string(5 * lines);
  std::string text = "PEER\nlong\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS= " + count + ", DT= .0008 SEC\n";
  text.reserve(kGroundMotionBytes);
  for (std::size_t i = 0; i < lines; ++i) {
    for (int k = 0; k < 5; ++k) text += value;
    text += '\n';
  }
  return std::string(1, '\2') + text;  // first byte: AT2, the unit from the file
}

/// A template with lists that go on.
std::string project() {
  Json document = templateDocument("three-mass");
  document["meta"]["description"] = std::string(kProjectBytes / 16 * 15, 'x');
  const Json signal = document["excitation"]["signals"][0];
  Json& signals = document["excitation"]["signals"];
  const std::size_t each = signal.dump().size() + 1;
  for (std::size_t bytes = document.dump().size(); bytes + each < kProjectBytes - 16; bytes += each)
    signals.push_back(signal);
  return std::string(1, '\0') + document.dump();
}

std::string study() {
  const std::string head = R"({"format":"hybridbench-study","version":1,"project":"three-mass","vary":[)"
                           R"({"name":"alpha","pointer":"/compensation/alpha","values":[0.1)";
  return std::string(1, '\0') + head +
         repeated(",0.1234567890123456789012345678901234567890", kProjectBytes - head.size() - 3) + "]}]}";
}

/// Two blocks as long as a client may announce them, for two degrees of freedom.
std::string openSees() {
  const std::int32_t sizes[11] = {2, 2, 2, 0, 1, 0, 0, 0, 2, 0, kBlockDoubles};
  std::string text(reinterpret_cast<const char*>(sizes), sizeof sizes);
  for (const double code : {3.0, 10.0}) {
    std::vector<double> block(kBlockDoubles, 0.1);
    block[0] = code;
    text.append(reinterpret_cast<const char*>(block.data()), block.size() * sizeof(double));
  }
  return text;
}

/// The same of an OpenFresco model, with a line of an init file.
std::string openFresco() {
  const std::int32_t sizes[11] = {2, 0, 0, 0, 0, 2, 0, 0, 2, 0, kBlockDoubles};
  std::string text(reinterpret_cast<const char*>(sizes), sizeof sizes);
  text += "\2" + std::string(16384, 'x');
  for (const double code : {3.0, 6.0}) {
    std::vector<double> block(kBlockDoubles, 0.1);
    block[0] = code;
    text.append(reinterpret_cast<const char*>(block.data()), block.size() * sizeof(double));
  }
  return text;
}

/// As many channels as a description may have.
std::string driverDescription() {
  std::string text = std::string(1, '\0') + R"({"title": "T", "channels": [{"name": "c", "direction": "input"})";
  for (int c = 0; c < 999; ++c) text += R"(, {"name": "c)" + std::to_string(c) + R"(", "direction": "output"})";
  return text + "]}";
}

std::string greeting() {
  std::string text = R"({"format": "hybridbench-rig", "version": 1, "software_version": "0", "rate_hz": 1000.0, )"
                     R"("pacing": "bench", "timeout_ticks": 3, "silence_ms": 100, "safe_action": "ramp", )"
                     R"("ramp_s": 0.5, "measurements": [], "commands": [{"name": "c", "units": "m"})";
  return text +
         repeated(R"(, {"name": "command", "units": "m", "min": -1, "max": null})", kMaxPayload - text.size() - 2) +
         "]}";
}

/// Two frames with the longest payload, their length before each.
std::string frames() {
  std::string text("\3\xff");  // a serial line, checksums made right
  for (int k = 0; k < 2; ++k) {
    const std::size_t length = 16 + kMaxPayload;
    text += {static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
    text += std::string(length, '\7');
  }
  return text;
}

std::string journal() {
  return "\1" + repeated(R"({"run":1,"status":1,"complete":true,"valid":true,"seed":1,"message":"","figures":[1,2,3]})"
                         "\n",
                         kUnboundedBytes - 1);
}

const std::map<std::string, std::function<std::string()>> kInputs{
    {"address", [] { return "serial:" + std::string(kUnboundedBytes - 7, 'a'); }},
    {"ads_reply", [] { return std::string(11, '\0') + repeated("\xfd" + std::string(63, '\0'), 1024); }},
    {"cobs", [] { return std::string(cobsBound(kMaxFrame), '\1'); }},
    {"driver_description", driverDescription},
    {"expression", [] { return "1" + repeated("+1", kExpressionBytes - 1); }},
    {"foreign_record", [] { return std::string(1, '\0') + repeated("0.001,1.5,-2.5e-3\n", kUnboundedBytes / 18); }},
    {"ground_motion", groundMotion},
    {"journal", journal},
    {"matrix", matrixText},
    {"matrix_mat", matrixMat},
    {"modbus_reply", [] { return repeated("\x82" + std::string(260, '\0'), 1044); }},  // the longest reply, four times
    {"modbus_serial", [] { return repeated("\xff" + std::string(255, '\5'), 1024); }},
    {"openfresco", openFresco},
    {"opensees", openSees},
    {"project", project},
    {"rig_frames", frames},
    {"rig_greeting", greeting},
    {"run_file", [] { return std::string(kUnboundedBytes, '\1'); }},  // many bytes of a sound file replaced
    {"study", study},
    {"study_file", [] { return std::string(kUnboundedBytes, '\1'); }},
    {"udp_datagram", [] { return std::string(1 + kLargestDatagram, '\0'); }},
    {"text_reply", [] { return "1=1" + repeated(",-1", kLongestReply - 3); }},
};

}  // namespace

int main(int argc, char** argv) {
  const auto found = argc == 3 ? kInputs.find(argv[1]) : kInputs.end();
  if (found == kInputs.end()) {
    std::cerr << "fuzz_long_input PARSER FILE\n";
    return 2;
  }
  const std::string input = found->second();
  std::ofstream out(argv[2], std::ios::binary);
  out.write(input.data(), static_cast<std::streamsize>(input.size()));
  return out.flush() ? 0 : 1;
}
