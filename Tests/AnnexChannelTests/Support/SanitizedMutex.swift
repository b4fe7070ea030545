#if ANNEX_SANITIZE
    import AnnexLinux

    // In place of the system's in this module.
    typealias Mutex = SanitizedMutex
#endif
