// The conduct of this program, whose executable serves many conducts.
#ifndef C_CONDUCT_H
#define C_CONDUCT_H

// The conduct that the tests have written into this copy of the executable; otherwise the name by which it was called.
const char *conduct_name(void);

#endif
