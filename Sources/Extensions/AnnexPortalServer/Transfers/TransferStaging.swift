package import AnnexLinux
package import AnnexPortal
internal import Glibc

/// The files of one task: the folder `transfers/SESSION/TASK` beside the container of a group. A member can open neither
/// this folder nor a file in it.
///
/// A staged file never changes, although a hostile member may still have it open. A new name alone does not prevent
/// this: the member can write through a descriptor that it kept, or open the file anew through such a descriptor. So
/// there are two ways:
/// - If the members are another user's processes, the file becomes the broker's. Then no member can open it for writing
///   any more, and the kernel says whether one still has it open for writing. If none has, the file itself is staged.
/// - Otherwise the bytes go into a new file, which no member has ever had. The file system shares the blocks of both
///   files if it can.
package struct TransferStaging: Sendable {
    let group: OpenGroup
    private let session: String
    private let task: String

    package init(of task: Int64, session: String, in group: OpenGroup) {
        self.group = group
        self.session = session
        self.task = "\(task)"
    }

    private func folder() throws(SystemError) -> Descriptor {
        try group.transfers.openBeneath("\(session)/\(task)", O_RDONLY | O_DIRECTORY)
    }

    private func made() throws(SystemError) -> Descriptor {
        try group.transfers.directory(making: session).directory(making: task)
    }

    // MARK: Uploads

    /// Takes files out of the container.
    /// - Parameters:
    ///   - paths: relative to the container, one for each file. A file that is named twice is missing the second time.
    ///   - most: the most bytes of all files together.
    /// - Returns: the sizes of the staged files.
    /// - Throws: an error without paths of the host. Some files may have left the container then: call `restore`.
    package func take(_ paths: [String], atMost most: UInt64) throws(PortalError) -> [UInt64] {
        var sizes: [UInt64] = []
        var left = most
        defer { RemovedFiles.shared.close() }
        let folder = try Self.asMember { () throws(SystemError) in try made() }
        for (index, path) in paths.enumerated() {
            let size = try take(ContainerPath(path), as: "\(index)", into: folder, atMost: left)
            left -= min(size, left)
            sizes.append(size)
        }
        return sizes
    }

    private func take(
        _ path: ContainerPath, as name: String, into folder: borrowing Descriptor, atMost most: UInt64
    ) throws(PortalError) -> UInt64 {
        let found = try Self.asMember(path) { () throws(SystemError) in
            try group.container.openBeneath(path.text, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
        }
        try Self.check(found, at: path, atMost: most)
        let taken = Self.taken(name)
        try Self.asMember(path) { () throws(SystemError) in
            try path.parent(in: group.container).move(path.name, into: folder, as: taken)
        }
        let moved = try Self.asMember(path) { () throws(SystemError) in
            try folder.openBeneath(taken, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        }
        // Another member may have put another file under this name.
        let isSame = try Self.asMember(path) { () throws(SystemError) in
            let (one, other) = (try found.status(), try moved.status())
            return one.inode == other.inode && one.device == other.device
        }
        guard isSame else { throw Self.fault(path, what: "was replaced") }
        try Self.check(moved, at: path, atMost: most)
        guard try Self.asMember(path, { () throws(SystemError) in try own(moved) }) else {
            return try Self.asMember(path) { () throws(SystemError) in
                try copy(moved, as: name, in: folder, atMost: most)
            }
        }
        // A member could change the file until it had an owner and no writer.
        try Self.check(moved, at: path, atMost: most)
        return try Self.asMember(path) { () throws(SystemError) in
            try folder.rename(taken, toNew: name)
            return UInt64(clamping: try moved.status().size)
        }
    }

    /// Makes a file of another user the broker's.
    /// - Returns: whether no member can change the file any more.
    private func own(_ file: borrowing Descriptor) throws(SystemError) -> Bool {
        guard try group.container.status().user != geteuid() else { return false }
        try file.setOwner(geteuid(), group: getegid())
        try file.setMode(0o400)
        return file.hasNoWriter
    }

    private func copy(
        _ file: borrowing Descriptor, as name: String, in folder: borrowing Descriptor, atMost most: UInt64
    ) throws(SystemError) -> UInt64 {
        let new = try folder.openBeneath(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o400)
        do throws(SystemError) {
            // The copy may be longer than the file was, because a member may still write to the file.
            let size = try file.copy(to: new, atMost: most)
            try folder.removeFile(Self.taken(name))
            RemovedFiles.shared.keep(file)
            return size
        } catch {
            try? folder.removeFile(name)
            throw error
        }
    }

    /// A descriptor of a staged file, for reading.
    package func file(_ index: Int, size: UInt64) throws(SystemError) -> Descriptor {
        let file = try folder().openBeneath("\(index)", O_RDONLY)
        let status = try file.status()
        guard status.kind == .regular, status.size == Int64(clamping: size) else {
            throw SystemError("open", errno: EIO, path: "\(index)")
        }
        return file
    }

    /// Puts the files of a task back into the container, because no process knows of the task. A file whose name is
    /// taken by now, or whose folder is gone, is removed.
    /// - Returns: false if a file cannot go back now, for example because this process lacks descriptors. The files stay
    ///   staged then.
    package func restore(_ paths: [String]) -> Bool {
        do throws(SystemError) {
            let folder = try folder()
            for (index, path) in paths.enumerated() { try putBack("\(index)", of: folder, as: path) }
        } catch {
            guard error.errno == ENOENT else { return false }
        }
        remove()
        return true
    }

    private func putBack(_ name: String, of folder: borrowing Descriptor, as path: String) throws(SystemError) {
        guard let path = try? ContainerPath(path) else { return }
        // The file that was taken is whole. A copy of it may not be.
        for name in [Self.taken(name), name] {
            guard let file = try Self.open(name, in: folder) else { continue }
            do throws(SystemError) {
                let parent = try path.parent(in: group.container)
                try give(file)
                try folder.link(name, as: path.name, in: parent)
            } catch {
                guard Self.isNoPlace(error.errno) else { throw error }
            }
            return
        }
    }

    /// - Returns: nil if there is no such file.
    private static func open(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            return try folder.openBeneath(name, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            guard error.errno == ENOENT else { throw error }
            return nil
        }
    }

    /// Gives a file to the user of the members.
    private func give(_ file: borrowing Descriptor) throws(SystemError) {
        let owner = try group.container.status()
        if owner.user != geteuid() { try file.setOwner(owner.user, group: owner.group) }
        try file.setMode(0o600)
    }

    // MARK: Downloads

    private static let body = "body"

    /// The file of a download, for writing. If the file is missing, the call makes it.
    /// - Parameter isKept: whether the bytes of earlier attempts stay.
    package func destination(keeping isKept: Bool) throws(SystemError) -> Descriptor {
        let file = try made().openBeneath(Self.body, O_WRONLY | O_CREAT, mode: 0o600)
        if !isKept { try file.resize(to: 0) }
        return file
    }

    /// Puts the whole file of a download in its place. An existing file of this name is replaced.
    /// - Parameters:
    ///   - most: the most bytes that were promised to the file.
    ///   - isAgain: whether an earlier broker may have placed the file already. If so, a missing file counts as placed.
    /// - Returns: false if the file cannot come to this place, or if it is too large.
    package func place(at path: String, atMost most: UInt64, isAgain: Bool) throws(SystemError) -> Bool {
        do throws(SystemError) {
            let file = try finalBody(atMost: most)
            guard UInt64(clamping: try file.status().size) <= most else { return false }
            try file.synchronize()
            try give(file)
        } catch {
            guard error.errno == ENOENT else { throw error }
            return isAgain
        }
        guard let path = try? ContainerPath(path) else { return false }
        do throws(SystemError) {
            let parent = try path.parent(in: group.container)
            try folder().move(Self.body, into: parent, as: path.name)
            try parent.synchronize()
            return true
        } catch {
            guard Self.isNoPlace(error.errno) else { throw error }
            return false
        }
    }

    /// The file of a download, which no process can change any more. An agent closes the file before it tells the end. One
    /// that a server took over may keep it open, so the place then gets a copy.
    private func finalBody(atMost most: UInt64) throws(SystemError) -> Descriptor {
        let folder = try folder()
        let file = try folder.openBeneath(Self.body, O_RDONLY)
        let isTooLarge = UInt64(clamping: try file.status().size) > most
        if isTooLarge || file.hasNoWriter { return file }
        let copy = Self.body + ".copy"
        // An earlier broker may have been killed here.
        try? folder.removeFile(copy)
        let new = try folder.openBeneath(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        _ = try file.copy(to: new, atMost: most)
        try folder.move(copy, into: folder, as: Self.body)
        return try folder.openBeneath(Self.body, O_RDONLY)
    }

    private static func isNoPlace(_ errno: Int32) -> Bool {
        [ENOENT, ENOTDIR, EISDIR, ELOOP, EXDEV, ENAMETOOLONG, ENOTEMPTY, EEXIST, EACCES].contains(errno)
    }

    /// The bytes that a download has received, and that use room on the disk.
    var received: UInt64 {
        guard let status = try? folder().openBeneath(Self.body, O_RDONLY).status() else { return 0 }
        return status.held
    }

    /// The bytes of files in the container that use room on the disk. A file that is no such file has none.
    func use(of paths: [String]) -> UInt64 {
        paths.reduce(0) { sum, path in
            guard let path = try? ContainerPath(path),
                let file = try? group.container.openBeneath(path.text, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY),
                let status = try? file.status(), status.kind == .regular
            else { return sum }
            return sum + min(status.held, GroupLimits.bytes)
        }
    }

    // MARK: Ends

    /// Removes the files of the task, and the session's folder if no other task has files in it.
    package func remove() {
        guard let folder = try? group.transfers.openBeneath(session, O_RDONLY | O_DIRECTORY) else { return }
        try? folder.removeTree(task)
        try? group.transfers.removeDirectory(session)
    }

    // MARK: Helpers

    /// The name of a file that was taken, and of which a member may have a descriptor.
    private static func taken(_ name: String) -> String { name + ".taken" }

    private static func check(
        _ file: borrowing Descriptor, at path: ContainerPath, atMost most: UInt64
    ) throws(PortalError) {
        let status: FileStatus
        do throws(SystemError) { status = try file.status() } catch { throw fault(path, what: "cannot be examined") }
        guard status.kind == .regular else { throw fault(path, what: "is no regular file") }
        guard status.links == 1 else {
            throw fault(path, what: "has \(status.links) names", remedy: "copy the file, and upload the copy")
        }
        guard UInt64(clamping: status.size) <= most else {
            throw PortalError(
                .full, what: "\(path) does not fit: the group has room for \(ByteCount(Int(clamping: most))) more",
                remedy: "remove files of the group, or wait until transfers have ended")
        }
    }

    private static func fault(_ path: ContainerPath, what: String, remedy: String? = nil) -> PortalError {
        PortalError(.invalid, what: "\(path) \(what)", remedy: remedy ?? "name a file of the group's container")
    }

    /// Runs a step, and turns its error into one that a member may see.
    private static func asMember<Result: ~Copyable>(
        _ path: ContainerPath? = nil, _ body: () throws(SystemError) -> Result
    ) throws(PortalError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            let place = path.map { "\($0)" } ?? "the group's container"
            let code: PortalError.Code = error.errno == ENOENT ? .notFound : .system
            throw PortalError(
                [ENOSPC, EDQUOT].contains(error.errno) ? .full : code,
                what: "\(place) cannot be taken: \(Errno.name(error.errno)) (\(Errno.text(error.errno)))",
                remedy: "name a regular file of the container, without links on its way")
        }
    }
}

extension FileStatus {
    /// The bytes of the file, without its holes.
    fileprivate var held: UInt64 { min(UInt64(clamping: size), UInt64(clamping: blocks) &* 512) }
}

/// A path that a member gave, relative to the container of a group.
struct ContainerPath: CustomStringConvertible {
    private static let mostBytes = 4096

    let text: String
    /// The last name of the path.
    let name: String
    private let folder: String?

    var description: String { "\(Escaped(text, limit: 200))" }

    init(_ text: String) throws(PortalError) {
        let names = text.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = names.allSatisfy { !["", ".", ".."].contains($0) }
        guard let last = names.last, isPlain, text.utf8.count <= Self.mostBytes, !text.utf8.contains(0) else {
            throw PortalError(
                .invalid, what: "\(Escaped(text, limit: 200)) is no path in the container",
                remedy: "name the file from the container on, without `.` and `..`")
        }
        self.text = text
        name = String(last)
        folder = names.count > 1 ? names.dropLast().joined(separator: "/") : nil
    }

    func parent(in container: borrowing Descriptor) throws(SystemError) -> Descriptor {
        guard let folder else { return try container.duplicate() }
        return try container.openBeneath(folder, O_RDONLY | O_DIRECTORY)
    }
}
