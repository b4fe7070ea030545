import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import Glibc

/// Explains why a program that root started cannot read a file below a path that was handed over for reading.
///
/// The program is another user than root. If every user may read the handed-over path, the files below it keep their
/// owners, so root's private files stay closed. If such a file is handed over by itself, it belongs to the program.
struct ClosedFileHint {
    let policy: Policy
    let given: GivenPaths

    /// - Parameter path: a path that the program named.
    func hint(_ path: String) -> RunHint? {
        let path = PathText.resolved(path)
        let policy = policy
        let lookup = HostLookup { policy.verdict(path: $0, rights: .write).isAllowed }
        guard geteuid() == 0, PathText.misspelling(path) == nil, case .found(let real) = lookup.follow(path),
            let place = place(of: real), let (closed, status) = Self.closed(real, below: place.path)
        else { return nil }
        let rest = PathText.parts(closed).dropFirst(PathText.parts(place.path).count).joined(separator: "/")
        let typed = place.typed == "." ? rest : "\(place.typed.hasSuffix("/") ? place.typed : place.typed + "/")\(rest)"
        guard status.st_uid == 0 else { return RunHint(line: OwnerHints.line(about: typed, of: status)) }
        let isProgram = given.pairs(of: "--execute").contains { $0.path == place.path }
        let grant = GrantOption(for: closed, rights: isProgram ? [.read, .execute] : .read, beside: policy)
        guard let grant else { return nil }
        let choice = RunChoice(grant.name, typed)
        let word = status.st_mode & 0o077 == 0 ? "readable for root alone" : "not readable for every user"
        return RunHint(
            line: "\(PathText.shown(typed, limit: 500)) is \(word), and the program is another user: add "
                + choice.shown,
            choices: [choice])
    }

    /// The innermost path that was handed over and contains this one; nil if root's files there belong to the program.
    private func place(of path: String) -> GivenPaths.Pair? {
        let around = given.all.filter { PathText.isPath(path, within: $0.path) }
        let isMapped = around.contains { place in
            given.written.contains { $0.path == place.path } || !Self.isOpen(place.path, isPassed: false)
        }
        return isMapped ? nil : around.max { $0.path.utf8.count < $1.path.utf8.count }
    }

    /// The first file or directory on the way to a path that other users may not use.
    private static func closed(_ path: String, below place: String) -> (path: String, status: stat)? {
        var current = place
        for name in PathText.parts(path).dropFirst(PathText.parts(place).count) {
            current += "/" + name
            var status = stat()
            guard lstat(current, &status) == 0 else { return nil }
            if !isOpen(status, isPassed: current != path) { return (current, status) }
        }
        return nil
    }

    private static func isOpen(_ path: String, isPassed: Bool) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && isOpen(status, isPassed: isPassed)
    }

    /// - Parameter isPassed: whether the path only leads to another one.
    private static func isOpen(_ status: stat, isPassed: Bool) -> Bool {
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        let wanted: mode_t = isPassed ? 0o1 : isDirectory ? 0o5 : 0o4
        return status.st_mode & wanted == wanted
    }
}
