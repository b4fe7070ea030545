// A command whose program imports this module says so where /proc is missing, and exits with status 126.
#ifndef C_ANNEX_COMMAND_H
#define C_ANNEX_COMMAND_H

// The exit status of a command that cannot begin.
#define ANNEX_CANNOT_BEGIN 126

#endif
