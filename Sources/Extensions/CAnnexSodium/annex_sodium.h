// The header of libsodium.
#ifndef ANNEX_SODIUM_H
#define ANNEX_SODIUM_H

#include <sodium.h>

#endif
