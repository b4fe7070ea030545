// Properties that a process passes on to its children: its scheduling, its score for the out-of-memory killer, its
// personality. Sandboxes must not inherit these properties from the host. For example, with an audio host's real-time
// priority, each extension could occupy a processor.
#ifndef ANNEX_INHERITED_H
#define ANNEX_INHERITED_H

// The warden gives up the advantages that it inherited from its host, so that no child begins with them. If a property
// makes a process slower or weaker, the warden keeps it.
long inherited_give_up(void);

// Gives this process a smaller share of a processor than the host, as long as both compete for it.
long inherited_lessen(void);

// Makes this process the last of the ordinary ones to get a processor or a disk.
long inherited_yield(void);

// Makes the kernel kill a sandbox before its host when the machine's memory runs out.
long inherited_expose(int process);

#endif
