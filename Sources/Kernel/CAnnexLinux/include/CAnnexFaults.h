// What a program says when it faults: one call that does nothing, whose registers tell a listener where it stands.
#ifndef C_ANNEX_FAULTS_H
#define C_ANNEX_FAULTS_H

// tgkill(ANNEX_FAULT_MARK, 0, signal, instruction, stack pointer, frame pointer). No process has that number.
#define ANNEX_FAULT_MARK 0x46584E41

// Faults that nobody handles yet are told of from now on, on a stack of their own, and end the process as before.
void annex_tell_of_faults(void);

#endif
