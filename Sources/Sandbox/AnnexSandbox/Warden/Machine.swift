/// The processor that this was built for, as the carried programs are called.
package enum Machine {
    #if arch(x86_64)
        package static let name = "x86_64"
    #elseif arch(arm64)
        package static let name = "aarch64"
    #else
        package static let name = "unknown"
    #endif
}
