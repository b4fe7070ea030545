// How a program reports a fault: by one call that has no effect. Its arguments tell a listener where the fault
// happened.
#ifndef C_ANNEX_FAULTS_H
#define C_ANNEX_FAULTS_H

// tgkill(ANNEX_FAULT_MARK, 0, signal, instruction, stack pointer, frame pointer). No process has that number.
#define ANNEX_FAULT_MARK 0x46584E41

// Reports every fault that has no handler yet. The handler runs on a stack of its own, and the fault then ends the
// process as before.
void annex_tell_of_faults(void);

#endif
