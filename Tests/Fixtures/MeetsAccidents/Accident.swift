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
    static func drawn(using random: inout SplitMix) -> Accident {
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

/// The same seed gives the same accidents at the same moments.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
