import AnnexTestSupport

@testable import AnnexSupervision

/// The conduct of the parties in one simulated life. It is drawn from the seed before the life begins.
struct Conduct {
    /// The faults of the parties, if any. Several faults at once are possible.
    struct Faults: OptionSet {
        let rawValue: Int

        static let noSlot = Faults(rawValue: 1 << 0)
        static let launchFails = Faults(rawValue: 1 << 1)
        static let wardenIsSilent = Faults(rawValue: 1 << 2)
        static let noHello = Faults(rawValue: 1 << 3)
        static let neverAnswers = Faults(rawValue: 1 << 4)
        static let hangs = Faults(rawValue: 1 << 5)
        static let closesChannel = Faults(rawValue: 1 << 6)
        static let endsItself = Faults(rawValue: 1 << 7)
        static let ignoresGoodbye = Faults(rawValue: 1 << 8)
        static let keepsBusy = Faults(rawValue: 1 << 9)
        static let cannotBeKilled = Faults(rawValue: 1 << 10)
        static let breaksARule = Faults(rawValue: 1 << 11)
        static let brokerStops = Faults(rawValue: 1 << 12)
        static let isRemoved = Faults(rawValue: 1 << 13)
        static let hostGoes = Faults(rawValue: 1 << 14)
        static let isOver = Faults(rawValue: 1 << 15)
        /// The extension never answers the first request, but continues to answer the others.
        static let starvesOne = Faults(rawValue: 1 << 16)
        /// The host passes no ping on.
        static let hostStandsStill = Faults(rawValue: 1 << 17)

        static let count = 18
    }

    var faults: Faults
    /// The number of callers that send requests at the same time.
    var askers: Int
    /// The number of requests of each caller.
    var requests: Int
    var hostCancels: Bool
    /// The longest delay of a timer.
    var lateness: Duration
    /// Whether a timer that the machine did not set fires now and then.
    var hasStrayTimers: Bool
    /// Whether a stand-in ends the program at its time limit. Only a program has a stand-in.
    var hasStandIn: Bool

    init(using random: inout SeededRandom) {
        faults = []
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            faults.insert(Faults(rawValue: 1 << Int.random(in: 0..<Faults.count, using: &random)))
        }
        askers = Int.random(in: 1...3, using: &random)
        requests = Int.random(in: 0...4, using: &random)
        hostCancels = Bool.random(using: &random)
        lateness = [.zero, .milliseconds(1), .milliseconds(300)].randomElement(using: &random) ?? .zero
        hasStrayTimers = Bool.random(using: &random)
        hasStandIn = Bool.random(using: &random)
    }

    func expectedCause(of kind: LifeKind) -> EndCause?? {
        kind == .program ? expectedCauseOfProgram : expectedCause
    }

    private var expectedCauseOfProgram: EndCause?? {
        switch faults {
        case [], .launchFails, .endsItself, .isOver, .ignoresGoodbye: EndCause??.some(nil)
        case .noHello: .launchLimit
        case .wardenIsSilent: .stuck(after: .launchLimit)
        case .neverAnswers: .timeLimit
        default: EndCause??.none
        }
    }

    /// The reason that must be reported for these faults. A reason of nil means that the kernel's own facts decide
    /// the reason. For most combinations of several faults, there is no rule, and the property has no value.
    private var expectedCause: EndCause?? {
        let asked: EndCause = hostCancels ? .cancelled : .completed
        switch faults {
        case [], .ignoresGoodbye, .hostStandsStill: return asked
        case .keepsBusy: return hostCancels || requests == 0 ? asked : .graceExpired
        case .noSlot: return .noSlot
        case .launchFails: return EndCause??.some(nil)
        case .wardenIsSilent: return .unanswered
        case .noHello: return .launchLimit
        case .closesChannel: return .silence
        case .neverAnswers where requests > 0, .starvesOne where requests > 0: return .timeLimit
        case .hangs where requests > 0: return .unresponsive
        case [.hangs, .hostStandsStill] where requests > 0: return .timeLimit
        default: return EndCause??.none
        }
    }
}
