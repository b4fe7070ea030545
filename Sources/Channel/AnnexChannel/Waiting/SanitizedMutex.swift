#if ANNEX_SANITIZE
    internal import AnnexLinux

    // In place of the system's in this module.
    typealias Mutex = SanitizedMutex
#endif
