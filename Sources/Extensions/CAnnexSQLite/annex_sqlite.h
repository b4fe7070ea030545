// The header of SQLite.
#ifndef ANNEX_SQLITE_H
#define ANNEX_SQLITE_H

#include <sqlite3.h>

#if SQLITE_VERSION_NUMBER < 3037000
#error "SQLite 3.37 or newer is needed: tables that are strict about types"
#endif

// The macro's cast from a number to a function is not imported into Swift.
static inline sqlite3_destructor_type annex_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// The variadic call is not imported into Swift.
static inline int annex_sqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

// Whether the database's file is no longer the one of its path.
static inline int annex_sqlite_has_moved(sqlite3 *database) {
    int moved = 0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return code == SQLITE_OK && moved;
}

#endif
