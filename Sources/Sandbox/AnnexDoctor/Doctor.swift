package import AnnexLaunch
public import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// Examines what this machine offers to sandboxes, and names remedies for missing features.
///
/// The doctor does not guess from version numbers. It tries every feature in a separate process, without effects on the
/// calling program. It also launches a small program under every policy. All trials have a time limit.
public enum Doctor {
    /// Tries every feature and policy, which takes a fraction of a second. The call blocks the calling thread, but
    /// never the event loop.
    ///
    /// - Parameter policies: the names of the shipped policies to launch under. If nil, all shipped policies are used.
    public static func examine(policies: [String]? = nil) -> Diagnosis {
        let policies = policies ?? PolicyLibrary.shipped.names
        let surroundings = Surroundings.ofThisProcess()
        let remedies = Remedies(surroundings)
        let answers = KernelFeature.all.map { ($0, $0.attempt()) }
        var findings = surroundings.findings + answers.map { kernel($0, answer: $1, remedies: remedies) }
        var readiness: [PolicyReadiness] = []
        do throws(SandboxError) {
            try rejectDeadly(answers, remedies: remedies)
            let probes = try ProbeLauncher()
            findings += layers(probes, remedies: remedies)
            for policy in policies { readiness.append(probes.readiness(of: policy, remedies: remedies)) }
        } catch {
            let failure = error
            findings.append(
                Finding(
                    "broker-start", topic: .layers, title: "start of a broker", level: .missing,
                    seen: "\(failure.step): \(failure.cause)",
                    meaning: "no sandbox can be made", remedy: failure.remedy ?? remedies.ofStart))
            readiness = policies.map { PolicyReadiness(unable: $0, failure: failure, remedies: remedies) }
        }
        findings += ControlGroupExamination.findings() + ResourceExamination.findings(surroundings)
        return Diagnosis(
            system: system, user: getuid(), container: surroundings.container.rawValue,
            findings: findings.sorted { $0.topic.order < $1.topic.order }, policies: readiness)
    }

    /// Throws if a filter around this program kills a process that makes a call of a broker. Without a filter, nothing is
    /// tried.
    package static func rejectKillingFilter() throws(SandboxError) {
        guard Confinement.hasFilter else { return }
        try rejectDeadly(
            KernelFeature.all.map { ($0, $0.attempt()) }, remedies: Remedies(Surroundings.ofThisProcess()))
    }

    /// A broker makes the tried calls in its own process. If a filter kills the process for one of these calls, it would
    /// kill the broker too.
    private static func rejectDeadly(
        _ answers: [(KernelFeature, KernelFeature.Answer)], remedies: Remedies
    ) throws(SandboxError) {
        guard let deadly = answers.first(where: \.1.isDeadly) else { return }
        throw SandboxError(
            deadly.0.title, cause: "a filter around this program kills every process that makes this call",
            remedy: remedies.remedy(of: deadly.0, deadly.1))
    }

    /// Removes the remains of killed brokers and doctors: their control groups, and the doctors' folders.
    ///
    /// - Returns: the directories that were removed.
    public static func clean() -> [String] {
        var removed: [String] = []
        for hierarchy in ControlGroupHierarchy.candidates() { removed += ControlGroup.sweep(hierarchy) }
        return Array(Set(removed)).sorted() + ProbeBundle.sweep()
    }

    /// The text of the AppArmor profile that allows the installed warden to make user namespaces.
    public static var appArmorProfile: String { AppArmorProfile.text }

    /// The warden's program for this machine, to be installed as `/usr/libexec/annex/annex-warden`.
    public static func warden() throws(SystemError) -> [UInt8] { try WardenProgram.bytes() }

    private static func kernel(_ feature: KernelFeature, answer: KernelFeature.Answer, remedies: Remedies)
        -> Finding
    {
        if case .works = answer {
            return Finding(feature.id, topic: feature.topic, title: feature.title, level: .works, seen: "\(answer)")
        }
        return Finding(
            feature.id, topic: feature.topic, title: feature.title, level: feature.level, seen: "\(answer)",
            meaning: feature.meaning,
            remedy: remedies.remedy(of: feature, answer))
    }

    private static func layers(_ probes: borrowing ProbeLauncher, remedies: Remedies) -> [Finding] {
        let missingLayers = probes.missingLayers
        if missingLayers.count == SandboxLayer.allCases.count, let first = missingLayers.first {
            return [
                Finding(
                    "layers", topic: .layers, title: "every layer", level: .missing,
                    seen: "tried by the warden: \(first.seen)",
                    meaning: "no process can be made in a sandbox at all", remedy: remedies.remedy(of: first))
            ]
        }
        return SandboxLayer.allCases.map { layer in
            let id = "layer." + layer.rawValue
            guard let missing = missingLayers.first(where: { $0.layer == layer }) else {
                return there(layer, id: id, probes: probes)
            }
            return Finding(
                id, topic: .layers, title: layer.title, level: .missing, seen: "tried by the warden: \(missing.seen)",
                meaning: "a launch fails, unless its host names `\(layer.rawValue)` as dispensable",
                remedy: remedies.remedy(of: missing))
        }
    }

    /// The finding for a layer that works. For `speculation`, this means only that the kernel accepted every control
    /// that it offers.
    private static func there(_ layer: SandboxLayer, id: String, probes: borrowing ProbeLauncher) -> Finding {
        let controls = probes.controls
        if layer == .speculation, controls.isEmpty {
            return Finding(
                id, topic: .layers, title: layer.title, level: .note, seen: "reported by the warden: \(controls)",
                meaning:
                    "launches go on without this layer; only the kernel's own measures hold against side channels "
                    + "of the processor"
            )
        }
        let more: String
        switch layer {
        case .landlock: more = probes.landlockText
        case .speculation: more = "; \(controls)"
        default: more = ""
        }
        return Finding(
            id, topic: .layers, title: layer.title, level: .works,
            seen: "tried by the warden (\(probes.program)): works" + more)
    }

    private static var system: String {
        var name = utsname()
        // SAFETY: the call fills the structure, and both fields end with a NUL byte.
        guard unsafe uname(&name) == 0 else { return "unknown" }
        let release = unsafe withUnsafeBytes(of: name.release) { unsafe text($0) }
        let machine = unsafe withUnsafeBytes(of: name.machine) { unsafe text($0) }
        return "\(release) \(machine)"
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        // SAFETY: the bytes are copied out while the structure lives.
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

extension Finding.Topic {
    var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
