// The header of SQLite.
#ifndef ANNEX_SQLITE_H
#define ANNEX_SQLITE_H

#include <sqlite3.h>

// The macro's cast from a number to a function is not imported into Swift.
static inline sqlite3_destructor_type annex_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// The variadic call is not imported into Swift.
static inline int annex_sqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

#endif
