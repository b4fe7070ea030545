/// A processor whose system calls Annex knows.
public enum Architecture: String, Sendable, Hashable, CaseIterable {
    case x86 = "x86_64"
    case arm = "aarch64"

    /// The one that this code was built for.
    public static var current: Architecture {
        #if arch(x86_64)
            .x86
        #elseif arch(arm64)
            .arm
        #else
            #error("Annex knows the system calls of x86-64 and aarch64 only")
        #endif
    }

    /// `AUDIT_ARCH_*`: what the kernel puts beside every call it shows a filter.
    package var audit: UInt32 {
        switch self {
        case .x86: 0xC000_003E
        case .arm: 0xC000_00B7
        }
    }
}
