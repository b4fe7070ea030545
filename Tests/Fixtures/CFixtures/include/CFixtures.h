// What programs of the tests need and Swift cannot do.
#ifndef C_FIXTURES_H
#define C_FIXTURES_H

#include "CConduct.h"
#include "CCrashes.h"
#include "CHostFacts.h"
#include "CMisbehaver.h"

#endif
