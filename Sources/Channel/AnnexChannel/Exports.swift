@_exported public import AnnexMessages

// What a message is, and what an embedder makes of a descriptor of its own and gets as the end of a socket, comes with
// the one import.
@_exported public import struct AnnexLinux.Descriptor

#if ANNEX_SANITIZE
    internal import AnnexLinux

    // In place of the system's in this module.
    typealias Mutex = SanitizedMutex
#endif
