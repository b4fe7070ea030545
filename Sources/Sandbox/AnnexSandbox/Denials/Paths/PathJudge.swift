internal import AnnexPolicy

/// Tells whether a path that an allowed call named is missing for the program only: not granted, and there outside.
struct PathJudge {
    private let policy: Policy
    private let mode: DenialMode
    /// Where the program's bundle is, where it has no root of its own.
    private let bundle: String?
    private var lookup: HostLookup
    /// Programs ask for the same paths again and again.
    private var granted: [NamedPath: Bool] = [:]
    private static let mostKept = 2_048

    init(_ policy: Policy, mode: DenialMode, bundle: String?) {
        self.policy = policy
        self.mode = mode
        self.bundle = bundle
        lookup = HostLookup { Self.refusing(policy, $0, .write).isEmpty }
    }

    /// Whether the host has the path, or for a file that is to be made, its directory.
    mutating func isThere(_ named: NamedPath) -> Bool {
        if case .found = look(named) { true } else { false }
    }

    /// Those that the policy does not grant: what is not among them goes on without further ado.
    mutating func doubtful(_ named: [NamedPath]) -> [NamedPath] {
        named.filter { path in
            if let known = granted[path] { return !known }
            let isGranted = Self.refusing(policy, placeInside(path.path), path.rights).isEmpty
            if granted.count >= Self.mostKept { granted.removeAll(keepingCapacity: true) }
            granted[path] = isGranted
            return !isGranted
        }
    }

    /// Nil where there is nothing to tell. Nothing here is fit for a decision: the path came from memory.
    mutating func denial(_ named: NamedPath, by call: HeldCall, text: String, _ caller: Caller) -> Denial? {
        let inside = placeInside(named.path)
        let verdict = policy.verdict(path: inside, rights: named.rights)
        let layers = verdict.refusedBy.filter { $0 != .seccomp }
        guard !layers.isEmpty, case .found(let real) = look(named) else { return nil }
        // A link of the system's: what it leads to may be granted under its own name.
        let led = named.makesEntry ? real + "/" + Self.name(of: named.path) : real
        if led != named.path, Self.refusing(policy, placeInside(led), named.rights).isEmpty { return nil }
        let missing = named.rights.each.filter { !Self.refusing(policy, inside, $0).isEmpty }
        let path = DeniedPath(
            path: named.path, needed: named.rights, missing: PathRights(missing), makesEntry: named.makesEntry,
            option: Self.option(for: named))
        let errno = verdict.errno ?? 0
        return Denial(
            subject: .path(path), call: SystemCall(number: call.number)?.name ?? "call \(call.number)", text: text,
            answer: mode.isPermissive ? .passed(errno: errno) : .refused(errno: errno), layers: layers,
            policyLine: verdict.place.map { "\($0)" }, reason: verdict.reason, allowedBy: verdict.remedy,
            caller: caller)
    }

    private mutating func look(_ named: NamedPath) -> HostLookup.Answer {
        lookup.look(named.makesEntry ? Self.directory(of: named.path) : named.path)
    }

    private func placeInside(_ path: String) -> String {
        guard let bundle, path == bundle || path.hasPrefix(bundle + "/") else { return path }
        return PathText.bundle + path.dropFirst(bundle.count)
    }

    private static func refusing(_ policy: Policy, _ path: String, _ rights: PathRights) -> [SandboxLayer] {
        policy.verdict(path: path, rights: rights).refusedBy.filter { $0 != .seccomp }
    }

    /// The option of `annex run`; none for what nobody may grant, and for what is granted otherwise.
    private static func option(for named: NamedPath) -> String? {
        let isWrite = named.rights.contains(.write)
        let path = named.makesEntry ? directory(of: named.path) : named.path
        let rights: PathRights = isWrite ? [.read, .write] : .read
        guard PathText.misspelling(path) == nil, PathText.danger(path, rights) == nil else { return nil }
        return (isWrite ? "--write " : "--read ") + ShellText.quoted(path)
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func name(of path: String) -> Substring {
        path.split(separator: "/").last ?? ""
    }
}
