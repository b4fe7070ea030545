// Device nodes of the warden's own. Those of the host lie in a file system whose size, which every process may read of
// its mounts, is that of the machine's memory.
#ifndef ANNEX_DEVICES_H
#define ANNEX_DEVICES_H

// Where the warden may not make nodes, or the kernel does not bind them, sandboxes get those of the host.
void devices_prepare(void);

// The node of the same device as one of the host's: a descriptor, or -1 where there is none.
int devices_open_like(int hosts);

#endif
