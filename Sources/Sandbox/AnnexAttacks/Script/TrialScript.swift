internal import AnnexPolicy

/// What a trial does inside its sandbox, step by step, and the memory that it does it with.
///
/// The program that follows it is freestanding and needs of the kernel only what every filter allows; whatever else a
/// step needs is what the trial is about.
package struct TrialScript: Sendable, Hashable {
    /// What the program has room for.
    static let largestMemory = 256 << 10
    static let mostSteps = 2048

    package private(set) var steps: [TrialStep] = []
    private(set) var memory: [UInt8] = []
    /// What the program does when it is executed again; the first step of that is number `againFrom`. At most one.
    package var again: [TrialScript] = []
    package static let againFrom = 1000

    package init() {}

    /// A system call; the number of the step, for `.result`.
    @discardableResult
    package mutating func call(number: Int32, _ arguments: [TrialArgument] = [], after: Int? = nil) -> Int {
        append(.call(number: number), arguments, after: after)
    }

    /// The same by the kernel's name. Where this processor has no such call, a number that no kernel has.
    @discardableResult
    package mutating func call(_ name: String, _ arguments: TrialArgument..., after: Int? = nil) -> Int {
        call(number: SystemCall(named: name)?.number ?? -1, arguments, after: after)
    }

    @discardableResult
    package mutating func conduct(_ conduct: Conduct, _ arguments: TrialArgument..., after: Int? = nil) -> Int {
        append(.conduct(conduct), arguments, after: after)
    }

    /// Lets the bytes at an address be told; how many may be an earlier step's result.
    @discardableResult
    package mutating func tell(_ address: TrialArgument, count: TrialArgument, after: Int? = nil) -> Int {
        append(.tell, [.value(address.bits), count], after: after)
    }

    /// Puts a value into memory, `width` bytes of it; an address makes a pointer.
    package mutating func store(_ value: TrialArgument, at address: TrialArgument, width: Int = 8) {
        append(.store, [value, .value(address.bits), .value(UInt64(width))], after: nil)
    }

    @discardableResult
    mutating func append(_ kind: TrialStep.Kind, _ arguments: [TrialArgument], after: Int?) -> Int {
        steps.append(TrialStep(kind: kind, arguments: Array(arguments.prefix(6)), after: after))
        return steps.count - 1
    }
}

// MARK: - Memory

extension TrialScript {
    /// A text with its NUL.
    package mutating func text(_ text: String) -> TrialArgument { bytes(Array(text.utf8) + [0]) }

    /// Bytes at a multiple of 8, with room for eight more behind them.
    package mutating func bytes(_ bytes: [UInt8]) -> TrialArgument {
        let offset = memory.count
        memory += bytes
        memory += [UInt8](repeating: 0, count: 8 + (8 - memory.count % 8) % 8)
        return .address(offset)
    }

    /// So many zero bytes.
    package mutating func room(_ count: Int) -> TrialArgument { bytes([UInt8](repeating: 0, count: count)) }

    /// 64-bit words, addresses among them.
    package mutating func words(_ words: [TrialArgument]) -> TrialArgument {
        let place = room(words.count * 8)
        for (index, word) in words.enumerated() { store(word, at: place.advanced(by: index * 8)) }
        return place
    }
}

extension TrialArgument {
    /// The address so many bytes further on.
    package func advanced(by count: Int) -> TrialArgument {
        if case .address(let offset) = self { .address(offset + count) } else { self }
    }
}
