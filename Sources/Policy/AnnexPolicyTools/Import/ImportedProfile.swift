internal import AnnexLinux
public import AnnexPolicy

/// A policy that was made from a container profile and makes the same decisions about calls.
public struct ImportedProfile: Sendable {
    /// The policy's text, ready for a file `NAME.yaml`.
    public let text: String
    /// Notes for the reader. They name the parts that were left out, and the security holes of the profile itself.
    public let notes: [String]

    /// Reads a profile in the JSON of Docker or OCI and proposes a policy. The policy answers every call as libseccomp
    /// would answer it under that profile. The policy is compared with libseccomp's own filter to check that.
    ///
    /// - Parameters:
    ///   - json: the file's bytes. They are not trusted.
    ///   - file: the file's name, for messages and reasons.
    ///   - name: the policy's name.
    ///   - world: the machine and container. They decide which entries apply.
    /// - Throws: an error if the text is not a valid profile, or if a policy cannot express the profile. The error
    ///   names the line, the column and the JSON path.
    public init(
        json: [UInt8], file: String, name: String, world: ProfileWorld
    ) throws(PolicyError) {
        let profile = try ContainerProfile(json: json, file: file, world: world)
        let rules = try ProfileRules(profile)
        notes = Self.notes(profile, rules: rules)
        text = Self.page(profile, rules: rules, name: name, notes: notes).text
        let policy = try PolicyLibrary(texts: [name: text]).policy(named: name, for: world.architecture)
        try ProfileChecker(profile: profile, policy: policy).check()
    }

    private static func notes(_ profile: ContainerProfile, rules: ProfileRules) -> [String] {
        var notes = profile.notes
        if !rules.unknown.isEmpty {
            notes.append("No such call on x86-64 or aarch64, left out: \(rules.unknown.joined(separator: ", ")).")
        }
        for (rule, _) in rules.rules where rule.answer == .allow {
            let call = SystemCall(named: rule.call, architecture: profile.world.architecture)
            for condition in rule.conditions where condition.isEvaded(in: call) {
                notes.append(
                    "\(rule.place): `\(rule.call)` is allowed \(rule.words(for: profile.world.architecture)): "
                        + "a set bit in the upper half bypasses this. The profile has the same hole.")
            }
        }
        return notes
    }

    private static func page(
        _ profile: ContainerProfile, rules: ProfileRules, name: String, notes: [String]
    ) -> PolicyPage {
        var page = PolicyPage(name: name, summary: "Decides every call as the seccomp profile \(profile.file) does.")
        page.comments = [
            "Imported from a container profile, which covers only system calls. Review the other sections."
        ]
        page.comments += notes
        page.groups = profile.entries.enumerated().map { index, entry in
            let own = rules.rules.filter { $0.entry == index }.map(\.rule)
            return PolicyPage.Group(
                answer: entry.action.answer, reason: entry.reason,
                entries: own.flatMap { $0.entries(for: profile.world.architecture) })
        }
        page.sections = sections(profile)
        return page
    }

    private static func sections(_ profile: ContainerProfile) -> [String] {
        guard case .errno(let number) = profile.defaultAction else { return [] }
        let answer = Errno.name(number)
        return [
            "unlisted: { known: \(answer), unknown: \(answer) }",
            "paths: { bundle: [read, execute], private: none, proc: none }",
            "devices: []", "network: none", "write-xor-execute: off", "environment: { pass: [], set: {} }",
            """
            limits:
              memory: 512M
              launch: 5s
              request: 60s
              watchdog: 60s
              grace: 1s
              processor: 120s
              processes: 64
              descriptors: 256
              file: 256M
              output: 1M
              messages: 1000
              in-flight: 8M
              open-calls: 64
              denials: 1000
              instances: 16
              keep-alive: 0s
            """,
        ]
    }
}

extension CallCondition {
    /// Whether a value can pass the condition only because a bit in the register's upper half is set. The kernel does
    /// not read that half.
    func isEvaded(in call: SystemCall?) -> Bool {
        let known = call?.arguments ?? []
        guard index < known.count, known[index].kind.bits == 32 else { return false }
        let lower = alternatives.flatMap(\.boundaries).map { $0 & 0xFFFF_FFFF }
        func passes(_ register: UInt64) -> Bool { alternatives.contains { $0.holds(register) } }
        return lower.contains { !passes($0) && (passes($0 | 1 << 32) || passes($0 | 0xFFFF_FFFF << 32)) }
    }
}
