internal import AnnexPolicy
internal import Glibc

/// Decides whether a path named by an allowed call exists on the host but is not granted to the program.
struct PathChecker {
    private let policy: Policy
    private let mode: DenialMode
    /// The directory of the program's bundle, if the program has no root file system of its own.
    private let bundle: String?
    /// Whether the sandbox has a terminal of its own, and therefore shows `/dev/tty`.
    private let hasTerminal: Bool
    private let home: HomeCounterpart?
    private var lookup: HostLookup
    /// A cache of decisions, because programs name the same paths repeatedly.
    private var granted: [NamedPath: Bool] = [:]
    /// The options for denied paths. The search for one reads the list of mounts.
    private var options: [NamedPath: GrantOption?] = [:]
    private static let mostKept = 2_048

    init(_ policy: Policy, mode: DenialMode, bundle: String?, hasTerminal: Bool, home: HomeCounterpart?) {
        self.policy = policy
        self.mode = mode
        self.bundle = bundle
        self.hasTerminal = hasTerminal
        self.home = home
        lookup = HostLookup { Self.denyingLayers(of: policy, path: $0, rights: .write).isEmpty }
    }

    /// Whether the host has the path. For a file to be created, whether the host has its directory.
    mutating func isThere(_ named: NamedPath) -> Bool {
        if case .found = lookUp(named) { true } else { false }
    }

    /// The paths to which links of the host lead from a path, one after another.
    func trail(_ named: NamedPath) -> [String] {
        named.rights.isEmpty || named.makesEntry ? [] : lookup.trail(named.path)
    }

    /// A path that a call named and that the program probably cannot use.
    struct Doubt {
        let named: NamedPath
        /// The errno with which a private directory refuses the path; nil for a path in no private directory.
        var refusal: Int32?
    }

    /// The paths that the policy does not grant, or that lead through links of the host to such paths. A path in a
    /// private directory is also doubtful if the host has it and the sandbox does not. All other paths need no further
    /// work.
    mutating func doubtful(_ named: [NamedPath], by call: HeldCall) -> [Doubt] {
        named.compactMap { path in
            if let known = granted[path] { return known ? nil : Doubt(named: path) }
            if Self.isDescriptorsLink(path.path) { return nil }
            if hasTerminal, path.path == "/dev/tty", !path.rights.contains(.execute) { return nil }
            // Whether the sandbox has the path changes from call to call, so this answer is not kept.
            if policy.isPrivate(placeInside(path.path)) {
                return refusal(of: path, by: call).map { Doubt(named: path, refusal: $0) }
            }
            let isGranted = isGranted(path.path, rights: path.rights) && placeOutside(path) == nil
            if granted.count >= Self.mostKept { granted.removeAll(keepingCapacity: true) }
            granted[path] = isGranted
            return isGranted ? nil : Doubt(named: path)
        }
    }

    /// Whether the path leads to a file that the program has open, whatever mount the link itself is in.
    private static func isDescriptorsLink(_ path: String) -> Bool {
        ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"].contains { PathText.isSame(path.parentPath, as: $0) }
    }

    /// The file of the caller's home for which the program looks in a HOME of its own; nil if there is none. Programs look
    /// for many directories there that they only pass through.
    private func counterpart(of named: NamedPath) -> String? {
        guard !named.makesEntry, let path = home?.path(of: named.path), lookup.isFile(path) else { return nil }
        return path
    }

    /// The errno with which the sandbox refuses a path of the host in a private directory; nil if the host lacks the
    /// path, or if the sandbox has what the call needs.
    private mutating func refusal(of named: NamedPath, by call: HeldCall) -> Int32? {
        guard isThere(named) || counterpart(of: named) != nil, !mode.isPermissive, let sandbox = SandboxLookup(of: call)
        else { return nil }
        return sandbox.refusal(of: named)
    }

    /// The denial to report for a path; nil if the path is not denied. The result is for the report, never for a
    /// decision, because the path came from the process's memory.
    mutating func denial(_ doubt: Doubt, by call: HeldCall, text: String, caller: Caller) -> Denial? {
        let named = doubt.named
        guard let denied = doubt.refusal == nil ? deniedPlace(named) : named.path else { return nil }
        let inside = placeInside(denied)
        // The policy grants its private directories, but the host's files are not in them.
        let isHidden = policy.isPrivate(inside)
        let verdict = policy.verdict(path: inside, rights: named.rights)
        let layers = isHidden ? [.mount] : verdict.deniedBy.filter { $0 != .seccomp }
        var missing = PathRights(
            named.rights.each.filter { !Self.denyingLayers(of: policy, path: inside, rights: $0).isEmpty })
        if doubt.refusal == EACCES { missing.insert(.write) }
        // No mount forbids the search of a directory. A file that nobody may execute is refused outside too.
        if doubt.refusal == nil, missing == .execute, isShown(inside), lookup.isNoProgram(denied) { return nil }
        let other = doubt.refusal != nil && !isThere(named) ? counterpart(of: named) : nil
        let path = DeniedPath(
            path: denied, needed: named.rights, missing: missing, makesEntry: named.makesEntry,
            grant: option(for: named, on: other ?? (named.makesEntry ? denied.parentPath : denied)),
            isOfHome: other != nil)
        let errno = doubt.refusal ?? (isHidden ? ENOENT : verdict.errno ?? 0)
        return Denial(
            subject: .path(path), call: SystemCall(number: call.number)?.name ?? "call \(call.number)", text: text,
            answer: mode.isPermissive ? .passed(errno: errno) : .denied(errno: errno), layers: layers,
            policyLine: verdict.place.map { "\($0)" }, reason: verdict.reason, remedy: verdict.remedy, caller: caller)
    }

    private mutating func option(for named: NamedPath, on path: String) -> GrantOption? {
        if let known = options[named] { return known }
        let option = GrantOption(for: path, rights: named.rights, beside: policy)
        if options.count >= Self.mostKept { options.removeAll(keepingCapacity: true) }
        options[named] = .some(option)
        return option
    }

    /// The path for which the sandbox lacks a right: the named path, or the place to which links of the host lead.
    /// nil if the host does not have the named path, or if links lead to a place that the policy grants.
    private mutating func deniedPlace(_ named: NamedPath) -> String? {
        if isGranted(named.path, rights: named.rights) { return placeOutside(named) }
        guard case .found(let real) = lookUp(named) else { return nil }
        let led = named.makesEntry ? real + "/" + (PathText.parts(named.path).last ?? "") : real
        return led != named.path && isGranted(led, rights: named.rights) ? nil : named.path
    }

    /// The place to which links of the host lead from a granted path, if the policy does not grant that place. Links
    /// that the program could have made are not followed.
    private func placeOutside(_ named: NamedPath) -> String? {
        // A call that needs no right uses the link itself, not the place to which it leads.
        guard !named.rights.isEmpty, !named.makesEntry, !lookup.isDirect(named.path),
            case .found(let real) = lookup.follow(named.path), real != named.path
        else { return nil }
        return isGranted(real, rights: named.rights) && !policy.isPrivate(real) ? nil : real
    }

    private func isGranted(_ path: String, rights: PathRights) -> Bool {
        Self.denyingLayers(of: policy, path: placeInside(path), rights: rights).isEmpty
    }

    private mutating func lookUp(_ named: NamedPath) -> HostLookup.Answer {
        lookup.lookUp(named.makesEntry ? named.path.parentPath : named.path)
    }

    private func isShown(_ path: String) -> Bool { Self.denyingLayers(of: policy, path: path, rights: []).isEmpty }

    private func placeInside(_ path: String) -> String {
        guard let bundle, path == bundle || path.hasPrefix(bundle + "/") else { return path }
        return PathText.bundle + path.dropFirst(bundle.count)
    }

    private static func denyingLayers(of policy: Policy, path: String, rights: PathRights) -> [SandboxLayer] {
        policy.verdict(path: path, rights: rights).deniedBy.filter { $0 != .seccomp }
    }
}
