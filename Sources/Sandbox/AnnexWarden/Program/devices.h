// The warden's own device nodes. The host's nodes lie in a file system whose size depends on the machine's memory.
// Every process can read the size of its mounts, so the host's nodes would reveal the size of the memory.
#ifndef ANNEX_DEVICES_H
#define ANNEX_DEVICES_H

// If the warden is not allowed to make nodes, or the kernel cannot bind them, sandboxes get the host's nodes.
void devices_prepare(void);

// Opens the warden's node for the same device as a node of the host. Returns a descriptor, or -1 if the warden has no
// such node.
int devices_open_like(int hosts);

#endif
