// `Escaped` is below, where policies and sandboxes find it too, and part of what this target's values say.
@_exported public import struct AnnexLinux.Escaped
