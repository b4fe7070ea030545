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

    /// The results of the probe's attempts to make a user namespace inside the sandbox.
    var nested: String {
        let tried = said.tries.sorted { $0.key < $1.key }.map { "\($0.key): errno \($0.value)" }
        return (tried + endedFor.map { "\($0): ended" }).joined(separator: ", ")
    }

    /// Why the sandbox cannot be relied on, although no step of the launch failed.
    var surprise: String {
        if !said.escapes.isEmpty {
            return "the probe could make a user namespace inside, by \(said.escapes.joined(separator: ", "))"
        }
        return "the probe reported nothing" + (end.map { " (\($0))" } ?? "")
    }
}

/// The probe's report from inside a sandbox. It lists the calls with which the probe tried to make a user namespace.
struct ProbeReport: Sendable, Hashable {
    /// Whether the probe's code ran at all.
    let hasRun: Bool
    /// The errno of each attempt, by the name of the call; 0 if a namespace was made.
    let tries: [String: Int32]

    /// - Parameter output: a few words, such as `probe clone3=38 clone=1 unshare=1`. The program belongs to Annex, but
    ///   its sandbox is under test. So any other text is treated as no report.
    init(_ output: [UInt8]) {
        let words = String(decoding: output.prefix(256), as: UTF8.self).split { $0 == " " || $0 == "\n" }
        hasRun = words.first == "probe"
        var tries: [String: Int32] = [:]
        for word in words.dropFirst() {
            let parts = word.split(separator: "=")
            if parts.count == 2, let errno = Int32(parts[1]) { tries[String(parts[0])] = errno }
        }
        self.tries = tries
    }

    /// The calls with which the probe made a namespace, although the sandbox must prevent this.
    var escapes: [String] { tries.filter { $0.value == 0 }.map(\.key).sorted() }
}
