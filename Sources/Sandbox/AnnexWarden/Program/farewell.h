// This function runs when the broker is gone. It ends every child and removes what the launches made outside the
// sandboxes.
#ifndef ANNEX_FAREWELL_H
#define ANNEX_FAREWELL_H

void farewell(void);

#endif
