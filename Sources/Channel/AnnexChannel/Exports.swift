@_exported public import AnnexMessages

// One import suffices: it also provides messages, and `Descriptor`, which an embedder passes in or receives as the end
// of a socket.
@_exported public import struct AnnexLinux.Descriptor

#if ANNEX_SANITIZE
    internal import AnnexLinux

    // Replaces the system's `Mutex` in this module.
    typealias Mutex = SanitizedMutex
#endif
