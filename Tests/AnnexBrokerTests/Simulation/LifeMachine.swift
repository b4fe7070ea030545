@testable import AnnexBroker

/// What the simulator drives: the shipped machine, or one with a planted fault.
protocol LifeMachine {
    var isEnded: Bool { get }
    mutating func handle(_ input: Lifecycle.Input, at now: Moment) -> [Lifecycle.Effect]
}

extension Lifecycle: LifeMachine {
    var isEnded: Bool { state == .ended }
}

/// The shipped machine, seen through a fault.
struct FaultyLife: LifeMachine {
    enum Fault: String, CaseIterable {
        /// Nobody looks whether the killed process is gone.
        case forgetsDeath
        /// The end is told when the process is killed, not when it is gone.
        case tellsTooEarly
        /// Whoever gives up waiting for a place keeps his wish for one.
        case keepsItsPlace
        /// An idle extension is pinged like one at work.
        case pingsForEver
    }

    let fault: Fault
    private var life: Lifecycle
    private var isKilled = false

    init(_ life: Lifecycle, _ fault: Fault) {
        self.life = life
        self.fault = fault
    }

    var isEnded: Bool { life.isEnded }

    mutating func handle(_ input: Lifecycle.Input, at now: Moment) -> [Lifecycle.Effect] {
        let effects = life.handle(input, at: now)
        if effects.contains(.kill) { isKilled = true }
        return effects.flatMap { distort($0, at: now) }
    }

    private func distort(_ effect: Lifecycle.Effect, at now: Moment) -> [Lifecycle.Effect] {
        switch (fault, effect) {
        case (.forgetsDeath, .wake) where isKilled: []
        case (.tellsTooEarly, .kill): [.kill, .finish(.timeLimit)]
        case (.keepsItsPlace, .giveBackPlace): []
        case (.pingsForEver, .wake(nil)) where !isEnded: [.wake(now + .seconds(1))]
        default: [effect]
        }
    }
}
