// Landlock, whose header here is older than the kernel.
#ifndef C_ANNEX_LANDLOCK_H
#define C_ANNEX_LANDLOCK_H

// The kernel's Landlock ABI, 1 or more; -errno where it has none (ENOSYS) or it was not enabled (EOPNOTSUPP).
int annex_landlock_version(void);

#endif
