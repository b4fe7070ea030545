// Terminals, and functions to pass on a descriptor without sharing its open file description.
#ifndef C_ANNEX_TERMINAL_H
#define C_ANNEX_TERMINAL_H

// Makes a terminal pair with the window size and the modes of the terminal `like`. Both ends are close-on-exec. `*end`
// is opened through the master, so that no path is resolved. Returns 0 or -errno.
int annex_terminal_pair(int like, int *master, int *end);
// Copies the window size of `from` to `to`. Returns 0 or -errno.
int annex_terminal_copy_size(int from, int to);
// Gets the columns and rows of a terminal. Returns 0 or -errno.
int annex_terminal_size(int terminal, int *columns, int *rows);
// Returns 1 if both descriptors belong to one terminal, whatever path each was opened at.
int annex_same_terminal(int one, int other);
// Returns a descriptor from which an event can be read each time a process opens the file of `descriptor` for reading
// or writing. Returns -errno if the kernel cannot tell such openings from others.
int annex_watch_opening(int descriptor);
// Returns 1 if both descriptors share one open file description. Returns 0 if they do not, or if the kernel cannot
// tell.
int annex_same_description(int one, int other);
// Clears O_NONBLOCK. Returns 0 or -errno.
int annex_start_blocking(int descriptor);

#endif
