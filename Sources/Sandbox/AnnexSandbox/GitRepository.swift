internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The repository of git in a directory that a caller hands over: what a program needs of it besides the directory.
///
/// - Its hooks can be executed, and the program cannot change them.
/// - A worktree has its repository elsewhere: its file `.git` names a directory of the main repository. The program can
///   then read the main repository. If it can write in the worktree, it can also write objects, references, logs and the
///   worktree's own state. It cannot change what makes git execute programs: hooks, settings, and the files that say where
///   a repository is.
///
/// A program of an earlier run may have written the file `.git`. So the main repository must name the worktree, too. All
/// these paths follow no link.
struct GitRepository {
    /// The directory that was handed over, without links.
    private let directory: String
    private let isWritable: Bool
    /// Whether the caller lets the program change hooks and settings in directories that it may change.
    private let isUnprotected: Bool

    /// The grants for the repositories of all directories that were handed over.
    /// - Parameter unprotected: the groups of protected parts that the caller gave up.
    static func grants(of given: [PathGrant], unprotected: [String]) throws(SandboxError) -> [PathGrant] {
        let isUnprotected = unprotected.contains { ["git", "all"].contains($0) }
        let writable = given.filter { $0.rights.contains(.write) }.compactMap { Self.place($0.path) }
        var grants: [PathGrant] = []
        for grant in given {
            guard let directory = place(grant.path) else { continue }
            let repository = GitRepository(
                directory: directory, isWritable: grant.rights.contains(.write), isUnprotected: isUnprotected)
            // The caller's own options decide about the paths that they name.
            grants += try repository.grants(besides: writable).filter { found in
                !given.contains { PathText.isSame(place($0.path) ?? $0.path, as: found.path) }
            }
        }
        return grants
    }

    private static func place(_ path: String) -> String? { try? HostPath.resolve(path).path }

    private var pointer: String { directory + "/.git" }

    private func grants(besides writable: [String]) throws(SandboxError) -> [PathGrant] {
        switch Self.kind(pointer) {
        case .directory:
            // What the program may change is executed only with `--write-execute`.
            return isWritable && isUnprotected ? [] : executable(hooks: pointer + "/hooks")
        case .regular: return try worktree(besides: writable)
        default: return []
        }
    }

    /// The kind of the object at a path, which is no link; nil if there is none that belongs to the caller or to root.
    private static func kind(_ path: String) -> FileStatus.Kind? {
        guard let status = try? HostPath.resolve(withoutLinks: path).object.status(),
            [0, geteuid()].contains(status.user)
        else { return nil }
        return status.kind
    }

    // MARK: - Worktrees

    private func worktree(besides writable: [String]) throws(SandboxError) -> [PathGrant] {
        guard let line = Self.line(of: pointer), line.hasPrefix("gitdir: ") else { return [] }
        let named = String(line.dropFirst("gitdir: ".count))
        guard let own = Self.place(Self.absolute(named, in: directory)) else { return [] }
        let (holder, common) = (own.parentPath, own.parentPath.parentPath)
        // The repository of a submodule has another path. It does not name its directory in this way.
        guard holder.utf8.elementsEqual((common + "/worktrees").utf8) else { return [] }
        try checkBack(own: own, common: common)
        let executable = executable(hooks: common + "/hooks")
        if writable.contains(where: { common.isWithin($0) }) {
            return isUnprotected ? [] : executable + [grant(pointer, rights: .read)]
        }
        let readable = [grant(common, rights: .read)] + executable
        return isWritable ? readable + (try changed(own: own, common: common)) : readable
    }

    /// What git changes in the main repository as it works in the worktree, and what it must not change there.
    private func changed(own: String, common: String) throws(SandboxError) -> [PathGrant] {
        let settings = own + "/config.worktree"
        if Self.kind(settings) == nil, Self.mayHaveOwnSettings(common) {
            throw SandboxError(
                "grants",
                cause: "\(Escaped(common)) has settings for each worktree, and the program could write those of "
                    + "\(Escaped(directory)), because \(Escaped(settings)) does not exist",
                remedy: "make it first (touch \(ShellText.shown(settings)))")
        }
        // The caller did not hand over the main repository. So what is protected there stays protected.
        let kept = [own + "/commondir", own + "/gitdir", settings] + (isUnprotected ? [] : [pointer])
        let written = [common + "/objects", common + "/refs", common + "/logs", own]
        // The narrower places come first, so that the wider ones do not widen them.
        return kept.filter { Self.kind($0) != nil }.map { grant($0, rights: .read) }
            + written.filter { Self.kind($0) != nil }.map { grant($0, rights: [.read, .write]) }
    }

    /// Checks that the main repository names this worktree, and is one.
    private func checkBack(own: String, common: String) throws(SandboxError) {
        let back = Self.line(of: own + "/gitdir").flatMap { Self.place(Self.absolute($0, in: own)) }
        let shared = Self.line(of: own + "/commondir").flatMap { Self.place(Self.absolute($0, in: own)) }
        let isRepository = Self.kind(common + "/objects") == .directory && Self.kind(common + "/refs") == .directory
        let isBack = back.map { PathText.isSame($0, as: pointer) } == true
        guard isBack, isRepository, shared.map({ PathText.isSame($0, as: common) }) == true else {
            throw SandboxError(
                "grants",
                cause: "\(Escaped(pointer)) names \(Escaped(own)), which is not the repository of this worktree",
                remedy: "correct it ('git worktree repair'), or leave the allowance git out")
        }
    }

    /// Whether git may read further settings from each worktree of a repository. Then a program that makes them could make
    /// git execute programs.
    private static func mayHaveOwnSettings(_ common: String) -> Bool {
        guard let settings = text(of: common + "/config", atMost: 1 << 20) else { return true }
        return settings.lowercased().contains("worktreeconfig")
    }

    private static func absolute(_ path: String, in directory: String) -> String {
        path.hasPrefix("/") ? path : directory + "/" + path
    }

    /// The single line of one of git's small files; nil if there is none.
    private static func line(of path: String) -> String? {
        guard let text = text(of: path, atMost: 8192), text.hasSuffix("\n") else { return nil }
        let line = text.dropLast()
        return line.contains(where: \.isNewline) ? nil : String(line)
    }

    private static func text(of path: String, atMost most: Int) -> String? {
        guard kind(path) == .regular,
            let bytes = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).readAll(atMost: most)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private func executable(hooks: String) -> [PathGrant] {
        Self.kind(hooks) == .directory ? [grant(hooks, rights: [.read, .execute])] : []
    }

    private func grant(_ path: String, rights: PathRights) -> PathGrant {
        PathGrant(
            path: path, rights: rights, isOptional: false, reason: "the git repository of \(Escaped(directory))",
            place: nil, namedIn: NamingFile(path: pointer, plainPaths: [path], writablePlaces: []))
    }
}
