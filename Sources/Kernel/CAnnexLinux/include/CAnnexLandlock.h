// Landlock calls. They are declared here because the installed header may be older than the kernel.
#ifndef C_ANNEX_LANDLOCK_H
#define C_ANNEX_LANDLOCK_H

// The version of the kernel's Landlock ABI, which is 1 or more. Returns -ENOSYS if the kernel has no Landlock, and
// -EOPNOTSUPP if Landlock is not enabled.
int annex_landlock_version(void);

#endif
