package import AnnexLinux

/// The format of an app's directory as one piece of sealed memory. A host sends this memory to a daemon to install the
/// app.
///
/// A daemon never reads a client's files. A system daemon would read them with more rights than the client has. A
/// client's own file system could also block the daemon for ever. So the host reads its own files. Then the host sends
/// the daemon sealed memory, which cannot change and does not block a reader.
///
/// Entries follow each other. A directory comes before its contents. An entry consists of these parts: the kind (u8),
/// the permissions (u8), the length of the path (u16), the size (u64), the path beneath the app, and `size` bytes of
/// contents. Numbers are little-endian. The contents of a link are its target.
package enum BundleArchive {
    /// The number of bytes before each entry's path.
    static let headerSize = 12
    /// The longest path beneath the app, in bytes; also the longest target of a link.
    static let longestPath = 1_024
    /// The most names in a path beneath the app.
    static let mostNames = 32
    /// The most files and directories of an app.
    static let mostEntries = 20_000
    /// The most bytes of an archive.
    package static let mostBytes = 512 << 20

    /// The type of an entry.
    package enum Kind: UInt8, Sendable {
        case directory = 1
        case file, link
    }

    /// The parts of a file's permissions that an installed copy keeps.
    package struct Permissions: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let executable = Permissions(rawValue: 1)
        /// Every user may change the file. The archive contains this permission only so that the daemon can reject the
        /// file.
        package static let writableByAll = Permissions(rawValue: 2)
    }

    /// One file or directory.
    package struct Entry: Sendable, Hashable {
        package let kind: Kind
        package let permissions: Permissions
        /// The path beneath the app. No part of it is empty, `.` or `..`.
        package let path: String
        /// The offset of the contents in the archive, in bytes.
        package let offset: Int64
        package let size: Int64
    }
}

/// Why an app's directory cannot become an archive, or why an archive cannot become an app.
package enum BundleArchiveFailure: Error, Sendable, Hashable {
    /// A file breaks a rule. The values are the file's path beneath the app, and the fault.
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
