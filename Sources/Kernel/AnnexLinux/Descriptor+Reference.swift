internal import Glibc

extension Descriptor {
    /// Opens an object for reference only (`O_PATH`): it cannot be read or written, and its permissions do not matter.
    /// That is enough to compare it, to bind it, and to open paths beneath it.
    package static func reference(to path: String) throws(SystemError) -> Descriptor {
        try Descriptor.open(path, pathOnly)
    }

    /// `O_PATH`. Glibc's import lacks the name; the number is the same on every architecture that Annex supports.
    package static let pathOnly: Int32 = 0o10_000_000
}
