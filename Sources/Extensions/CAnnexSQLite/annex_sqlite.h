// The header of SQLite.
#ifndef ANNEX_SQLITE_H
#define ANNEX_SQLITE_H

#include <sqlite3.h>

#if SQLITE_VERSION_NUMBER < 3037000
#error "SQLite 3.37 or newer is needed: tables that are strict about types"
#endif

// Swift does not import the macro, because it casts a number to a function.
static inline sqlite3_destructor_type annex_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// Swift does not import the variadic function.
static inline int annex_sqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

// Whether the open file of the database is no longer the file at its path.
static inline int annex_sqlite_has_moved(sqlite3 *database) {
    int moved = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return code == SQLITE_OK && moved;
}

#endif
