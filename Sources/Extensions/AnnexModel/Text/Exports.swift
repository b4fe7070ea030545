// Values of this target have properties of the type `Escaped`. Its module is lower, so that policies and sandboxes can
// use it too.
@_exported public import struct AnnexLinux.Escaped
