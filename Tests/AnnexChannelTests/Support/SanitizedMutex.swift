#if ANNEX_SANITIZE
    import AnnexLinux

    // Replaces the system's `Mutex` in this module.
    typealias Mutex = SanitizedMutex
#endif
