import AnnexTestSupport

/// What happens to an extension, by somebody else's hand or its own.
enum Accident: String, CaseIterable, Sendable {
    case nothing

    // By somebody else's hand.
    case extensionIsKilled, extensionIsStopped, extensionIsStoppedForAMoment
    case wardenIsKilled, wardenIsStopped, wardenIsStoppedForAMoment
    case hostIsKilled, hostIsStoppedForAMoment
    case hostCancels, hostDropsItsSession, hostCancelsItsTask
    case isSwitchedOff, appIsRemoved, brokerEndsAll

    // By its own.
    case startsTooLate, neverSaysHello
    case exits, chatters, spins, sleeps, takesTooLong, usesUpItsProcessor, overstays, clings
    case takesTooMuchMemory, hoardsNamelessFiles, floods
    case sendsMalformedMessage, handsOverDescriptor, opensSocket, forks, executes
    case crashes, aborts, traps

    /// Those that take until a limit ends them come less often: one time in so many.
    private var rarity: Int {
        switch self {
        case .wardenIsStopped: 20
        case .usesUpItsProcessor: 24
        case .hostIsKilled, .hostIsStoppedForAMoment, .extensionIsStopped, .spins, .sleeps, .takesTooLong, .overstays,
            .clings, .neverSaysHello, .hoardsNamelessFiles:
            8
        default: 1
        }
    }

    static func drawn(using random: inout SeededRandom) -> Accident {
        while true {
            let drawn = allCases.randomElement(using: &random) ?? .nothing
            if Int.random(in: 0..<drawn.rarity, using: &random) == 0 { return drawn }
        }
    }
}

/// When it happens: microseconds after the wish to launch, or after the process was there.
struct Moment: Sendable, CustomStringConvertible {
    let isAfterBirth: Bool
    let delay: UInt32
    /// How long what lasts a moment lasts.
    let length: UInt32

    static func drawn(using random: inout SeededRandom) -> Moment {
        let isAfterBirth = Bool.random(using: &random)
        return Moment(
            isAfterBirth: isAfterBirth, delay: UInt32.random(in: 0..<(isAfterBirth ? 4000 : 40_000), using: &random),
            length: UInt32.random(in: 0..<30_000, using: &random))
    }

    var description: String { "\(delay) µs after the \(isAfterBirth ? "birth" : "wish")" }
}
