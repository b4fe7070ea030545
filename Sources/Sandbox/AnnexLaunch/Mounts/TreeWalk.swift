internal import AnnexLinux
internal import Glibc

/// Visits the entries of a directory of the host and of all directories below it. A walk has bounds, because a program
/// in an earlier sandbox may have made the directories. Contents beyond the bounds are an error, so that no entry is
/// left out silently.
struct TreeWalk {
    private static let mostEntries = 1_000_000
    private static let deepest = 256

    /// What is known of an entry without opening it.
    struct Entry {
        let kind: FileStatus.Kind
        /// The permission bits, with the set-user-ID and set-group-ID bits.
        let mode: UInt32
        let links: UInt64
    }

    typealias Visit = (_ path: String, _ entry: Entry) throws(SandboxError) -> Void

    private let automounts: Automounts
    private let remedy: String
    private let isPlain: (Entry) -> Bool
    private var count = 0

    /// - Parameters:
    ///   - automounts: the mounts into which the walk must not look.
    ///   - remedy: what helps if the contents cannot be examined.
    ///   - isPlain: whether an entry is harmless whatever its name is. An entry whose name is not UTF-8 has no path, so
    ///     it is not visited. If it is not plain, the contents cannot be examined.
    init(automounts: Automounts, remedy: String, isPlain: @escaping (Entry) -> Bool) {
        self.automounts = automounts
        self.remedy = remedy
        self.isPlain = isPlain
    }

    /// - Parameters:
    ///   - path: a file or directory, which is visited too.
    ///   - skipped: whether the walk leaves out a path and everything below it.
    mutating func walk(
        _ path: String, besides skipped: (String) -> Bool, visit: Visit
    ) throws(SandboxError) {
        ExaminationTrail.enter(path)
        let status = try SandboxError.step("grants") { () throws(SystemError) in
            try Descriptor.open(path, Descriptor.pathOnly | O_NOFOLLOW).status()
        }
        try visit(path, Entry(kind: status.kind, mode: status.mode, links: status.links))
        if status.kind == .directory { try walk(directory: path, depth: 0, besides: skipped, visit: visit) }
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
            let known = Entry(kind: entry.kind, mode: entry.mode, links: entry.links)
            guard let name = entry.name else {
                guard !entry.isDirectory, isPlain(known) else {
                    throw tooMuch(path, because: "a name in it is not UTF-8")
                }
                continue
            }
            let place = path + "/" + name
            if skipped(place) { continue }
            try visit(place, known)
            if entry.isDirectory { try walk(directory: place, depth: depth + 1, besides: skipped, visit: visit) }
        }
    }

    private func entries(of path: String) throws(SandboxError) -> [DirectoryEntry] {
        ExaminationTrail.enter(path)
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
            "grants", cause: "\(Escaped(path)) cannot be examined: \(cause)", remedy: remedy)
    }
}
