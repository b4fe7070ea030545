// A program reports a fault by one system call that has no effect. The call's arguments tell a listener where the fault
// happened.
#ifndef C_ANNEX_FAULTS_H
#define C_ANNEX_FAULTS_H

// The call is tgkill(ANNEX_FAULT_MARK, 0, signal, instruction, stack pointer, frame pointer). No process has the number
// ANNEX_FAULT_MARK.
#define ANNEX_FAULT_MARK 0x46584E41

// Reports every fault that has no handler yet. The handler runs on its own stack. After the handler, the fault ends the
// process as it would without a handler.
void annex_tell_of_faults(void);

#endif
