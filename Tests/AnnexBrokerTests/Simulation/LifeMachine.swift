@testable import AnnexBroker

/// A machine that the simulator drives: the shipped one, or one with a planted fault.
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
        /// The machine does not check whether the killed process is gone.
        case forgetsDeath
        /// The end is reported when the process is killed, not when it is gone.
        case tellsTooEarly
        /// A life that gives up waiting for a slot keeps its request for one.
        case keepsItsSlot
        /// An idle extension is pinged like one at work.
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
