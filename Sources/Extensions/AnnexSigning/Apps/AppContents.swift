internal import AnnexLinux
internal import Glibc

/// The contents of an app's directory. Each file is read once, from its start to its end.
///
/// Each file is opened beneath the app's open directory without following a link. So no path leads out of the app. If
/// another program changes a file while the app is read, the reading fails.
struct AppContents {
    /// Every file, link and directory except the seal, sorted by path.
    private(set) var entries: [SealEntry] = []
    /// The files and directories that could still be changed after the app is sealed. Either other users may write
    /// them, or they have a second name (a hard link). The list is sorted by path.
    private(set) var hazards: [SealDifference] = []
    private var bytes: UInt64 = 0
    private var seen = 0
    private let shown: String

    /// The limit of the total size of the files of an app, in bytes.
    static let mostBytes: UInt64 = 4 << 30

    /// Reads an app.
    /// - Parameter shown: the app's name, for errors.
    init(of app: borrowing Descriptor, shown: String) throws(SigningError) {
        self.shown = shown
        let reader = FileDigester()
        if try status(of: app, at: "").mode & 0o022 != 0 {
            hazards.append(SealDifference(path: .app, kind: .writable))
        }
        var waiting = [""]
        while let path = waiting.popLast() {
            let directory = try open(path, in: app)
            for entry in try list(directory, path: path) {
                try add(entry, at: path, in: directory, of: app, with: reader, into: &waiting)
            }
        }
        entries.sort { $0.path < $1.path }
        hazards.sort { $0.path < $1.path }
    }

    private func open(_ path: String, in app: borrowing Descriptor) throws(SigningError) -> Descriptor {
        do throws(SystemError) {
            return path.isEmpty ? try app.duplicate() : try app.openBeneath(path, O_RDONLY | O_DIRECTORY)
        } catch {
            throw fault(error, at: path)
        }
    }

    private func list(_ directory: borrowing Descriptor, path: String) throws(SigningError) -> [DirectoryEntry] {
        do throws(SystemError) {
            return try directory.entries(atMost: Seal.mostEntries - seen)
        } catch {
            guard error.errno == EFBIG else { throw fault(error, at: path) }
            throw unsafe(path, what: "holds more than \(Seal.mostEntries) files", remedy: "use fewer files")
        }
    }

    private mutating func add(
        _ entry: DirectoryEntry, at parent: String, in directory: borrowing Descriptor, of app: borrowing Descriptor,
        with reader: borrowing FileDigester, into waiting: inout [String]
    ) throws(SigningError) {
        seen += 1
        guard let name = entry.name, let path = SealPath(Array((parent.isEmpty ? name : "\(parent)/\(name)").utf8)[...])
        else {
            throw unsafe(parent, what: "holds a name that is too long or not UTF-8", remedy: "rename the file")
        }
        if entry.isDirectory {
            waiting.append(path.text)
            try addDirectory(path, in: app)
        } else if entry.isSymbolicLink {
            try addLink(path, named: name, in: directory, of: app)
        } else if entry.isRegular {
            guard path.text != SealFile.path else { return }
            try addFile(path, named: name, in: directory, with: reader)
        } else {
            throw unsafe(
                path.text, what: "is a pipe, a socket or a device", remedy: "keep only files, links and directories")
        }
    }

    private mutating func addDirectory(_ path: SealPath, in app: borrowing Descriptor) throws(SigningError) {
        let status = try status(of: try open(path.text, in: app), at: path.text)
        if status.mode & 0o022 != 0 { hazards.append(SealDifference(path: path, kind: .writable)) }
        // The directory of the seal is created when the app is signed, so no seal can list it.
        if path.text != SealFile.directory { entries.append(SealEntry(path: path, content: .directory)) }
    }

    private mutating func addLink(
        _ path: SealPath, named name: String, in directory: borrowing Descriptor, of app: borrowing Descriptor
    ) throws(SigningError) {
        let target: [UInt8]
        let staysInside: Bool
        do throws(SystemError) {
            target = try directory.linkTargetBytes(name)
            staysInside = try app.leadsBeneath(path.text)
        } catch {
            throw fault(error, at: path.text)
        }
        guard staysInside, path.text != SealFile.path, path.text != SealFile.directory,
            target.count <= SealEntry.longestTarget
        else {
            throw unsafe(
                path.text, what: "is a link that leads out of the app, or stands in the place of the seal",
                remedy: "replace the link by a copy of its target")
        }
        entries.append(SealEntry(path: path, content: .link(target: target)))
    }

    private mutating func addFile(
        _ path: SealPath, named name: String, in directory: borrowing Descriptor, with reader: borrowing FileDigester
    ) throws(SigningError) {
        let read: FileDigester.Result
        do throws(SystemError) {
            read = try reader.digest(
                try directory.openBeneath(name, O_RDONLY | O_NONBLOCK | O_NOCTTY), atMost: Self.mostBytes - bytes)
        } catch {
            switch error.errno {
            case EFBIG:
                throw unsafe(
                    path.text, what: "makes the app larger than \(ByteCount(Self.mostBytes))", remedy: "use less data")
            case EBUSY:
                throw unsafe(
                    path.text, what: "was changed while it was read", remedy: "wait until the app is complete")
            default: throw fault(error, at: path.text)
            }
        }
        bytes += read.size
        if read.status.mode & 0o022 != 0 { hazards.append(SealDifference(path: path, kind: .writable)) }
        if read.status.links > 1 { hazards.append(SealDifference(path: path, kind: .hardLinked)) }
        entries.append(
            SealEntry(
                path: path,
                content: .file(
                    size: read.size, digest: read.digest, isExecutable: read.status.mode & 0o111 != 0)))
    }

    private func status(of file: borrowing Descriptor, at path: String) throws(SigningError) -> FileStatus {
        do throws(SystemError) {
            return try file.status()
        } catch {
            throw fault(error, at: path)
        }
    }

    private func fault(_ error: SystemError, at path: String) -> SigningError {
        SigningError(error, place: place(of: path))
    }

    private func unsafe(_ path: String, what: String, remedy: String) -> SigningError {
        SigningError(.unsafeContents, what: what, place: place(of: path), remedy: remedy)
    }

    private func place(of path: String) -> String { path.isEmpty ? shown : "\(shown)/\(Escaped(path))" }
}
