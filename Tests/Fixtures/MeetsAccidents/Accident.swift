import AnnexTestSupport

/// What happens to an extension, by somebody else's hand or its own.
enum Accident: CaseIterable {
    case nothing
    case extensionIsKilled
    case extensionIsStopped
    case wardenIsKilled
    case hostCancels
    case isSwitchedOff
    case exits
    case chatters
    case spins

    /// Those that take until a limit ends them come less often.
    static func drawn(using random: inout SeededRandom) -> Accident {
        let drawn = allCases.randomElement(using: &random) ?? .nothing
        guard drawn == .spins || drawn == .extensionIsStopped else { return drawn }
        return Int.random(in: 0..<4, using: &random) == 0 ? drawn : .extensionIsKilled
    }

    /// What the extension is asked to do meanwhile.
    var conduct: String {
        switch self {
        case .exits: "exits"
        case .chatters: "chatters"
        case .spins: "spins"
        default: "looks 20"
        }
    }

    /// The reasons that may come of it: what happens too late changes nothing.
    var mayEnd: Set<String> {
        switch self {
        case .nothing: ["completed"]
        case .extensionIsKilled: ["completed", "crashed", "launchFailed"]
        case .extensionIsStopped: ["completed", "launchLimit", "unresponsive"]
        case .wardenIsKilled: ["completed", "brokerShutdown", "launchFailed"]
        case .hostCancels: ["completed", "cancelled"]
        case .isSwitchedOff: ["completed", "disabled", "refused"]
        case .exits: ["exited"]
        case .chatters: ["outputLimit"]
        case .spins: ["unresponsive"]
        }
    }
}
