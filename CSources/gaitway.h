// The recogniser for C programs: filters, features, networks, decisions, steps. Integers only, no allocation; the caller gives the memory.
//
// A network comes from `gaitway model export --format c-header`. libgaitway's own example is replay.c.
#ifndef GAITWAY_H
#define GAITWAY_H

#include "crecognition.h"

#endif
