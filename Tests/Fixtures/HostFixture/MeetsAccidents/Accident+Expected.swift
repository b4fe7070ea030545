import AnnexHost
import AnnexPolicy

extension Accident {
    /// The program that runs: the worker, unless the accident needs a program that breaks rules.
    var identifier: String {
        switch self {
        case .neverSaysHello: "com.example.pictures.silent"
        case .takesTooMuchMemory, .hoardsNamelessFiles, .floods, .sendsMalformedMessage, .handsOverDescriptor,
            .opensSocket, .forks, .executes, .crashes, .aborts, .traps:
            "com.example.pictures.misbehaver"
        default: "com.example.shout.loud"
        }
    }

    /// The request on which the extension works during the accident.
    var request: [ExtensionItem] {
        switch self {
        case .exits, .chatters, .spins, .sleeps, .overstays, .clings: [ExtensionItem(contentText: rawValue)]
        case .takesTooLong: [ExtensionItem(contentText: "looks 1000000")]
        case .usesUpItsProcessor: [ExtensionItem(contentText: "spins")]
        case _ where identifier == "com.example.pictures.misbehaver":
            [ExtensionItem(userInfo: ["conduct": .string(rawValue)])]
        default: [ExtensionItem(contentText: "looks 20")]
        }
    }

    /// If the host accepts no descriptors, the kernel passes none to the host.
    var acceptance: Acceptance {
        self == .handsOverDescriptor ? .sealedMemory(count: 1, bytes: 1 << 20) : .nothing
    }

    /// On a busy machine, the extension must reach only the intended limit.
    func adjust(_ limits: inout PolicyLimits) {
        limits.launch = .seconds(20)
        limits.watchdog = .seconds(60)
        limits.request = .seconds(120)
        limits.processor = .seconds(60)
        limits.grace = .seconds(20)
        switch self {
        case .extensionIsStopped:
            limits.launch = .milliseconds(500)
            limits.watchdog = .milliseconds(500)
            limits.grace = .milliseconds(500)
        case .wardenIsStopped:
            limits.launch = .seconds(5)
            limits.grace = .milliseconds(300)
        case .startsTooLate: limits.launch = .milliseconds(1)
        case .neverSaysHello: limits.launch = .milliseconds(300)
        case .spins, .sleeps: limits.watchdog = .milliseconds(300)
        case .takesTooLong: limits.request = .milliseconds(200)
        case .usesUpItsProcessor: limits.processor = .seconds(1)
        // Before its grace is over, the extension must have the time to print a line.
        case .overstays: limits.grace = .seconds(1)
        case .clings: limits.grace = .milliseconds(200)
        case .takesTooMuchMemory, .hoardsNamelessFiles: limits.memory = 64 << 20
        default: break
        }
    }

    /// The possible reasons of the end. If an accident comes too late, it has no effect.
    var mayEnd: Set<String> {
        switch self {
        case .nothing, .extensionIsStoppedForAMoment, .wardenIsStoppedForAMoment, .hostIsStoppedForAMoment,
            .hostCancelsItsTask, .clings:
            ["completed"]
        case .extensionIsKilled: ["completed", "crashed", "launchFailed"]
        case .extensionIsStopped: ["completed", "launchLimit", "unresponsive"]
        case .wardenIsKilled: ["completed", "brokerShutdown", "launchFailed"]
        case .wardenIsStopped: ["completed", "launchFailed", "launchLimit", "stuck"]
        case .hostIsKilled: ["nothing is left"]
        case .hostCancels: ["completed", "cancelled"]
        case .hostDropsItsSession: ["cancelled"]
        case .isSwitchedOff: ["completed", "disabled", "refused"]
        case .appIsRemoved: ["completed", "removed", "refused"]
        case .brokerEndsAll: ["completed", "brokerShutdown"]
        case .startsTooLate: ["completed", "launchLimit"]
        case .neverSaysHello: ["launchLimit"]
        case .exits: ["exited"]
        case .chatters: ["outputLimit"]
        case .spins, .sleeps: ["unresponsive"]
        case .takesTooLong: ["timeLimit"]
        case .usesUpItsProcessor: ["processorLimit"]
        case .overstays: ["graceExpired"]
        case .takesTooMuchMemory, .hoardsNamelessFiles: ["memoryLimit"]
        case .floods: ["messageBudget"]
        case .sendsMalformedMessage, .handsOverDescriptor: ["protocolViolation"]
        case .opensSocket, .forks, .executes: ["deniedOperation"]
        case .crashes, .aborts, .traps: ["crashed"]
        }
    }

    /// Whether the detail of the end contains the expected words.
    func isTold(by text: String) -> Bool { words.isEmpty || words.contains { text.contains($0) } }

    private var words: [String] {
        switch self {
        case .exits: ["3"]
        case .opensSocket: ["socket("]
        case .forks: ["clone(", "fork("]
        case .executes: ["execve("]
        case .crashes: ["SIGSEGV"]
        case .aborts: ["SIGABRT"]
        case .traps: ["SIGILL", "SIGTRAP"]
        default: []
        }
    }
}
