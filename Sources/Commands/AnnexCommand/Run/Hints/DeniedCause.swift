import AnnexLaunch
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// The denial that probably made a program fail. Most denied calls are probes whose result the program does not need.
struct DeniedCause {
    let denials: [Denial]
    let policy: Policy
    let allowances: Allowances
    var table = HintTable.shipped

    /// Denials for which something can be said, without those of calls that programs usually do without.
    private var likely: [Denial] {
        denials.filter { !$0.isQuiet && !isOnlySeen($0) && RunRemedy($0, beside: allowances) != nil }
    }

    private var quiet: [Denial] { denials.filter(\.isQuiet) }

    /// Whether a call that is no probe failed with `EPERM`. Programs often open sockets on trial, so no socket counts.
    var hasRefusedCall: Bool {
        likely.contains {
            !isOfPath($0) && !isProbe($0) && $0.call != "socket" && $0.answer == .denied(errno: EPERM)
        }
    }

    /// The call that ended the program.
    var ended: RunHint? { likely.last { $0.answer == .ended }.map(hint) }

    /// The denial of a call that failed with an errno that the program stated. The error that was stated last has
    /// precedence.
    func matching(_ errors: StatedErrors) -> RunHint? {
        (matching(errors, among: likely) ?? matching(errors, among: quiet)).map(hint)
    }

    private func matching(_ errors: StatedErrors, among denials: [Denial]) -> Denial? {
        for stated in errors.lines where stated.errno != 0 {
            let found = denials.filter { !isProbe($0) && $0.answer == .denied(errno: stated.errno) }
            let named = found.last { stated.text.contains($0.call) || Self.isMeant($0.call, by: stated.text) }
            if let denial = named ?? found.last { return denial }
        }
        return nil
    }

    /// Whether a program's own words are about this call.
    private static func isMeant(_ call: String, by text: String) -> Bool {
        words.contains { row in call.contains(row.call) && row.words.contains { text.contains($0) } }
    }

    private static let words: [(call: String, words: [String])] = [
        ("mkdir", ["create directory", "make directory"]), ("chmod", ["changing permissions", "change mode"]),
        ("chown", ["ownership", "owner", "changing group"]),
    ]

    /// The last denial, whatever the program printed. A denied path has precedence over a denied call. A probe counts
    /// only if the program stated its errno, and a socket that is a probe never does.
    func last(_ errors: StatedErrors) -> RunHint? {
        let all = likely
        let wanted = all.filter { !isProbe($0) && !isOnlyTried($0, given: errors) }
        let denial =
            wanted.last(where: isOfPath) ?? wanted.last ?? all.last { isStated($0, in: errors) && isProbeByName($0) }
        return denial.map(hint) ?? (policy.network == .none ? nil : lastReported.map(hint))
    }

    /// The hint if a program made no progress until the user or a limit ended it.
    var waiting: RunHint? {
        let failed = denials.last { !isOfPath($0) && !$0.isQuiet && RunRemedy($0, beside: allowances) != nil }
        return (failed ?? lastReported).map(hint).map { hint in
            RunHint(line: "if the program waited for ever, this call had failed: \(hint.line)", choices: hint.choices)
        }
    }

    /// The last quiet denial for whose call the policy states `report: on`. Programs usually work without such a call,
    /// but not always: a server without `sendfile` only closes its connections.
    private var lastReported: Denial? {
        quiet.last { denial in SystemCall(named: denial.call).map(policy.reportsDenial) ?? false }
    }

    private func hint(_ denial: Denial) -> RunHint { RunHint(denial, beside: allowances) }

    private func isStated(_ denial: Denial, in errors: StatedErrors) -> Bool {
        if case .denied(let errno) = denial.answer { errors.states(errno) } else { false }
    }

    /// Whether a denial is about a path that the sandbox lacks, and not about a missing right, or about a path that
    /// libraries try. Programs look for many files that they do not need.
    private func isOnlySeen(_ denial: Denial) -> Bool {
        guard case .path(let path) = denial.subject else { return false }
        // Programs look for settings, and go on without them.
        if path.isOfHome { return true }
        // Clients print no path of a socket.
        if table.probedPaths.contains(where: path.isWithin) { return true }
        return path.missing.isEmpty && denial.call != "connect"
    }

    /// Whether a denial is about a socket of the network that the program does not blame. Runtimes open such a socket to
    /// see which addresses the machine has, and name no protocol.
    private func isOnlyTried(_ denial: Denial, given errors: StatedErrors) -> Bool {
        guard denial.call == "socket", case .call(let use) = denial.subject,
            [AF_INET, AF_INET6].contains(Int32(truncatingIfNeeded: use[0]))
        else { return false }
        if errors.isEmpty { return use[2] == 0 }
        return !Self.networkWords.contains { errors.mention($0) }
    }

    /// Words of errors that are about the network.
    private static let networkWords = [
        "network", "connect", "socket", "host", "resol", "dns", "http", "url", "tcp", "udp", "port", "unreachable",
        "download", "fetch", "server", "internet", "listen", "bind", "address", "operation not permitted", "proxy",
    ]

    private func isProbe(_ denial: Denial) -> Bool { table.probes?.allows(denial) ?? false }

    private func isProbeByName(_ denial: Denial) -> Bool { denial.call != "socket" && isProbe(denial) }

    private func isOfPath(_ denial: Denial) -> Bool {
        if case .path = denial.subject { true } else { false }
    }
}
