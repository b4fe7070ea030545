// The broker is gone: every child is ended and what the launches made outside themselves is removed.
#ifndef ANNEX_FAREWELL_H
#define ANNEX_FAREWELL_H

void farewell(void);

#endif
