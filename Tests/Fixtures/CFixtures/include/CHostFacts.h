// Facts about a host's own process that Swift's import of the C library cannot read.
#ifndef C_HOST_FACTS_H
#define C_HOST_FACTS_H

// PR_GET_DUMPABLE of this process.
int host_dumpable(void);

// Makes a child that does nothing and holds all of this process's descriptors until it is killed. Returns its number or
// -1.
int host_fork_holder(void);

#endif
