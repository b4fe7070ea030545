import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// A limit that made a program fail, and the option that raises it.
struct MetLimit {
    let hint: String

    /// - Returns: nil if neither the end nor the program's own errors tell of a limit.
    init?(_ report: SandboxRunReport, policy: Policy, errors: StatedErrors) {
        // A call that ended the program is the cause, whatever the program printed before.
        guard report.reason != .deniedOperation else { return nil }
        guard let name = Self.ended(report.reason) ?? Self.stated(report, policy: policy, errors: errors) else {
            return nil
        }
        hint = Self.hint(name, policy: policy)
    }

    private enum Name {
        case limit(LimitName)
        case scratch(PolicyPaths.PrivateDirectory)
    }

    private static func ended(_ reason: SandboxRunReport.Reason) -> Name? {
        switch reason {
        case .memoryLimit: .limit(.memory)
        case .timeLimit: .limit(.request)
        case .launchLimit: .limit(.launch)
        case .processorLimit: .limit(.processor)
        case .outputLimit: .limit(.output)
        default: nil
        }
    }

    private static func stated(_ report: SandboxRunReport, policy: Policy, errors: StatedErrors) -> Name? {
        if report.signal == SIGXFSZ || errors.states(EFBIG) { return .limit(.file) }
        if errors.states(EMFILE) { return .limit(.descriptors) }
        if errors.states(ENOMEM) { return .limit(.memory) }
        if errors.states(EAGAIN), errors.mention("fork", "thread", "process", "spawn") { return .limit(.processes) }
        return fullScratch(policy, errors: errors).map { .scratch($0) }
    }

    /// The scratch directory, if no line about a full device names a directory that was handed over.
    private static func fullScratch(_ policy: Policy, errors: StatedErrors) -> PolicyPaths.PrivateDirectory? {
        let written = policy.paths.grants.filter { $0.rights.contains(.write) }.map(\.path)
        let full = errors.lines.filter { $0.errno == ENOSPC }
        let isElsewhere = full.contains { line in
            line.paths.contains { path in written.contains { PathText.isPath(path, within: $0) } }
        }
        return full.isEmpty || isElsewhere ? nil : policy.paths.scratch
    }

    private static func hint(_ name: Name, policy: Policy) -> String {
        switch name {
        case .scratch(let scratch):
            let more = Quantity.text(bytes: Quantity.four(times: scratch.size))
            return
                "\(scratch.path) holds at most \(Quantity.text(bytes: scratch.size)) and \(scratch.inodes) files: "
                + "add --limit scratch=\(more), or let the program use a directory that you hand over with --write"
        case .limit(let name):
            guard let value = policy.limits.values.first(where: { $0.name == name })?.value else { return "" }
            return "\(words(name)) at most \(value.text): add \(option(name, more: value.timesFour.text))"
        }
    }

    private static func words(_ name: LimitName) -> String {
        switch name {
        case .memory: "all of its processes have together"
        case .request: "it runs"
        case .launch: "its start takes"
        case .processor: "its processor time is"
        case .output: "its output is"
        case .file: "one file has"
        case .descriptors: "its open files are"
        case .processes: "its processes and threads are"
        default: "\(name.rawValue) is"
        }
    }

    private static func option(_ name: LimitName, more: String) -> String {
        name == .memory ? "--memory \(more)" : "--limit \(name.rawValue)=\(more)"
    }
}

extension LimitValue {
    fileprivate var timesFour: LimitValue {
        switch self {
        case .bytes(let bytes): .bytes(Quantity.four(times: bytes))
        case .time(let time): .time(time * 4)
        case .count(let count): .count(min(count * 4, 4_194_303))
        }
    }
}
