// What a process hands on to its children unasked: how it is scheduled, how soon it is killed when memory runs out, its
// personality. A host's is no sandbox's: an audio host's real-time priority would let each extension hold a processor.
#ifndef ANNEX_INHERITED_H
#define ANNEX_INHERITED_H

// The warden gives up what it got from its host, so that no child begins with it. Never more than the host had: what
// makes a process slower or weaker stays.
long inherited_give_up(void);

// This process has less of a processor than the host, if both want it.
long inherited_lessen(void);

// A sandbox ends before its host when the machine's memory runs out.
long inherited_expose(int process);

#endif
