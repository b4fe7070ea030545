internal import CAnnexSeccomp

extension SeccompFilter {
    /// What compiles filters here. The same policy may become other instructions elsewhere.
    package static var compiler: String {
        // SAFETY: libseccomp's own constant.
        guard let version = unsafe seccomp_version()?.pointee else { return "no libseccomp" }
        return "libseccomp \(version.major).\(version.minor).\(version.micro) on \(Architecture.current)"
    }
}
