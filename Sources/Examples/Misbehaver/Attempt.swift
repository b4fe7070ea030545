import AnnexLinux

/// A call that the extension tried, and the kernel's answer, unchanged.
struct Attempt {
    let text: String
    let succeeded: Bool

    /// - Parameter result: the call's result or -errno.
    init(_ call: String, _ result: Int32) {
        succeeded = result >= 0
        text = succeeded ? "\(call): succeeded" : "\(call): \(Errno.name(-result))"
    }
}
