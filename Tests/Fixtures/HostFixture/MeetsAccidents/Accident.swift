import AnnexTestSupport

/// An accident of an extension. It is caused from outside or by the extension itself.
enum Accident: String, CaseIterable, Sendable {
    case nothing

    // Accidents that are caused from outside.
    case extensionIsKilled, extensionIsStopped, extensionIsStoppedForAMoment
    case wardenIsKilled, wardenIsStopped, wardenIsStoppedForAMoment
    case hostIsKilled, hostIsStoppedForAMoment
    case hostCancels, hostDropsItsSession, hostCancelsItsTask
    case isSwitchedOff, appIsRemoved, brokerEndsAll

    // Accidents that the extension itself causes.
    case startsTooLate, neverSaysHello
    case exits, chatters, spins, sleeps, takesTooLong, usesUpItsProcessor, overstays, clings
    case takesTooMuchMemory, hoardsNamelessFiles, floods
    case sendsMalformedMessage, handsOverDescriptor, opensSocket, forks, executes
    case crashes, aborts, traps

    /// Accidents that last until a limit ends them are drawn less often: one time in this number.
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

/// The moment of an accident, in microseconds after the launch request or after the start of the process.
struct Moment: Sendable, CustomStringConvertible {
    let isAfterBirth: Bool
    let delay: UInt32
    /// The duration of a short accident.
    let length: UInt32

    static func drawn(using random: inout SeededRandom) -> Moment {
        let isAfterBirth = Bool.random(using: &random)
        return Moment(
            isAfterBirth: isAfterBirth, delay: UInt32.random(in: 0..<(isAfterBirth ? 4000 : 40_000), using: &random),
            length: UInt32.random(in: 0..<30_000, using: &random))
    }

    var description: String { "\(delay) µs after the \(isAfterBirth ? "birth" : "wish")" }
}
