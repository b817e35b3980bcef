#pragma once
#include <QTemporaryDir>
#include <memory>

#include "core/compensation/method.h"

namespace hyb::test {

/// From here on this process accepts every library, and keeps that in settings of its own, which go with it.
inline void acceptPlugIns() {
  static const QTemporaryDir settings;
  qputenv("XDG_CONFIG_HOME", settings.path().toUtf8());
  acceptOnUse("");
}

/// The method as a test has it: with the library that it names, if any, loaded.
inline CompensationMethodPtr loadedMethod(const CompensationMethodPtr& method) {
  if (!method || method->notLoaded().empty()) return method;
  acceptPlugIns();
  return method->loaded(std::make_shared<PlugInWatch>());
}

}  // namespace hyb::test
