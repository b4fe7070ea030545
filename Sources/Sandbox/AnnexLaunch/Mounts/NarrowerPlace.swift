internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// A place that lacks a right of a writable place around it, such as `.git/hooks` for reading in `.` for writing.
///
/// The mount of the narrower place keeps its files as they are. Four ways lead around this mount:
/// - The kernel refuses to rename or remove a mount point, but not a directory above the mount point. So each directory
///   between the two places needs a mount of its own (`between`).
/// - A file may have a second name (hard link) in the writable place. `examine` rejects such a file.
/// - A read-only mount does not keep named pipes from being written to. Landlock adds up the rights of all places around
///   a file, so here it does not either. `examine` rejects such a pipe.
/// - The host may show the same files at a second path of the writable place (`mount --bind`). `rejectSecondMounts`
///   rejects this.
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
        var contents = Self.walk(automounts)
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

    private static func walk(_ automounts: Automounts) -> TreeWalk {
        let remedy = "hand over fewer files, or do not hand over a place for reading inside a place for writing"
        return TreeWalk(automounts: automounts, remedy: remedy) { entry in
            entry.kind == .symbolicLink || entry.kind == .regular && entry.links == 1
        }
    }

    /// Rejects a place whose files a mount also shows at another path, at which the program has a right more.
    /// - Parameter places: all places of the layout, sorted by path.
    func rejectSecondMounts(in places: [GrantLayout.Place], mounts: MountTable) throws(SandboxError) {
        let own = Array(place.path.utf8)
        guard let files = mounts.view(of: own) else { return }
        for outer in places where outer.rights.contains(.write) {
            for view in mounts.views(within: Array(outer.path.utf8)) {
                guard let other = view.path(showing: files), !MountTable.isPath(other, within: own) else { continue }
                let path = String(decoding: other, as: UTF8.self)
                let rights = places.last { path.isWithin($0.path) }?.rights ?? []
                guard !place.rights.isSuperset(of: rights) else { continue }
                throw SandboxError(
                    "grants",
                    cause: "\(Escaped(place.path)) is also mounted at \(Escaped(path)), where the program may do more",
                    remedy: "unmount one of them, or hand over less")
            }
        }
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
        var surroundings = Self.walk(automounts)
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
struct NamedFile {
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
