internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// A place that lacks a right of a writable place around it, such as `.git/hooks` for reading in `.` for writing.
///
/// The mount of the narrower place keeps its files as they are. Three ways lead around this mount:
/// - The kernel refuses to rename or remove a mount point, but not a directory above the mount point. So each directory
///   between the two places needs a mount of its own (`between`).
/// - A file may have a second name (hard link) in the writable place. `examine` rejects such a file.
/// - A read-only mount does not keep named pipes from being written to. Landlock adds up the rights of all places around
///   a file, so here it does not either. `examine` rejects such a pipe.
struct NarrowerPlace {
    let place: GrantLayout.Place
    /// The outermost writable place around the narrower place.
    let outer: String
    /// Whether the writable place is a directory in memory of the sandbox's own, which has no file of the host.
    let isOuterOwn: Bool

    /// The narrower places among the places of a layout, which are sorted by path.
    /// - Parameter scratch: the path of the scratch directory, in which the program may write.
    static func all(in places: [GrantLayout.Place], scratch: String?) -> [NarrowerPlace] {
        places.indices.compactMap { index in
            let place = places[index]
            let outer = places[..<index].first { outer in
                outer.rights.contains(.write) && !place.rights.isSuperset(of: outer.rights)
                    && place.path.isWithin(outer.path)
            }
            if let outer { return NarrowerPlace(place: place, outer: outer.path, isOuterOwn: false) }
            guard let scratch, !place.rights.contains(.write), place.path.isWithin(scratch) else { return nil }
            return NarrowerPlace(place: place, outer: scratch, isOuterOwn: true)
        }
    }

    /// The directories of the host between the two places.
    var between: [String] {
        guard !isOuterOwn else { return [] }
        let parts = PathText.parts(place.path)
        let first = PathText.parts(outer).count + 1
        return (first..<max(first, parts.count)).map { "/" + parts[..<$0].joined(separator: "/") }
    }

    /// Rejects contents of the place that the program could change although it may only read them.
    /// - Parameters:
    ///   - writable: the places of the host that the program may write to.
    ///   - automounts: the mounts into which this examination must not look.
    ///   - other: whether a path is another place of the layout, which is examined by itself if necessary.
    func examine(
        writable: [String], automounts: Automounts, besides other: (String) -> Bool
    ) throws(SandboxError) {
        guard !place.rights.contains(.write) else { return }
        var contents = TreeWalk(automounts: automounts)
        var named: [NamedFile] = []
        try contents.walk(place.path, besides: other) { path, entry throws(SandboxError) in
            if entry.kind == .pipe { throw self.pipe(path) }
            if !isOuterOwn, entry.kind == .regular, entry.links > 1, let file = try NamedFile(path) {
                named.append(file)
            }
        }
        guard !named.isEmpty else { return }
        for directory in writable { try rejectSecondNames(of: named, in: directory, automounts: automounts) }
    }

    private func pipe(_ path: String) -> SandboxError {
        SandboxError(
            "grants",
            cause: "\(Escaped(path)) is a named pipe that the program may only read, but could write to: it lies in "
                + "\(Escaped(outer)), where the program may write",
            remedy: "move the pipe to a directory where the program may not write, or let the program write to it")
    }

    /// Rejects a file of this place that has another name in a writable place. The program could change the file by
    /// that name.
    private func rejectSecondNames(
        of files: [NamedFile], in writable: String, automounts: Automounts
    ) throws(SandboxError) {
        let known = Dictionary(files.map { ($0.identity, $0.path) }) { first, _ in first }
        var surroundings = TreeWalk(automounts: automounts)
        try surroundings.walk(writable, besides: { $0.isWithin(place.path) }) { path, entry throws(SandboxError) in
            guard entry.kind == .regular, entry.links > 1, let file = try NamedFile(path),
                let first = known[file.identity]
            else { return }
            throw SandboxError(
                "grants",
                cause:
                    "\(Escaped(first)) has a second name (a hard link), \(Escaped(path)), by which the program could "
                    + "change it",
                remedy: "copy the file, so that each name has a file of its own")
        }
    }
}

/// A file that has several names, and one of these names.
private struct NamedFile {
    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    let path: String
    let identity: Identity

    /// nil if the file is gone meanwhile.
    init?(_ path: String) throws(SandboxError) {
        self.path = path
        do throws(SystemError) {
            let status = try Descriptor.open(path, Descriptor.pathOnly | O_NOFOLLOW).status()
            identity = Identity(device: status.device, inode: status.inode)
        } catch {
            guard error.errno == ENOENT else { throw SandboxError("grants", error: error) }
            return nil
        }
    }
}

/// Visits the entries of a directory of the host and of all directories below it. A walk has bounds, because a program
/// in an earlier sandbox may have made the directories. Contents beyond the bounds are an error, so that no entry is
/// left out silently.
private struct TreeWalk {
    private static let mostEntries = 1_000_000
    private static let deepest = 256

    /// What is known of an entry without opening it.
    struct Entry {
        let kind: FileStatus.Kind
        let links: UInt64
    }

    typealias Visit = (_ path: String, _ entry: Entry) throws(SandboxError) -> Void

    private let automounts: Automounts
    private var count = 0

    init(automounts: Automounts) {
        self.automounts = automounts
    }

    /// - Parameters:
    ///   - path: a file or directory. If it is a file, only this file is visited.
    ///   - skipped: whether the walk leaves out a path and everything below it.
    mutating func walk(
        _ path: String, besides skipped: (String) -> Bool, visit: Visit
    ) throws(SandboxError) {
        let status = try SandboxError.step("grants") { () throws(SystemError) in
            try Descriptor.open(path, Descriptor.pathOnly | O_NOFOLLOW).status()
        }
        guard status.kind == .directory else {
            return try visit(path, Entry(kind: status.kind, links: status.links))
        }
        try walk(directory: path, depth: 0, besides: skipped, visit: visit)
    }

    private mutating func walk(
        directory path: String, depth: Int, besides skipped: (String) -> Bool, visit: Visit
    ) throws(SandboxError) {
        guard depth < Self.deepest else { throw tooMuch(path, because: "its directories are nested too deeply") }
        // A program of another user that never answers would stop this launch.
        guard !automounts.lead(to: path) else {
            throw tooMuch(
                path,
                because: "it lies in an automount or another user's FUSE mount, or the list of mounts is unreadable")
        }
        for entry in try entries(of: path) {
            count += 1
            guard let name = entry.name else {
                // The name cannot be spelled, so the entry can be judged only by its kind.
                let isPlain = entry.isSymbolicLink || entry.isRegular && entry.links == 1
                guard isPlain else { throw tooMuch(path, because: "a name in it is not UTF-8") }
                continue
            }
            let place = path + "/" + name
            if skipped(place) { continue }
            try visit(place, Entry(kind: entry.kind, links: entry.links))
            if entry.isDirectory { try walk(directory: place, depth: depth + 1, besides: skipped, visit: visit) }
        }
    }

    private func entries(of path: String) throws(SandboxError) -> [DirectoryEntry] {
        do throws(SystemError) {
            let directory = try Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            return try directory.entries(atMost: Self.mostEntries - count)
        } catch {
            switch error.errno {
            case EFBIG: throw tooMuch(path, because: "it has more than \(Self.mostEntries) files")
            // A directory that is gone has no contents.
            case ENOENT, ENOTDIR, ELOOP: return []
            case EACCES where !Self.isOpenToProgram(path): return []
            case EACCES: throw tooMuch(path, because: "it cannot be listed, but the program could use its files")
            default: throw SandboxError("grants", error: error)
            }
        }
    }

    /// Whether the program, which runs as this user or has fewer rights, could use files in a directory that this user
    /// cannot list. Names in it need only the right to search, and the owner can give the right to list back.
    private static func isOpenToProgram(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard unsafe lstat(path, &status) == 0 else { return true }
        // SAFETY: the text is a NUL-terminated copy.
        let maySearch = unsafe access(path, X_OK) == 0
        return maySearch || status.st_uid == geteuid()
    }

    private func tooMuch(_ path: String, because cause: String) -> SandboxError {
        SandboxError(
            "grants", cause: "\(Escaped(path)) cannot be examined: \(cause)",
            remedy: "hand over fewer files, or do not hand over a place for reading inside a place for writing")
    }
}
