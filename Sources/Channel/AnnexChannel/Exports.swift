// What an embedder makes of a descriptor of its own, and gets as the end of a socket, comes with the one import.
@_exported public import struct AnnexLinux.Descriptor
