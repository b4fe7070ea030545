import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// A limit that made a program fail, and the option that raises it.
struct MetLimit {
    private let met: RunHint
    /// Whether the limit ended the program.
    let isEnd: Bool
    /// Whether the limit is the time of the run.
    let isTime: Bool

    /// - Returns: nil if no limit ended the program, and the program's own errors name no limit.
    init?(_ report: SandboxRunReport, denials: [Denial], policy: Policy, errors: StatedErrors) {
        let ended = Self.ended(report.reason)
        isEnd = ended != nil
        isTime = report.reason == .timeLimit
        let stated = Self.stated(report, denials: denials, policy: policy, errors: errors)
        let limits = ended.map { [$0] } ?? stated?.limits ?? []
        let values = limits.compactMap { limit in policy.limits.values.first { $0.name == limit } }
        if !values.isEmpty {
            let isSure = ended != nil || stated?.isSure == true
            met = Self.joined(values.map { Self.hint(.limit($0.name, $0.value)) }, isSure: isSure)
            return
        }
        guard let scratch = Self.fullScratch(report, policy: policy, errors: errors) else { return nil }
        met = Self.hint(.scratch(scratch.directory, isSure: scratch.isSure))
    }

    /// The hint about several limits, each of which may be the cause. Its one choice raises them all.
    private static func joined(_ hints: [RunHint], isSure: Bool) -> RunHint {
        let isOne = hints.count == 1
        let lines = hints.map(\.line).joined(separator: ", and ")
        let choices = isOne ? hints[0].choices : [RunChoice(hints.flatMap { $0.choices.first?.options ?? [] })]
        return RunHint(line: (isSure ? "" : "perhaps ") + lines, choices: choices)
    }

    /// - Parameter other: a cause because of which the program may have waited for ever, so that more time would not
    ///   help.
    func hint(besides other: RunHint?) -> RunHint {
        other.map {
            RunHint(line: "\($0.line). Or it needs more time: \(met.line)", choices: $0.choices + met.choices)
        } ?? met
    }

    private enum Name {
        case limit(LimitName, LimitValue)
        case scratch(PolicyPaths.PrivateDirectory, isSure: Bool)
    }

    private static func ended(_ reason: SandboxRunReport.Reason) -> LimitName? {
        switch reason {
        case .memoryLimit: .memory
        case .timeLimit: .request
        case .launchLimit: .launch
        case .processorLimit: .processor
        case .outputLimit: .output
        default: nil
        }
    }

    private static func stated(
        _ report: SandboxRunReport, denials: [Denial], policy: Policy, errors: StatedErrors
    ) -> (limits: [LimitName], isSure: Bool)? {
        for row in HintTable.shipped.limits where row.applies(to: errors, signal: report.signal) {
            guard case .limit(let limit, let bound, let others, let certainty) = row.need else { continue }
            let isExplained =
                bound == nil || denials.contains { isRefused($0, by: bound, errno: row.errno, policy: policy) }
            let isOther = denials.contains { others.contains($0.call) && !$0.isQuiet }
            guard isExplained, !isOther else { continue }
            // A control group counts only memory that is used. Without it, the kernel counts reserved stacks too.
            let reserves = certainty == .orStacks && !report.isMemoryEnforced
            return ([limit] + (reserves ? [.memory] : []), certainty != .perhaps)
        }
        return nil
    }

    /// Whether the broker refused an allowed call because of a bound.
    private static func isRefused(
        _ denial: Denial, by bound: CallBound?, errno: Int32?, policy: Policy
    ) -> Bool {
        guard case .call(let use) = denial.subject, let errno else { return false }
        return policy.bound(number: use.number, arguments: use.arguments) == bound
            && denial.answer == .denied(errno: errno)
    }

    /// The scratch directory (the private directory in memory), if an error says that a device is full and this can be
    /// the scratch directory. Nil if such an error names a path that was handed over for writing.
    ///
    /// The scratch directory is gone at the end of the run. But its files are in memory. So if the kernel counts all
    /// memory of the run, the peak tells whether the directory was full.
    private static func fullScratch(
        _ report: SandboxRunReport, policy: Policy, errors: StatedErrors
    ) -> (directory: PolicyPaths.PrivateDirectory, isSure: Bool)? {
        let paths = errors.lines.filter { $0.errno == ENOSPC }.map(\.paths)
        guard !paths.isEmpty, let scratch = policy.paths.scratch else { return nil }
        let written = policy.paths.grants.filter { $0.rights.contains(.write) }.map(\.path)
        func name(_ places: [String]) -> Bool {
            paths.joined().contains { path in places.contains { PathText.isPath(path, within: $0) } }
        }
        if name(written) { return nil }
        let isNamed = name([scratch.path])
        let isOther = name(["/dev"]) || [STDOUT_FILENO, STDERR_FILENO].contains(where: isFullDevice)
        if !isNamed, isOther { return nil }
        guard report.isMemoryEnforced, let peak = report.peakMemory else { return (scratch, false) }
        if peak >= scratch.size - scratch.size / 8 { return (scratch, true) }
        let (least, _) = scratch.inodes.multipliedReportingOverflow(by: leastOfFile)
        return isNamed && peak >= least ? (scratch, false) : nil
    }

    /// The least memory in bytes that the kernel counts for an empty file in memory.
    private static let leastOfFile: UInt64 = 512

    /// Whether a descriptor is the device whose writers always learn that it is full.
    private static func isFullDevice(_ number: Int32) -> Bool {
        var status = stat()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        return unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == 0x107
    }

    private static func hint(_ name: Name) -> RunHint {
        switch name {
        case .scratch(let scratch, let isSure):
            let more = Quantity.text(bytes: Quantity.four(times: scratch.size))
            let choice = RunChoice("--limit", "scratch=\(more)")
            return RunHint(
                line: (isSure ? "\(scratch.path) holds" : "perhaps \(scratch.path) was full, which holds")
                    + " at most \(Quantity.text(bytes: scratch.size)) and \(scratch.inodes) files: "
                    + "add \(option(choice)), or let the program use a directory that you hand over with --write",
                choices: [choice])
        case .limit(.descriptors, let value) where value.count >= mostDescriptors:
            return RunHint(line: "it has at most \(mostDescriptors) open files, and no option raises that")
        case .limit(let name, let value):
            let choice = choice(name, more: value.timesFour(for: name))
            return RunHint(line: "\(sentence(name, value: value.text)): add \(option(choice))", choices: [choice])
        }
    }

    /// The most descriptors that a program can have. No policy can allow more.
    private static let mostDescriptors = Int(HeldLimits.mostDescriptorsOfShared)

    private static func sentence(_ name: LimitName, value: String) -> String {
        switch name {
        case .memory: "its processes have at most \(value) of memory together"
        case .request: "it runs for at most \(value)"
        case .launch: "its start takes at most \(value)"
        case .processor: "its processes have at most \(value) of processor time together"
        case .output: "its output has at most \(value)"
        case .file: "each file has at most \(value)"
        case .descriptors: "it has at most \(value) open files"
        case .processes: "it has at most \(value) processes and threads"
        default: "the limit \(name.rawValue) is \(value)"
        }
    }

    private static func choice(_ name: LimitName, more: LimitValue) -> RunChoice {
        switch (name, more) {
        case (.memory, _): RunChoice("--memory", more.text)
        case (.request, .time(let time)) where PolicyLimits.isNone(time): RunChoice("--timeout", "none")
        case (.request, .time(let time)) where time.components.seconds > 0:
            RunChoice("--timeout", "\(time.components.seconds)")
        default: RunChoice("--limit", "\(name.rawValue)=\(more.text)")
        }
    }

    /// The options as a shell's text. No character of a limit needs quotes.
    private static func option(_ choice: RunChoice) -> String { choice.options.joined(separator: " ") }
}

extension LimitValue {
    /// Four times this value. No option takes more than `mostSeconds`, so above it, the value is `none`.
    fileprivate func timesFour(for name: LimitName) -> LimitValue {
        switch self {
        case .bytes(let bytes): .bytes(Quantity.four(times: bytes))
        case .time(let time) where name.mayBeNone && time * 4 > .seconds(RunOption.mostSeconds):
            .time(PolicyLimits.noTimeLimit)
        case .time(let time): .time(time * 4)
        case .count(let count): .count(min(count * 4, 4_194_303))
        }
    }
}
