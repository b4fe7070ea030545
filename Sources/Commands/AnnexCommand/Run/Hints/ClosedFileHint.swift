import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import AnnexSandbox
import Glibc

/// Explains why a program that root started cannot read a file below a path that was handed over.
///
/// The program is another user than root. Files of all other users stay theirs. Root's files belong to the program if the
/// place has an id map. An open directory of the machine's services has none, so that root's private files there stay
/// closed unless they are handed over by themselves.
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
        if let foreign = foreignPlaces.first(where: { $0.path == Escaped(place.path, limit: 8_192) }) {
            return RunHint(line: OwnerHints.line(about: typed, of: status, in: foreign))
        }
        return handingOver(closed, typed: typed, status: status, in: place)
    }

    /// The hint about a private file of root in an open directory of the machine.
    private func handingOver(
        _ path: String, typed: String, status: stat, in place: GivenPaths.Pair
    ) -> RunHint? {
        guard !isMapped(path) else { return nil }
        let isProgram = given.pairs(of: "--execute").contains { $0.path == place.path }
        guard let grant = GrantOption(for: path, rights: isProgram ? [.read, .execute] : .read, beside: policy) else {
            return nil
        }
        let choice = RunChoice(grant.name, typed)
        let word = status.st_mode & 0o077 == 0 ? "readable for root alone" : "not readable for every user"
        let line = "\(PathText.shown(typed, limit: 500)) is \(word), and the program is another user"
        if CredentialPlaces().hold(path) { return RunHint(line: line + RunHint.ofCredentials) }
        return RunHint(line: line + ": add " + choice.shown, choices: [choice])
    }

    /// Whether root's files at a path belong to the program.
    private func isMapped(_ path: String) -> Bool {
        let services = ServicePlaces()
        return given.all.contains { place in
            guard PathText.isPath(path, within: place.path) else { return false }
            var status = stat()
            let isOpen = lstat(place.path, &status) == 0 && Self.isOpen(status, isPassed: false)
            let isBroad = given.readAllBut.contains { $0.path == place.path } || services.hold(place.path)
            return !isBroad || !isOpen || given.written.contains { $0.path == place.path }
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
