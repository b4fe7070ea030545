/// The processor architecture of this build, as the names of the embedded warden programs spell it.
package enum Machine {
    #if arch(x86_64)
        package static let name = "x86_64"
    #elseif arch(arm64)
        package static let name = "aarch64"
    #else
        package static let name = "unknown"
    #endif
}
