import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// The messages after a run that failed.
struct RunHints {
    let report: SandboxRunReport
    let denials: [Denial]
    let policy: Policy
    let given: GivenPaths
    let home: ProgramsHome?
    let allowances: Allowances

    /// The most denials that are printed.
    private static let most = 40

    /// - Parameter home: HOME of the program, if it lies in the program's own directory.
    init(
        _ report: SandboxRunReport, denials: [Denial], policy: Policy, given: GivenPaths, home: ProgramsHome?
    ) {
        self.report = report
        self.denials = denials
        self.policy = policy
        self.given = given
        self.home = home
        allowances = Allowances(beside: policy)
    }

    /// Prints every kind of call and path that was denied.
    func explain() {
        let kinds = merged(denials)
        for denial in kinds.prefix(Self.most) {
            StandardError.print("annex: " + RunHint(denial, beside: allowances).line)
        }
        if kinds.count > Self.most {
            StandardError.print("annex: the report has \(kinds.count - Self.most) more kinds of denials")
        }
        if !report.hosts.isEmpty { StandardError.print("annex: hosts that it asked for: \(requestedHosts)") }
    }

    private var requestedHosts: String {
        let shown = report.hosts.prefix(Self.most).map { host in
            let ports = host.ports.map { "\($0)" }.joined(separator: ",")
            return host.name + (ports.isEmpty ? "" : ":\(ports)") + (host.isAllowed ? "" : " (refused)")
        }
        let more = report.hosts.count > Self.most ? " and \(report.hosts.count - Self.most) more" : ""
        return shown.joined(separator: ", ") + more
    }

    /// Merges denials of the same call into one denial, if the same option allows them all. Such denials usually
    /// differ only in an address.
    func merged(_ denials: [Denial]) -> [Denial] {
        // Two names that are equal by Unicode can be two files. So kinds are told apart by bytes.
        var order: [[UInt8]] = []
        var kinds: [[UInt8]: Denial] = [:]
        for denial in denials {
            let remedy = RunRemedy(denial, beside: allowances)?.text ?? denial.text
            let key: [UInt8]
            if case .path(let path) = denial.subject {
                key = Array("\(path.shown) \(denial.headline)".utf8)
            } else {
                key = Array("\(denial.call) \(remedy)".utf8)
            }
            if kinds[key] == nil { order.append(key) }
            let before = kinds[key]?.count ?? 0
            kinds[key] = (kinds[key] ?? denial).counted(before + denial.count)
        }
        return order.compactMap { kinds[$0] }
    }

    /// Whether a list of the denials is exactly the line of this hint.
    func isList(_ hint: RunHint) -> Bool {
        denials.count == 1 && denials.first.map { RunHint($0, beside: allowances).line } == hint.line
    }

    /// The line that is printed last. It names the cause of the failure and the option that removes the cause.
    ///
    /// A limit that ended the program has precedence, then the error that the program itself stated, then the denials.
    /// Only a denial that ended the program has precedence over that error.
    /// - Parameters:
    ///   - tried: the options of the run, which have not helped.
    ///   - isExplained: whether `explain` has printed the denials.
    ///   - isAboutOwner: whether another hint has named a place that the program may not use because of the place's
    ///     owner.
    /// - Returns: nil if no limit, path or denial explains the failure.
    func hint(
        _ errors: StatedErrors, tried: TriedOptions, isExplained: Bool, isAboutOwner: Bool
    ) -> RunHint? {
        guard report.reason != .launchFailed, report.exitCode != 0 else { return nil }
        // A shell ends with this status if its child ended by this signal.
        if report.signal == SIGSYS || report.exitCode == 128 + SIGSYS {
            return .foreignCall(isSure: report.reason == .deniedOperation)
        }
        let table = HintTable.shipped
        let known = KnownErrors(
            errors: errors, policy: policy, allowances: allowances, given: given, tried: tried)
        let cause = DeniedCause(denials: denials, policy: policy, allowances: allowances)
        let isDenied = report.reason == .deniedOperation
        let program = isDenied ? nil : known.hint(table.programs, denials: denials)
        let limit = isDenied ? nil : MetLimit(report, denials: denials, policy: policy, errors: errors)
        if let program, limit?.isEnd != true { return program }
        if let limit { return limit.hint(besides: limit.isTime ? program ?? cause.waiting : nil) }
        // A denial does not cause signals that come from outside the program.
        if let signal = report.signal, Self.foreign.contains(signal) {
            if signal == SIGPIPE { return refusedByAgent(table) }
            return [SIGINT, SIGTERM].contains(signal)
                ? cause.waiting.map { listing($0, isExplained: isExplained) } : nil
        }
        let paths = PathHint(
            policy: policy, allowances: allowances, given: given, tried: tried, isAboutOwner: isAboutOwner,
            isCallRefused: cause.hasRefusedCall, home: home, foreignPlaces: report.foreignPlaces)
        let sure =
            cause.ended ?? LeftOutLayer(report).hint(for: errors) ?? PartHint(report: report, given: given).hint(
                for: errors)
            ?? DescriptorHint.hint(for: errors)
        let hint =
            sure ?? known.hint(table.errors.filter(\.isFirst), denials: denials) ?? paths.hint(for: errors)
            ?? cause.matching(errors).flatMap(tried.without) ?? known.hint(table.errors, denials: denials)
            ?? paths.hint(printed: errors) ?? paths.hint(unnamedIn: errors) ?? cause.last(errors).flatMap(tried.without)
        return hint.map { listing($0.withoutCredentials, isExplained: isExplained) }
    }

    /// The note after a success about a file that was not read, or not written.
    func unused(_ errors: StatedErrors, tried: TriedOptions) -> String? {
        let paths = PathHint(
            policy: policy, allowances: allowances, given: given, tried: tried, home: home,
            foreignPlaces: report.foreignPlaces)
        return paths.unread(in: errors) ?? paths.unwritten(in: errors)
    }

    /// The hint about an ssh agent that serves another user. Such an agent closes the connection without an answer, so
    /// a program that writes to it a moment later prints nothing and ends by SIGPIPE.
    private func refusedByAgent(_ table: HintTable) -> RunHint? {
        guard geteuid() == 0, policy.environment.passed.contains("SSH_AUTH_SOCK") else { return nil }
        let row = table.errors.first { $0.texts.contains("communication with agent failed") }
        return row.map { RunHint(line: $0.hint) }
    }

    /// Signals that come from outside the program, and the signal for output without a reader.
    private static let foreign: Set<Int32> = [
        SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2,
    ]

    /// The hint with the option that lists all denials, unless they have been listed.
    private func listing(_ hint: RunHint, isExplained: Bool) -> RunHint {
        guard !isExplained else { return hint }
        return RunHint(line: hint.line + "; to see every denied call and path, add --explain", choices: hint.choices)
    }
}

extension RunHint {
    /// The line about one denial, and what allows the denied call or path.
    init(_ denial: Denial, beside allowances: Allowances) {
        let remedy = RunRemedy(denial, beside: allowances)
        let often = denial.count > 1 ? " (\(denial.count) times)" : ""
        let usual = denial.isQuiet ? "; programs usually do without it" : ""
        self.init(
            line: denial.headline + often + usual + (remedy.map { "; \($0.text)" } ?? ""),
            choices: remedy?.choices ?? [])
    }

    /// The hint if the kernel ended the program at a call of a foreign ABI.
    /// - Parameter isSure: false if the program may have sent this signal to itself.
    fileprivate static func foreignCall(isSure: Bool) -> RunHint {
        RunHint(
            line: "it \(isSure ? "made" : "probably made") a system call of a 32-bit program: such programs do not run "
                + "in a sandbox, and no option changes that")
    }
}
