/// The allowances of a library as remedies for what a policy denies.
///
/// The texts of the allowances state which calls and settings they are for. So this code knows no allowance by its name,
/// and a new allowance needs no change here.
package final class Allowances {
    private let library: PolicyLibrary
    private let policy: Policy
    /// The allowances that the policy could get, and the policy with each of them. Most programs need none of them, so
    /// they are read when somebody asks.
    private lazy var candidates = makeCandidates()

    package init(_ library: PolicyLibrary = .shipped, beside policy: Policy) {
        self.library = library
        self.policy = policy
    }

    /// The allowances that are for a denied call. Each of them suffices. Allowances with a hint about their use come
    /// last.
    package func allowing(_ use: CallUse) -> [PolicyFragment] {
        guard policy.answer(use) != .allow else { return [] }
        return candidates.filter { $0.fragment.isFor(use) && $0.joined.answer(use) == .allow }.map(\.fragment)
    }

    /// The allowances that are for the setting, device or files that a remedy names. Each of them suffices.
    package func giving(_ remedy: Remedy) -> [PolicyFragment] {
        candidates.filter { $0.fragment.states(remedy) }.map(\.fragment)
    }

    /// The allowances that hand over a file or socket of the caller. Each of them suffices. An allowance with calls is for
    /// its sockets only.
    /// - Parameter isPlace: whether the grant of an allowance leads to the file.
    package func handingOver(_ rights: PathRights, to isPlace: (CallersGrant) -> Bool) -> [PolicyFragment] {
        candidates.map(\.fragment).filter { fragment in
            fragment.grants.callers.contains { grant in
                (fragment.calls.isEmpty || grant.kind != .any) && rights.isSubset(of: grant.rights) && isPlace(grant)
            }
        }
    }

    /// Whether the policy lacks something that the allowance gives. An allowance that cannot be joined or read is not
    /// missing, because it does not help.
    package func isMissing(_ name: String) -> Bool { candidates.contains { $0.fragment.identifier == name } }

    private struct Candidate {
        let fragment: PolicyFragment
        let joined: Policy
    }

    private func makeCandidates() -> [Candidate] {
        // A policy whose places of the caller were found no longer states them. So names tell what it has already.
        let own = JoinedName(policy.name).fragments
        let all = library.allowances.filter { !own.contains($0) }.compactMap { name -> Candidate? in
            guard let fragment = try? library.fragment(named: name, for: policy.architecture),
                let joined = try? policy.joined(with: [fragment]), !joined.isSame(as: policy)
            else { return nil }
            return Candidate(fragment: fragment, joined: joined)
        }
        return all.filter { $0.fragment.hint == nil } + all.filter { $0.fragment.hint != nil }
    }
}

extension PolicyFragment {
    /// Whether the fragment's own rules allow the call. A fragment without rules is for the calls that its settings
    /// open. A fragment with places of the caller is for these places, and its calls only reach them.
    fileprivate func isFor(_ use: CallUse) -> Bool {
        guard grants.callers.isEmpty else { return false }
        return calls.isEmpty ? changesFilter : allows(use)
    }

    fileprivate func states(_ remedy: Remedy) -> Bool {
        switch remedy {
        case .processFiles(let files): processFiles?.value == files
        case .devices(let wanted): wanted.last.map { devices?.value.contains($0) ?? false } ?? false
        // An allowance with rules turns this setting off only because its own calls bypass it.
        case .writeXorExecuteOff: calls.isEmpty && writeXorExecute?.value == false
        case .entry, .grant, .entitlement, .host, .identityBits: false
        }
    }
}

extension Policy {
    /// Whether both policies state the same, whatever their names.
    fileprivate func isSame(as other: Policy) -> Bool {
        var renamed = self
        renamed.name = other.name
        return renamed == other
    }
}
