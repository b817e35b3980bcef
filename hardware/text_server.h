#pragma once
#include <memory>

#include "hardware/polled_server.h"

namespace hyb {

/// A text instrument with the lines of the project. It answers queries, and sets where the project says so; an unknown
/// line gets no answer, or one that differs from "accepted". Throws InputError for a pattern that it cannot satisfy.
std::unique_ptr<Responder> makeTextResponder(const RigSpec& project, ServedRig& rig);

}  // namespace hyb
