package import AnnexLinux

/// Why an app's directory cannot become an archive, or why an archive cannot become an app.
package enum BundleArchiveFailure: Error, Sendable, Hashable {
    /// A file breaks a rule: its path beneath the app, and the fault.
    case file(String, String)
    /// The bytes are not a valid archive.
    case malformed(String)
    case system(SystemError)
}

extension BundleArchiveFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .file(let path, let what): "\(Escaped(path)): \(what)"
        case .malformed(let what): "the archive \(what)"
        case .system(let error): "\(Escaped("\(error)"))"
        }
    }
}
