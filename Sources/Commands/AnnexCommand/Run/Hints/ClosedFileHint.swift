import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import AnnexSandbox
import Glibc

/// Explains why a program that root started cannot read a file below a path that was handed over.
///
/// The program is another user than root. Files of all other users stay theirs, and root's files belong to the program
/// only if the place has an id map.
struct ClosedFileHint {
    let policy: Policy
    let given: GivenPaths
    /// The places in which root's files do not belong to the program.
    let foreignPlaces: [SandboxRunReport.ForeignPlace]

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
        return foreignPlaces.first { $0.path == Escaped(place.path, limit: 8_192) }.map { foreign in
            RunHint(line: OwnerHints.line(about: typed, of: status, in: foreign))
        }
    }

    /// The innermost path that was handed over and contains this one.
    private func place(of path: String) -> GivenPaths.Pair? {
        given.all.filter { PathText.isPath(path, within: $0.path) }.max { $0.path.utf8.count < $1.path.utf8.count }
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

    /// - Parameter isPassed: whether the path only leads to another one.
    private static func isOpen(_ status: stat, isPassed: Bool) -> Bool {
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        let wanted: mode_t = isPassed ? 0o1 : isDirectory ? 0o5 : 0o4
        return status.st_mode & wanted == wanted
    }
}
