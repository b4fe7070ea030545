// What a host knows of itself that Swift's import of the C library cannot ask.
#ifndef C_HOST_FACTS_H
#define C_HOST_FACTS_H

// PR_GET_DUMPABLE of this process.
int host_dumpable(void);

#endif
