// Properties that a process passes on to its children: its scheduling, its score for the out-of-memory killer, its
// personality. Sandboxes must not inherit the host's: with an audio host's real-time priority each extension could
// occupy a processor.
#ifndef ANNEX_INHERITED_H
#define ANNEX_INHERITED_H

// The warden gives up the advantages that it inherited from its host, so that no child begins with them. A property
// that makes a process slower or weaker stays.
long inherited_give_up(void);

// Gives this process a smaller share of a processor than the host, while both compete.
long inherited_lessen(void);

// Makes the kernel kill a sandbox before its host when the machine's memory runs out.
long inherited_expose(int process);

#endif
