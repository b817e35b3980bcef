#pragma once
#include "core/signal/cross_spectra.h"  // the measured response that an identification fits
