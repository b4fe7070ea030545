// Crashes that Swift code cannot cause itself.
#ifndef C_CRASHES_H
#define C_CRASHES_H

void crash_through_null(void);
void crash_at_a_breakpoint(void);
void crash_to_nowhere(void);
void crash_by_a_sent_signal(void);
// Repeats the call with which the library's handler reports a crash, with false numbers.
void crash_in_words(int times);
// From now on this program handles SIGSEGV itself: it exits with 7.
void crash_handled(void);

#endif
