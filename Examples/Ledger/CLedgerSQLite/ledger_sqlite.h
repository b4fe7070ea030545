#ifndef LEDGER_SQLITE_H
#define LEDGER_SQLITE_H

#include <sqlite3.h>

// Swift does not import the macro, because it casts a number to a function.
static inline sqlite3_destructor_type ledger_sqlite_transient(void) { return SQLITE_TRANSIENT; }

#endif
