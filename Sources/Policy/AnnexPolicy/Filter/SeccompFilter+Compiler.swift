internal import CAnnexSeccomp

extension SeccompFilter {
    /// The name and version of the library that compiles filters. Another version may compile the same policy to other
    /// instructions.
    package static var compiler: String {
        // SAFETY: the pointer is to a constant of libseccomp.
        guard let version = unsafe seccomp_version()?.pointee else { return "no libseccomp" }
        return "libseccomp \(version.major).\(version.minor).\(version.micro) on \(Architecture.current)"
    }
}
