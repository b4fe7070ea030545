// Terminals, and how a descriptor of somebody else's is given on without sharing its open file description.
#ifndef C_ANNEX_TERMINAL_H
#define C_ANNEX_TERMINAL_H

// A new pair with the window size and the modes of the terminal `like`; `plain`: what is written comes out as it is.
// Both close-on-exec; the other end is opened through its master, so that no path is walked. 0 or -errno.
int annex_terminal_pair(int like, int plain, int *master, int *end);
// Gives `to` the window size of `from`. 0 or -errno.
int annex_terminal_copy_size(int from, int to);
// Columns and rows of a terminal. 0 or -errno.
int annex_terminal_size(int terminal, int *columns, int *rows);
// 1 where both descriptors are of the same open file description, 0 where not or where the kernel does not tell.
int annex_same_description(int one, int other);
// Clears O_NONBLOCK. 0 or -errno.
int annex_start_blocking(int descriptor);

#endif
