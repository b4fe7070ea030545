internal import AnnexLinux
internal import Glibc

extension Policy {
    /// Decides about a path only by the policy's text. This function does not follow links. If the caller knows the
    /// target of a link, it must pass the target.
    ///
    /// - Parameters:
    ///   - path: the path inside the sandbox. `.` and `..` are resolved by their spelling.
    ///   - rights: the wanted rights. An empty set asks whether the path exists.
    public func verdict(path: String, rights: PathRights) -> PathVerdict {
        let path = PathText.resolved(path)
        if let part = part(denying: rights, at: path) { return verdict(part) }
        let around = isHiddenProcessFile(path) ? [] : visiblePaths.filter { PathText.isPath(path, within: $0.path) }
        let denials = around.isEmpty ? outside(path, rights: rights) : inside(around, rights: rights)
        let calls = denials.isEmpty ? denialByCalls(rights) : nil
        let allowed = denials.isEmpty && calls == nil
        let nearest = around.last
        return PathVerdict(
            isAllowed: allowed, deniedBy: denials.map(\.layer) + (calls == nil ? [] : [.seccomp]),
            errno: denials.first?.errno ?? calls?.errno, place: calls?.place ?? nearest?.place,
            reason: calls == nil ? nearest?.reason : calls?.reason,
            remedy: allowed ? nil : calls?.remedy ?? remedy(path, rights: rights, nearest: nearest)
        )
    }

    /// The pattern that hides or protects a path; nil if there is none. A pattern also counts for what lies below a
    /// directory that it matches.
    private func part(denying rights: PathRights, at path: String) -> PathPart? {
        guard !paths.parts.isEmpty else { return nil }
        let names = PathText.parts(path).map { Array($0.utf8) }
        let roots = paths.grants.map(\.path).filter { PathText.isPath(path, within: $0) }
        return paths.parts.first { part in
            guard part.kind == .hide ? !rights.isEmpty : rights.contains(.write) else { return false }
            if case .place(let place) = part.pattern.form {
                return !roots.isEmpty && PathText.isPath(path, within: place)
            }
            return roots.contains { root in
                let below = names.dropFirst(PathText.parts(root).count)
                return below.indices.contains { part.pattern.matches(Array(below[...$0])) }
            }
        }
    }

    private func verdict(_ part: PathPart) -> PathVerdict {
        PathVerdict(
            isAllowed: false, deniedBy: [.mount], errno: part.kind == .hide ? EACCES : EROFS, place: part.place,
            reason: part.reason, remedy: nil)
    }

    /// One layer that refuses a path, and the errno of this refusal.
    private struct Denial {
        let layer: SandboxLayer
        let errno: Int32
    }

    /// The refusals for a path that does not lie at or below a visible path. Directories above a visible path exist in
    /// the sandbox, and have only the entries that lead to visible paths. The program may at most list these
    /// directories.
    private func outside(_ path: String, rights: PathRights) -> [Denial] {
        guard path == "/" || visiblePaths.contains(where: { PathText.isPath($0.path, within: path) }) else {
            return [Denial(layer: .root, errno: ENOENT), Denial(layer: .landlock, errno: EACCES)]
        }
        if rights.isEmpty || rights == .read && mayListParents { return [] }
        let isReadOnly = rights.contains(.write)
        return (isReadOnly ? [Denial(layer: .mount, errno: EROFS)] : [])
            + [Denial(layer: .landlock, errno: EACCES)]
    }

    /// The refusals for a path that lies at or below a visible path. The innermost mount decides whether the path is
    /// read-only and whether it can be executed. Landlock adds up the rights of all directories above the path and
    /// cannot remove a right.
    private func inside(_ around: [VisiblePath], rights: PathRights) -> [Denial] {
        guard let nearest = around.last else { return [] }
        let lacking = rights.subtracting(nearest.rights)
        var denials: [Denial] = []
        if lacking.contains(.write) {
            denials.append(Denial(layer: .mount, errno: EROFS))
        } else if lacking.contains(.execute) {
            denials.append(Denial(layer: .mount, errno: EACCES))
        }
        let given = around.reduce(PathRights()) { $0.union($1.rights) }
        if !rights.isSubset(of: given) { denials.append(Denial(layer: .landlock, errno: EACCES)) }
        return denials
    }

    /// The line that would allow the path if the policy's author added it; nil if no policy may grant the path.
    private func remedy(_ path: String, rights: PathRights, nearest: VisiblePath?) -> Remedy? {
        if let device = PolicyDevice.allCases.first(where: { $0.path == path }), !rights.contains(.execute) {
            return .devices(devices + [device])
        }
        if path == "/proc" || path.hasPrefix("/proc/") {
            guard rights.isSubset(of: .read) else { return nil }
            if isHiddenProcessFile(path) { return .processFiles(.full) }
            return paths.processFiles == .none ? .processFiles(.minimal) : nil
        }
        let wanted = rights.union(paths.grants.last { $0.path == path }?.rights ?? []).union(.read)
        let isGrantable = PathText.misspelling(path) == nil && PathText.danger(path, rights: wanted) == nil
        guard isGrantable, !paths.privateDirectories.contains(where: { $0.path == path }) else { return nil }
        return .grant(path, wanted)
    }
}

extension Policy {
    /// The refusal by seccomp; nil if seccomp refuses none of the rights. seccomp refuses a right if the policy allows
    /// none of the calls that open files with this right. Execution is not checked here, because the launch executes
    /// its program without such a call.
    private func denialByCalls(_ rights: PathRights) -> (
        errno: Int32, place: PolicyPlace, reason: String?, remedy: Remedy?
    )? {
        for (right, modes) in Self.openModes where rights.contains(right) {
            let verdicts = Self.opening.flatMap { name, register in
                modes.compactMap { mode in verdictOfOpening(name, register: register, mode: mode) }
            }
            if verdicts.contains(where: { $0.answer == .allow }) { continue }
            guard let first = verdicts.first(where: { $0.reason != nil }) ?? verdicts.first else { continue }
            let errno: Int32 = if case .deny(let errno, _) = first.answer { errno } else { EPERM }
            let remedy = first.remedy ?? verdicts.compactMap(\.remedy).first
            return (errno, first.place, first.reason, remedy)
        }
        return nil
    }

    private func verdictOfOpening(_ name: String, register: Int, mode: UInt64) -> Verdict? {
        guard let call = SystemCall(named: name, architecture: architecture) else { return nil }
        var arguments = [UInt64](repeating: 0, count: 6)
        arguments[register] = mode
        return verdict(number: call.number, arguments: arguments)
    }

    private static let opening = [("openat", 2), ("open", 1), ("openat2", 5)]

    /// The `O_…` flags of the usual ways to read and to write.
    private static let openModes: [(right: PathRights, modes: [UInt64])] = [
        (.read, [0, 0o2000000, 0o200000, 0o2200000, 2, 0o2000002]),
        (
            .write,
            [1, 0o2000001, 2, 0o2000002, 0o101, 0o2000101, 0o1101, 0o2001101, 0o102, 0o2000102, 0o302, 0o2000302]
        ),
    ]
}

/// A policy's decision about one path, and the layers that enforce it.
public struct PathVerdict: Sendable, Hashable {
    public let isAllowed: Bool
    /// Every layer that would refuse the path alone, in the order in which the layers answer.
    public let deniedBy: [SandboxLayer]
    /// The errno with which the call fails; nil if the path is allowed.
    public let errno: Int32?
    /// The line that decides; nil if no line concerns the path.
    public let place: PolicyPlace?
    /// The reason that the line states.
    public let reason: String?
    /// What would allow the path if the policy's author added it. Nil if the path is allowed, or if no policy may allow
    /// it.
    public let remedy: Remedy?
}
