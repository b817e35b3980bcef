#pragma once
#include "core/project/project.h"

namespace hyb::test {

/// The template benchmark-2020-sample with its controller off, so that its loop is unstable, under a chirp so weak that
/// it ends before a limit is reached.
inline Json uncompensatedBenchmark() {
  Json document = templateDocument("benchmark-2020-sample");
  document["compensation"] = {{"method", "none"}};
  document["excitation"]["signals"][0]["amplitude_mps2"] = 0.05;
  return document;
}

}  // namespace hyb::test
