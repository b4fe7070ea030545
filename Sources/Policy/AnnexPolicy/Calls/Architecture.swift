/// A processor architecture whose system calls Annex knows.
public enum Architecture: String, Sendable, Hashable, CaseIterable {
    case x86 = "x86_64"
    case arm = "aarch64"

    /// The architecture that this code was built for.
    public static var current: Architecture {
        #if arch(x86_64)
            .x86
        #elseif arch(arm64)
            .arm
        #else
            #error("Annex knows the system calls of x86-64 and aarch64 only")
        #endif
    }

    /// The `AUDIT_ARCH_*` value that the kernel shows a filter with every call.
    package var audit: UInt32 {
        switch self {
        case .x86: 0xC000_003E
        case .arm: 0xC000_00B7
        }
    }
}
