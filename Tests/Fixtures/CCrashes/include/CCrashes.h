// Crashes that Swift itself has none of.
#ifndef C_CRASHES_H
#define C_CRASHES_H

void crash_through_null(void);
void crash_at_a_breakpoint(void);
void crash_to_nowhere(void);
void crash_by_a_sent_signal(void);
// Says as often what the library's handler says of a crash, with numbers of its own.
void crash_in_words(int times);
// SIGSEGV is this program's own from now on: it exits with 7.
void crash_handled(void);

#endif
