// Device nodes of the warden's own. The host's nodes lie in a file system with the size of the machine's memory,
// and every process may read the size of its mounts.
#ifndef ANNEX_DEVICES_H
#define ANNEX_DEVICES_H

// If the warden may not make nodes, or the kernel cannot bind them, sandboxes get the host's nodes.
void devices_prepare(void);

// The warden's node for the same device as a node of the host: a descriptor, or -1 if it has none.
int devices_open_like(int hosts);

#endif
