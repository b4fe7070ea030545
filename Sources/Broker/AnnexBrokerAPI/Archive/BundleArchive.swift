/// An app's directory as one piece of sealed memory: what a host sends a daemon to install.
///
/// A daemon never reads a client's files: with the rights of a system daemon that would be reading for a stranger, and
/// a file system of the stranger's own could keep it waiting for ever. So the host reads its own files, and what the
/// daemon gets can neither change nor stall.
///
/// Entries follow each other, parents before what is in them: kind u8, permissions u8, length of the path u16, size u64,
/// numbers least significant first; then the path beneath the app, then as many bytes (of a link: where it leads).
package enum BundleArchive {
    /// Bytes ahead of each entry's path.
    static let headerSize = 12
    /// The longest path beneath the app, in bytes, and the longest target of a link.
    static let longestPath = 1_024
    /// How many names such a path may have.
    static let mostNames = 32
    /// Most files and directories of an app.
    static let mostEntries = 20_000
    /// The most bytes of an archive.
    package static let mostBytes = 512 << 20

    /// What an entry is.
    package enum Kind: UInt8, Sendable {
        case directory = 1
        case file, link
    }

    /// What of a file's permissions an installed copy keeps.
    package struct Permissions: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let executable = Permissions(rawValue: 1)
        /// Every user may change it: kept only to be refused.
        package static let writableByAll = Permissions(rawValue: 2)
    }

    /// One file or directory.
    package struct Entry: Sendable, Hashable {
        package let kind: Kind
        package let permissions: Permissions
        /// Beneath the app; no part of it is empty, `.` or `..`.
        package let path: String
        /// Where its contents lie in the archive.
        package let offset: Int64
        package let size: Int64
    }
}
