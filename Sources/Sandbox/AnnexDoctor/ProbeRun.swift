internal import AnnexLaunch

/// The result of launching the probe once.
struct ProbeRun: Sendable {
    var report: SandboxReport?
    var failure: SandboxError?
    var said = ProbeReport([])
    /// The calls for which the policy killed the probe.
    private var endedFor: [String] = []
    private var end: ProcessEnd?

    init(failure: SandboxError) {
        self.failure = failure
    }

    init(report: SandboxReport?, end: SandboxEnd) {
        self.report = report
        failure = end.failure
        said = ProbeReport(end.output.bytes)
        endedFor = end.denials.filter { $0.answer == .ended }.map(\.call)
        self.end = end.process
    }

    /// The results of its attempts to make a user namespace inside.
    var nested: String {
        let tried = said.tries.sorted { $0.key < $1.key }.map { "\($0.key): errno \($0.value)" }
        return (tried + endedFor.map { "\($0): ended" }).joined(separator: ", ")
    }

    /// Why a launch without a failure still cannot be relied upon.
    var surprise: String {
        if !said.escapes.isEmpty {
            return "a user namespace could be made inside, by \(said.escapes.joined(separator: ", "))"
        }
        return "the probe said nothing" + (end.map { " (\($0))" } ?? "")
    }
}
