// Runs when the broker is gone: ends every child and removes what the launches made outside themselves.
#ifndef ANNEX_FAREWELL_H
#define ANNEX_FAREWELL_H

void farewell(void);

#endif
