package import AnnexLinux
internal import AnnexPolicy

/// The steps that a trial performs inside its sandbox, and the memory that they use.
///
/// The program that performs the steps is freestanding. It needs only the calls that every filter allows. All other
/// calls are made only by steps, and are part of the trial.
package struct TrialScript: Sendable, Hashable {
    /// The largest memory, in bytes, for which the program has room.
    static let largestMemory = 256 << 10
    static let mostSteps = 2048

    package private(set) var steps: [TrialStep] = []
    private(set) var memory: [UInt8] = []
    /// The script for the second execution of the program. Its first step has the number `againFrom`. There is at most
    /// one such script.
    package var again: [TrialScript] = []
    package static let againFrom = 1000

    package init() {}

    /// Adds a system call.
    /// - Returns: the number of the step, for `.result`.
    @discardableResult
    package mutating func call(number: Int32, _ arguments: [TrialArgument] = [], after: Int? = nil) -> Int {
        append(.call(number: number), with: arguments, after: after)
    }

    /// Adds a system call by its kernel name. If this processor has no such call, the step uses a number that no kernel
    /// has.
    @discardableResult
    package mutating func call(_ name: String, with arguments: TrialArgument..., after: Int? = nil) -> Int {
        call(number: SystemCall(named: name)?.number ?? -1, arguments, after: after)
    }

    @discardableResult
    package mutating func conduct(_ conduct: Conduct, with arguments: TrialArgument..., after: Int? = nil) -> Int {
        append(.conduct(conduct), with: arguments, after: after)
    }

    /// Adds a step that reports the bytes at an address. The number of bytes may be the result of an earlier step.
    @discardableResult
    package mutating func report(_ address: TrialArgument, count: TrialArgument, after: Int? = nil) -> Int {
        append(.report, with: [.value(address.bits), count], after: after)
    }

    /// Adds a step that stores `width` bytes of a value in memory. An address is stored as a pointer.
    package mutating func store(_ value: TrialArgument, at address: TrialArgument, width: Int = 8) {
        append(.store, with: [value, .value(address.bits), .value(UInt64(width))], after: nil)
    }

    @discardableResult
    mutating func append(_ kind: TrialStep.Kind, with arguments: [TrialArgument], after: Int?) -> Int {
        steps.append(TrialStep(kind: kind, arguments: Array(arguments.prefix(6)), after: after))
        return steps.count - 1
    }
}

// MARK: - Memory

extension TrialScript {
    /// Adds a text with a final NUL to the memory.
    package mutating func text(_ text: String) -> TrialArgument { bytes(Array(text.utf8) + [0]) }

    /// Adds bytes to the memory at a multiple of 8, followed by at least eight zero bytes.
    package mutating func bytes(_ bytes: [UInt8]) -> TrialArgument {
        let offset = memory.count
        memory += bytes
        memory += [UInt8](repeating: 0, count: 8 + (8 - memory.count % 8) % 8)
        return .address(offset)
    }

    /// Adds `count` zero bytes to the memory.
    package mutating func room(_ count: Int) -> TrialArgument { bytes([UInt8](repeating: 0, count: count)) }

    /// Adds 64-bit words to the memory. The words may be addresses.
    package mutating func words(_ words: [TrialArgument]) -> TrialArgument {
        let place = room(words.count * 8)
        for (index, word) in words.enumerated() { store(word, at: place.advanced(by: index * 8)) }
        return place
    }
}

extension TrialArgument {
    /// The address that is `count` bytes higher.
    package func advanced(by count: Int) -> TrialArgument {
        if case .address(let offset) = self { .address(offset + count) } else { self }
    }
}

/// One step of a trial.
package struct TrialStep: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A system call, by number.
        case call(number: Int32)
        /// Reports bytes of the trial's memory: offset, length.
        case report
        /// Stores a value in the trial's memory: value, offset, width in bytes.
        case store
        /// An action that takes more than one system call.
        case conduct(Conduct)
    }

    package let kind: Kind
    package let arguments: [TrialArgument]
    /// The earlier step that must have succeeded before this step is done; nil if there is no such condition.
    package let after: Int?
}

/// The reason why a trial could not be performed. Such a failure shows nothing about the technique.
package struct TrialFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    package init(_ error: SystemError) {
        description = "\(error)"
    }
}
