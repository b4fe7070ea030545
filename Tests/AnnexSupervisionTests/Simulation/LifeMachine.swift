@testable import AnnexSupervision

/// A machine that the simulator drives: either the shipped machine, or a machine with a deliberate fault.
protocol LifeMachine {
    var isEnded: Bool { get }
    mutating func handle(_ input: Lifecycle.Input, at now: Moment) -> [Lifecycle.Effect]
}

extension Lifecycle: LifeMachine {
    var isEnded: Bool { state == .ended }
}

/// The shipped machine with a deliberate fault.
struct FaultyLife: LifeMachine {
    enum Fault: String, CaseIterable {
        /// The machine does not check whether the killed process is gone.
        case forgetsDeath
        /// The machine reports the end when it kills the process, and not when the process is gone.
        case tellsTooEarly
        /// A life that stops waiting for a slot does not withdraw its request for the slot.
        case keepsItsSlot
        /// The machine pings an idle extension as if it were at work.
        case pingsForEver
        /// The time limit belongs to the newest request. So an extension that answers newer requests may keep an older
        /// one waiting.
        case limitsTheNewestOnly
    }

    let fault: Fault
    private var life: Lifecycle
    private var isKilled = false
    private var requests: [UInt64] = []

    init(_ life: Lifecycle, _ fault: Fault) {
        self.life = life
        self.fault = fault
    }

    var isEnded: Bool { life.isEnded }

    mutating func handle(_ input: Lifecycle.Input, at now: Moment) -> [Lifecycle.Effect] {
        let effects = distort(input).flatMap { life.handle($0, at: now) }
        if effects.contains(.kill) { isKilled = true }
        return effects.flatMap { distort($0, at: now) }
    }

    private mutating func distort(_ input: Lifecycle.Input) -> [Lifecycle.Input] {
        guard fault == .limitsTheNewestOnly else { return [input] }
        let hidden = requests.last
        switch input {
        case .requestBegan(let request): requests.append(request)
        case .requestEnded(let request): requests.removeAll { $0 == request }
        default: return [input]
        }
        guard requests.last != hidden else { return [] }
        let ended = hidden.map { Lifecycle.Input.requestEnded($0) }
        let began = requests.last.map { Lifecycle.Input.requestBegan($0) }
        return [ended, began].compactMap(\.self)
    }

    private func distort(_ effect: Lifecycle.Effect, at now: Moment) -> [Lifecycle.Effect] {
        switch (fault, effect) {
        case (.forgetsDeath, .wake) where isKilled: []
        case (.tellsTooEarly, .kill): [.kill, .finish(.timeLimit)]
        case (.keepsItsSlot, .giveBackSlot): []
        case (.pingsForEver, .wake(nil)) where !isEnded: [.wake(now + .seconds(1))]
        default: [effect]
        }
    }
}
