package import AnnexLinux
internal import Glibc

/// Reads an app's directory into sealed memory. This code runs in the host, with the host's own rights.
package struct BundleArchiveWriter: ~Copyable {
    private let memory: Descriptor
    private let root: Descriptor
    private var entries = 0
    private var written = 0

    /// The most bytes that are copied at a time.
    private static let piece = 256 << 10

    private init(_ path: String) throws(SystemError) {
        let root = try Descriptor.directory(path)
        memory = try Descriptor.memfd("annex-app", size: 0)
        self.root = root
    }

    /// Makes the sealed archive of the app at a path.
    package static func archive(of path: String) throws(BundleArchiveFailure) -> Descriptor {
        var writer: BundleArchiveWriter
        do throws(SystemError) {
            writer = try BundleArchiveWriter(path)
        } catch {
            throw .system(error)
        }
        try writer.addContents(of: "")
        return try writer.finish()
    }

    private consuming func finish() throws(BundleArchiveFailure) -> Descriptor {
        do throws(SystemError) {
            try memory.addSeals(.immutable)
            return memory
        } catch {
            throw .system(error)
        }
    }

    private mutating func addContents(of directory: String) throws(BundleArchiveFailure) {
        let (listing, status) = try list(directory)
        try begin(.directory, permissions: Self.permissions(status), path: directory, size: 0)
        for entry in listing {
            guard let name = entry.name else { throw .file(directory, "holds a name that is not UTF-8") }
            let path = directory.isEmpty ? name : "\(directory)/\(name)"
            guard path.utf8.count <= BundleArchive.longestPath,
                path.utf8.split(separator: UInt8(ascii: "/")).count <= BundleArchive.mostNames
            else {
                throw .file(
                    directory,
                    "holds a path of more than \(BundleArchive.longestPath) bytes or \(BundleArchive.mostNames) names")
            }
            if entry.isSymbolicLink {
                try addLink(path, named: name, in: directory)
            } else if entry.isDirectory {
                try addContents(of: path)
            } else {
                try addFile(path)
            }
        }
    }

    private func list(_ directory: String) throws(BundleArchiveFailure) -> ([DirectoryEntry], FileStatus) {
        do throws(SystemError) {
            let opened = try open(directory)
            let listing = try opened.entries(atMost: BundleArchive.mostEntries - entries)
            return (listing.sorted { $0.name ?? "" < $1.name ?? "" }, try opened.status())
        } catch {
            throw .system(error)
        }
    }

    private func open(_ directory: String) throws(SystemError) -> Descriptor {
        directory.isEmpty ? try root.duplicate() : try root.openBeneath(directory, O_RDONLY | O_DIRECTORY)
    }

    private mutating func addLink(
        _ path: String, named name: String, in directory: String
    ) throws(BundleArchiveFailure) {
        let target: [UInt8]
        do throws(SystemError) {
            target = Array(try open(directory).linkTarget(name).utf8)
        } catch {
            throw .system(error)
        }
        try begin(.link, permissions: [], path: path, size: Int64(target.count))
        try append(target)
    }

    private mutating func addFile(_ path: String) throws(BundleArchiveFailure) {
        do {
            // With `O_NONBLOCK`, opening a pipe or a device does not block. The check of the kind then rejects the
            // file.
            let file = try root.openBeneath(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            let status = try file.status()
            guard status.kind == .regular else { throw BundleArchiveFailure.file(path, "is not a regular file") }
            try begin(.file, permissions: Self.permissions(status), path: path, size: status.size)
            var left = Int(status.size)
            while left > 0 {
                let part = try file.readSome(atMost: min(left, Self.piece))
                guard !part.isEmpty else { throw BundleArchiveFailure.file(path, "became shorter while it was read") }
                try append(part)
                left -= part.count
            }
        } catch let failure as BundleArchiveFailure {
            throw failure
        } catch let error as SystemError {
            throw .system(SystemError(error.call, errno: error.errno, path: path))
        } catch {
            throw .malformed("\(error)")
        }
    }

    private mutating func begin(
        _ kind: BundleArchive.Kind, permissions: BundleArchive.Permissions, path: String, size: Int64
    ) throws(BundleArchiveFailure) {
        entries += 1
        guard entries <= BundleArchive.mostEntries else {
            throw .file(path, "gives the app more than \(BundleArchive.mostEntries) files and directories")
        }
        guard size <= Int64(BundleArchive.mostBytes - written) else {
            throw .file(path, "makes the app larger than \(ByteCount(BundleArchive.mostBytes))")
        }
        let name = Array(path.utf8)
        try append(
            [kind.rawValue, permissions.rawValue] + Self.bytes(UInt16(name.count)) + Self.bytes(UInt64(size)) + name)
    }

    private mutating func append(_ bytes: [UInt8]) throws(BundleArchiveFailure) {
        written += bytes.count
        guard written <= BundleArchive.mostBytes else {
            throw .malformed("would be larger than \(ByteCount(BundleArchive.mostBytes))")
        }
        do throws(SystemError) {
            try memory.writeAll(bytes)
        } catch {
            throw .system(error)
        }
    }

    private static func permissions(_ status: FileStatus) -> BundleArchive.Permissions {
        var permissions: BundleArchive.Permissions = []
        if status.mode & 0o111 != 0 { permissions.insert(.executable) }
        if status.mode & 0o002 != 0 { permissions.insert(.writableByAll) }
        return permissions
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<(number.bitWidth / 8)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
