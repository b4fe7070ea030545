package import AnnexLinux

/// Why an app's directory cannot become an archive, or an archive no app.
package enum BundleArchiveFailure: Error, Sendable, Hashable {
    /// What is wrong with a file, by its path beneath the app.
    case file(String, String)
    /// The archive itself is not one.
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
