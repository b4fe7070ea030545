internal import AnnexLinux
public import AnnexPolicy

/// A policy that is proposed from a recorded run of a program. A person should read it, tighten it and then test it.
public struct PolicyProposal: Sendable {
    /// The policy's text, ready for a file `NAME.yaml`.
    public let text: String
    /// The calls and paths that the program used, but that the proposal does not allow. Each element is one phrase,
    /// which also states the reason if there is one.
    public let withheld: [String]

    /// Proposes the smallest policy that allows everything in a recording, except for calls and paths that no proposal
    /// should allow.
    ///
    /// - Parameters:
    ///   - recording: the record of a run of a trusted program. The policy allows only what is in the recording.
    ///   - hosts: the machines that the program reached, for a recording whose network is `hosts`.
    ///   - program: the program's name, for comments.
    ///   - name: the policy's name.
    /// - Throws: an error if no valid policy can be made from the recording.
    public init(
        from recording: Recording, reaching hosts: [HostRule] = [], program: String, named name: String
    ) throws(PolicyError) {
        let calls = ProposedCalls(recording)
        let paths = ProposedPaths(recording)
        let draft = ProposalDraft(
            recording: recording, calls: calls, paths: paths, hosts: hosts, program: program, name: name)
        let first = try draft.page(writeXorExecute: true, withheld: [])
        // A program that generates code at run time needs `write-xor-execute: off`.
        let isOn = try Self.allows(first, named: name, recording: recording, memoryOf: calls)
        let page = try draft.page(writeXorExecute: isOn, withheld: [])
        let policy = try Self.policy(page, named: name, for: recording.architecture)
        withheld = Self.withheld(policy, recording: recording, calls: calls, paths: paths)
        text = try draft.page(writeXorExecute: isOn, withheld: withheld).text
        _ = try Self.policy(
            try draft.page(writeXorExecute: isOn, withheld: withheld), named: name, for: recording.architecture
        )
        .filter()
    }

    static func policy(
        _ page: PolicyPage, named name: String, for architecture: Architecture
    ) throws(PolicyError) -> Policy {
        try PolicyLibrary.shipped.adding([name: (page.text, name + ".yaml")]).policy(named: name, for: architecture)
    }

    /// Whether every recorded call about memory passes with `write-xor-execute: on`. If that setting removes everything
    /// that a rule allows, the policy is invalid, and the result is also false.
    private static func allows(
        _ page: PolicyPage, named name: String, recording: Recording, memoryOf calls: ProposedCalls
    ) throws(PolicyError) -> Bool {
        guard let policy = try? policy(page, named: name, for: recording.architecture) else { return false }
        return recording.calls.keys.allSatisfy { call in
            let known = SystemCall(number: call.number, architecture: recording.architecture)
            guard let known, ["mmap", "mprotect", "pkey_mprotect", "shmat"].contains(known.name) else {
                return true
            }
            return policy.answer(number: call.number, arguments: call.registers) == .allow
        }
    }

    private static func withheld(
        _ policy: Policy, recording: Recording, calls: ProposedCalls, paths: ProposedPaths
    ) -> [String] {
        var sentences = calls.withheld.map { "`\($0.key)`: \($0.value)" }
        for name in calls.fallbacks { sentences.append("`\(name)`: C libraries fall back on an older call") }
        sentences += paths.withheld.map { "\(PathText.shown($0.key)): \($0.value)" }
        for call in recording.calls.keys
        where policy.answer(number: call.number, arguments: call.registers) != .allow {
            guard let known = SystemCall(number: call.number, architecture: policy.architecture) else { continue }
            let isSaid =
                calls.fallbacks.contains(known.name) || calls.withheld.keys.contains { $0.hasPrefix(known.name) }
            if !isSaid, known.name != LaunchCalls.exec { sentences.append(known.describe(arguments: call.registers)) }
        }
        for (path, use) in recording.paths where (use.exists || use.makesEntry) && paths.withheld[path] == nil {
            let verdict = policy.verdict(path: path, rights: use.rights)
            let isWritten = policy.writtenFiles.contains { PathText.isSame($0.path, as: path) }
            let isKnown =
                isWritten || PolicyDevice.allCases.contains { $0.path == path } || PathText.isPath(path, within: "/tmp")
            if !verdict.isAllowed, !isKnown { sentences.append("\(PathText.shown(path)): \(use.rights)") }
        }
        return sentences.sorted()
    }
}

extension Recording.Call {
    /// The six registers. A register that was not recorded is 0.
    package var registers: [UInt64] { (0..<6).map { arguments[$0] ?? 0 } }
}
