// Landlock. The header that is installed here is older than the kernel.
#ifndef C_ANNEX_LANDLOCK_H
#define C_ANNEX_LANDLOCK_H

// The kernel's Landlock ABI, 1 or more. -ENOSYS if the kernel has no Landlock, -EOPNOTSUPP if it is not enabled.
int annex_landlock_version(void);

#endif
