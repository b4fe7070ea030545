internal import AnnexWarden

/// One message from the warden.
struct WardenAnswer {
    enum Kind: UInt32 {
        case hello = 1
        case started, listener, executed, failed, stopped, ended
    }

    static let size = MemoryLayout<annex_answer>.size

    let kind: Kind
    private let answer: annex_answer

    /// nil if the bytes are no answer.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        // SAFETY: the type holds plain numbers and has exactly this size; every bit pattern is valid, and it is copied
        // out.
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
    /// The controls that the machine offers; only in `hello`.
    var controls: SpeculationControls { SpeculationControls(rawValue: answer.controls) }

    /// The name of the step of the warden's start that failed; only in `hello`.
    var beginning: String {
        guard let name = unsafe annex_beginning_name(answer.detail) else { return "step \(answer.detail)" }
        // SAFETY: the text is a constant of the program.
        return unsafe String(cString: name)
    }

    var times: LaunchTimes {
        // SAFETY: the array is imported as a tuple of 64-bit numbers and is read as such.
        let ends = unsafe withUnsafeBytes(of: answer.times) { unsafe Array($0.bindMemory(to: UInt64.self)) }
        return LaunchTimes(begun: answer.begun, ends: ends)
    }

    /// nil if no process was made.
    var end: ProcessEnd? { answer.process == 0 ? nil : ProcessEnd(waitStatus: answer.status) }

    /// The signal that stopped the program; only in `stopped`.
    var stopSignal: Int32 { answer.status >> 8 & 0xff }

    var usage: ResourceUsage {
        ResourceUsage(
            userTime: .microseconds(Int64(clamping: answer.user_time)),
            systemTime: .microseconds(Int64(clamping: answer.system_time)), peakMemory: answer.peak_memory)
    }
}

/// The names of each launch step's numbered items, so that a failure can name the item that it is about.
struct LaunchSubjects: Sendable {
    private let binds: [String]
    private let scratches: [String]
    private let links: [String]
    private let limits: [UInt32]
    private let rules: [String]
    private let executable: String
    private let directory: String

    init(_ plan: borrowing LaunchPlan) {
        binds = plan.binds.map(\.source)
        scratches = plan.scratches.map(\.target)
        links = plan.links.map(\.target)
        limits = plan.limits.map(\.resource)
        rules = plan.landlock.rules.map(\.path)
        executable = plan.executable.path
        directory = plan.directory
    }

    func subject(of step: LaunchStep, detail: Int) -> String? {
        switch step {
        case .trees, .binds: return item(binds, detail)
        case .scratches: return item(scratches, detail)
        case .links: return item(links, detail)
        case .limits: return item(limits, detail).map { "resource \($0)" }
        case .landlock: return item(rules, detail)
        case .executable, .exec: return executable
        case .directory: return directory
        case .plan: return "at byte \(detail)"
        case .clocks: return item(["unshare", "timens_offsets", "setns"], detail)
        case .speculation: return item(SpeculationControls.names, detail)
        case .maps: return item(["setgroups", "uid_map", "gid_map", "oom_score_adj"], detail)
        case .session: return item(["setsid", "keyring", "terminal"], detail)
        case .capabilities: return item(["securebits", "bounding set", "ambient set", "capset"], detail)
        default: return nil
        }
    }

    private func item<Item>(_ list: [Item], _ index: Int) -> Item? {
        list.indices.contains(index) ? list[index] : nil
    }
}
