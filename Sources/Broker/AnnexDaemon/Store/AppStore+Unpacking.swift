internal import AnnexBrokerAPI
internal import AnnexLinux
internal import Glibc
internal import Synchronization

extension AppStore {
    /// An unpacked archive. It is a folder of the store that the index does not name yet.
    struct Unpacked {
        let folder: String
        let name: String
        let bytes: UInt64
        /// Keeps the app's bytes reserved until the index counts them.
        let reservation: StoreSpace.Reservation
    }

    /// Unpacks an archive into a new folder, as an app with this name.
    /// - Parameters:
    ///   - space: the space that all users share.
    ///   - hasRoom: whether the app may use so many bytes. The closure may free space for these bytes.
    func unpack(
        _ archive: consuming Descriptor, as name: String, in space: StoreSpace, ifRoomFor hasRoom: (Int64) -> Bool
    ) throws(BrokerError) -> Unpacked {
        guard name.hasSuffix(".app"), !name.contains("/"), !name.contains("\0"), name.utf8.count <= 255 else {
            throw BrokerError(
                .invalidBundle, what: "is not called Name.app (P1)", place: name, remedy: "rename the directory")
        }
        let folder = Self.newName()
        do {
            var reader = try BundleArchiveReader(checking: archive)
            let bytes = try reader.measure()
            guard hasRoom(bytes) else {
                throw BrokerError(
                    .overQuota, what: "is larger than the space that is left for this user's apps", place: name,
                    remedy: "remove apps that you do not need; a replaced app counts until none of its extensions runs")
            }
            let reservation = try space.reserve(bytes, for: name)
            try self.folder.makeDirectory(folder, mode: 0o755)
            try write(&reader, to: "\(folder)/\(name)", in: folder, named: name)
            return Unpacked(folder: folder, name: name, bytes: UInt64(clamping: bytes), reservation: reservation)
        } catch {
            discard(folder)
            if let rejection = error as? BrokerError { throw rejection }
            throw BrokerError(
                Self.isTheDisks(error) ? .system : .invalidBundle, what: "cannot be unpacked: \(error)", place: name,
                remedy: "install an app's own directory, with the library or with annex install")
        }
    }

    /// Whether the error comes from the disk and not from the archive. A bad archive, for example an archive that
    /// contains the same name twice, causes the errors listed here.
    private static func isTheDisks(_ error: any Error) -> Bool {
        guard let error = error as? SystemError else { return false }
        return ![ENOENT, ENOTDIR, EEXIST, ELOOP, EXDEV, EISDIR, ENAMETOOLONG, EILSEQ].contains(error.errno)
    }

    private static func newName() -> String {
        "app-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    }

    private func write(
        _ reader: inout BundleArchiveReader, to root: String, in folder: String, named name: String
    ) throws {
        var written = WrittenTree(in: folder)
        while let entry = try reader.next() {
            guard !entry.path.isEmpty else {
                try self.folder.openBeneath(folder, O_RDONLY | O_DIRECTORY)
                    .makeDirectory(name, mode: Self.mode(of: entry))
                written.add(root, of: entry.kind)
                continue
            }
            let path = root + "/" + entry.path
            let place = Self.split(path)
            let parent = try self.folder.openBeneath(place.parent, O_RDONLY | O_DIRECTORY)
            try write(entry, as: place.name, in: parent, from: reader)
            written.add(path, of: entry.kind)
        }
        try written.synchronize(in: self)
    }

    private func write(
        _ entry: BundleArchive.Entry, as name: String, in parent: borrowing Descriptor,
        from reader: borrowing BundleArchiveReader
    ) throws {
        switch entry.kind {
        case .directory: try parent.makeDirectory(name, mode: Self.mode(of: entry))
        case .link:
            let target = try reader.contents(of: entry, from: 0, atMost: Int(entry.size))
            guard !target.contains(0) else { throw BundleArchiveFailure.malformed("has a link with an invalid target") }
            try parent.makeLink(name, to: String(decoding: target, as: UTF8.self))
        case .file:
            let file = try parent.openBeneath(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            var done: Int64 = 0
            while done < entry.size {
                let part = try reader.contents(of: entry, from: done, atMost: 1 << 20)
                guard !part.isEmpty else { throw BundleArchiveFailure.malformed("ends inside an entry") }
                try file.writeAll(part)
                done += Int64(part.count)
            }
            try file.setMode(Self.mode(of: entry))
            try file.writeOut(waiting: false)
        }
    }

    /// The mode of an installed file or directory. Every user may read it, because an extension may run as a separate
    /// user. Other users still cannot reach it, because they have no access to the store's own directory. A file that
    /// every user may change keeps that right, so that the check of the bundle rejects it (P7 in
    /// `Docs/SPECIFICATION.md`).
    private static func mode(of entry: BundleArchive.Entry) -> UInt32 {
        let isProgram = entry.kind == .directory || entry.permissions.contains(.executable)
        return (isProgram ? 0o755 : 0o644) | (entry.permissions.contains(.writableByAll) ? 0o002 : 0)
    }

    private static func split(_ path: String) -> (parent: String, name: String) {
        let parts = path.split(separator: "/")
        return (parts.dropLast().joined(separator: "/"), String(parts.last ?? ""))
    }
}
