// What a host knows of itself that Swift's import of the C library cannot ask.
#ifndef C_HOST_FACTS_H
#define C_HOST_FACTS_H

// PR_GET_DUMPABLE of this process.
int host_dumpable(void);

// A child that does nothing and holds all that this process has open, until somebody kills it. Its number or -1.
int host_fork_holder(void);

#endif
