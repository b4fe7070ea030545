@_exported public import AnnexMessages

// An import of this module also provides AnnexMessages and `Descriptor`. A program that imports this module passes in
// or receives a `Descriptor` as the end of a socket.
@_exported public import struct AnnexLinux.Descriptor

#if ANNEX_SANITIZE
    internal import AnnexLinux

    // Replaces the system's `Mutex` in this module.
    typealias Mutex = SanitizedMutex
#endif
