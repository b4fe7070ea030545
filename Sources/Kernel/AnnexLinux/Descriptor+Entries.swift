internal import CAnnexLinux
internal import Glibc

extension Descriptor {
    /// The entries of this directory, in no particular order.
    /// - Throws: `EFBIG` if there are more than `limit` entries.
    package func entries(atMost limit: Int) throws(SystemError) -> [DirectoryEntry] {
        var error: Int32 = 0
        guard let listing = unsafe annex_listing_open(number, &error) else {
            throw SystemError("opendir", errno: error)
        }
        // SAFETY: opened above, closed once.
        defer { unsafe annex_listing_close(listing) }
        var entries: [DirectoryEntry] = []
        var mode: UInt32 = 0
        // SAFETY: the name lives until the next call and is copied before it.
        while let name = unsafe annex_listing_next(listing, &mode, &error) {
            guard entries.count < limit else {
                throw SystemError("readdir", errno: EFBIG, remedy: "at most \(limit) names are taken")
            }
            entries.append(
                DirectoryEntry(
                    name: unsafe String(validatingCString: name), isDirectory: mode & S_IFMT == S_IFDIR,
                    isSymbolicLink: mode & S_IFMT == S_IFLNK))
        }
        guard error == 0 else { throw SystemError("readdir", errno: error) }
        return entries
    }

    /// Whether a path beneath this directory, with all links followed, leads to something beneath it or to nothing.
    package func leadsBeneath(_ path: String) throws(SystemError) -> Bool {
        let result = unsafe path.withCString { unsafe annex_leads_beneath(number, $0) }
        switch -result {
        case 0, ENOENT: return true
        case EXDEV, ELOOP: return false
        default: throw SystemError("openat2", errno: -result, path: path)
        }
    }
}

/// One name in a directory.
package struct DirectoryEntry: Sendable, Hashable {
    /// The name; nil if its bytes are not UTF-8.
    package let name: String?
    package let isDirectory: Bool
    package let isSymbolicLink: Bool
}
