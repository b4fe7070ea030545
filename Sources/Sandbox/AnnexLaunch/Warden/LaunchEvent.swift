package import AnnexLinux
internal import AnnexWarden

/// An event of one launch, reported by the warden. The events come in the order of the cases. The last event is `ended`
/// or `wardenLost`.
package enum LaunchEvent: ~Copyable, Sendable {
    /// The process exists and has this number on the host. None of its own code runs yet.
    case started(ProcessHandle, process: Int32)
    /// A descriptor of the process could not be received, because this program has no descriptor number left. Without
    /// this descriptor the process cannot be watched. If the lost descriptor is the process's own handle, `process` is
    /// the process's number; otherwise it is nil.
    case unheld(process: Int32?)
    /// The top directory of the plan's kept scratch, as a descriptor that only refers to it (`O_PATH`).
    case scratch(Descriptor)
    /// The descriptor on which the broker receives the calls that the filter refers to the broker. The process waits
    /// until this event was delivered.
    case listener(Descriptor)
    /// The process's own code runs.
    ///
    /// `numbers` is the errno for which the process numbers do not begin at a random place, or 0.
    case executed(LaunchTimes, SandboxLayers, numbers: Int32)
    /// A signal stopped the program. The warden reports this only for launches with a reaper.
    case stopped(signal: Int32)
    case failed(LaunchFailure, LaunchTimes)
    /// The process ended. The end is nil if no process was ever made.
    case ended(ProcessEnd?, ResourceUsage)
    /// The warden died. The kernel kills its sandboxes, and their exit statuses are lost.
    case wardenLost
}

/// How a process ended, as the kernel reports it.
package enum ProcessEnd: Sendable, Hashable {
    case exited(code: Int32)
    /// A signal killed the process. `core` says that the kernel would have written the process's memory to a file if
    /// that were allowed.
    case signalled(signal: Int32, core: Bool)

    /// - Parameter status: the status in the form that `wait4` returns.
    init(waitStatus status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited(code: status >> 8 & 0xff) : .signalled(signal: signal, core: status & 0x80 != 0)
    }
}

/// The resources that a process used in its life. They include the resources of the children that it waited for.
package struct ResourceUsage: Sendable, Hashable {
    /// Processor time in user mode.
    package var userTime: Duration
    package var systemTime: Duration
    /// The largest resident set at any moment, in bytes.
    package var peakMemory: UInt64
    /// Whether other processes of the sandbox still ran when the program ended. They ended with it.
    package var leftOthers = false

    package init(userTime: Duration = .zero, systemTime: Duration = .zero, peakMemory: UInt64 = 0) {
        self.userTime = userTime
        self.systemTime = systemTime
        self.peakMemory = peakMemory
    }
}

/// The time at which each step of a launch ended, on `MonotonicClock`.
package struct LaunchTimes: Sendable, Hashable {
    /// The time at which the warden had read the plan.
    package let begun: UInt64
    /// The time at which each step ended, by the number of the step; 0 for a step that was not reached.
    let ends: [UInt64]

    init(begun: UInt64, ends: [UInt64]) {
        self.begun = begun
        self.ends = ends
    }

    /// The time at which a step ended; nil if the step was not reached.
    package func end(of step: LaunchStep) -> UInt64? {
        let place = Int(step.rawValue)
        guard place < ends.count, ends[place] != 0 else { return nil }
        return ends[place]
    }

    /// The steps in the order of their ends, each with the time since the end of the preceding step.
    ///
    /// The warden and the child run in parallel during some steps. Nevertheless the durations add up to the time of the
    /// whole launch, because each duration begins at the end of the preceding step.
    package var durations: [(step: LaunchStep, duration: Duration)] {
        var before = begun
        let reached = LaunchStep.allCases.compactMap { step in end(of: step).map { (step, $0) } }
        return reached.sorted { $0.1 < $1.1 }.map { step, end in
            defer { before = max(before, end) }
            return (step, .nanoseconds(Int64(clamping: end > before ? end - before : 0)))
        }
    }
}

/// One message from the warden.
struct WardenAnswer {
    enum Kind: UInt32 {
        case hello = 1
        case started, scratch, listener, executed, failed, stopped, ended
    }

    static let size = MemoryLayout<annex_answer>.size

    let kind: Kind
    private let answer: annex_answer

    /// nil if the bytes are no valid answer.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        // SAFETY: the type holds plain numbers and has exactly this size. Every bit pattern is valid, and the value is
        // copied out.
        answer = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: annex_answer.self) }
        guard let kind = Kind(rawValue: answer.kind) else { return nil }
        self.kind = kind
    }

    var version: UInt32 { answer.version }
    var launch: UInt64 { answer.launch }
    var process: Int32 { answer.process }
    var error: Int32 { answer.error }
    var detail: Int { Int(answer.detail) }
    var step: LaunchStep { LaunchStep(rawValue: answer.step) ?? .plan }
    var layers: SandboxLayers { SandboxLayers(rawValue: answer.layers) }
    /// The errno for which the process numbers do not begin at a random place, or 0. Only `executed` has this value.
    var numbersError: Int32 { answer.numbers_error }
    /// The controls that the machine offers. Only `hello` has this value.
    var controls: SpeculationControls { SpeculationControls(rawValue: answer.controls) }

    /// The name of the step at which the warden's start failed. Only `hello` has this value.
    var beginning: String {
        guard let name = unsafe annex_beginning_name(answer.detail) else { return "step \(answer.detail)" }
        // SAFETY: the text is a constant of the program.
        return unsafe String(cString: name)
    }

    var times: LaunchTimes {
        // SAFETY: the array is imported as a tuple of 64-bit numbers, and the code reads it as 64-bit numbers.
        let ends = unsafe withUnsafeBytes(of: answer.times) { unsafe Array($0.bindMemory(to: UInt64.self)) }
        return LaunchTimes(begun: answer.begun, ends: ends)
    }

    /// nil if no process was made.
    var end: ProcessEnd? { answer.process == 0 ? nil : ProcessEnd(waitStatus: answer.status) }

    /// The signal that stopped the program. Only `stopped` has this value.
    var stopSignal: Int32 { answer.status >> 8 & 0xff }

    var usage: ResourceUsage {
        var usage = ResourceUsage(
            userTime: .microseconds(Int64(clamping: answer.user_time)),
            systemTime: .microseconds(Int64(clamping: answer.system_time)), peakMemory: answer.peak_memory)
        usage.leftOthers = answer.detail == 1
        return usage
    }
}

/// The names of the items of each launch step, such as its bind mounts. The warden reports only the number of the
/// failed item, and these names turn the number into a name.
struct LaunchSubjects: Sendable {
    private let binds: [String]
    private let scratches: [String]
    private let links: [String]
    private let files: [String]
    private let parts: [String]
    private let limits: [UInt32]
    private let rules: [String]
    private let sockets: [String]
    private let executable: String
    private let directory: String

    init(_ plan: borrowing LaunchPlan) {
        binds = plan.binds.map(\.source)
        scratches = plan.scratches.map(\.target)
        links = plan.links.map(\.target)
        files = plan.files.map(\.target)
        parts = plan.parts.map(\.target)
        limits = plan.limits.map(\.resource)
        rules = plan.landlock.rules.map(\.path) + plan.landlock.ports.map { "port \($0.port)" }
        sockets = plan.sockets.map { $0.kind.port == 0 ? "a socket that connects" : "port \($0.kind.port)" }
        executable = plan.executable.path
        directory = plan.directory
    }

    func subject(of step: LaunchStep, detail: Int) -> String? {
        switch step {
        case .trees, .owners, .binds: return item(binds, at: detail)
        case .scratches: return item(scratches, at: detail)
        case .links: return item(links, at: detail)
        case .files: return item(files, at: detail)
        case .parts: return item(parts, at: detail)
        case .limits: return item(limits, at: detail).map { "resource \($0)" }
        case .landlock: return item(rules, at: detail)
        case .executable, .exec: return executable
        case .loopback: return item(sockets, at: detail)
        case .directory: return directory
        case .plan: return "at byte \(detail)"
        case .clocks: return item(["unshare", "timens_offsets", "setns"], at: detail)
        case .speculation: return item(SpeculationControls.names, at: detail)
        case .cgroup: return detail == LaunchFailure.groupNamespace ? "namespace" : nil
        case .maps: return item(["setgroups", "uid_map", "gid_map", "oom_score_adj"], at: detail)
        case .session: return item(["setsid", "keyring", "terminal"], at: detail)
        case .capabilities: return item(["securebits", "bounding set", "ambient set", "capset"], at: detail)
        default: return nil
        }
    }

    private func item<Item>(_ list: [Item], at index: Int) -> Item? {
        list.indices.contains(index) ? list[index] : nil
    }
}
