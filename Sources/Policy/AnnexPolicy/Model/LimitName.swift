internal import AnnexLinux

/// The names of the limits, as policies spell them.
package enum LimitName: String, CaseIterable, Sendable {
    case memory, launch, request, watchdog, grace, processor, processes, descriptors, file, output, messages
    case inFlight = "in-flight"
    case openCalls = "open-calls"
    case denials, instances
    case keepAlive = "keep-alive"

    /// The unit in which a limit is measured.
    enum Measure: Sendable {
        case bytes, count
        /// A time above zero.
        case time
        /// A time that may be zero.
        case timeFromZero
        /// A time above zero, or no limit.
        case timeOrNone
    }

    var measure: Measure {
        switch self {
        case .memory, .file, .output, .inFlight: .bytes
        case .launch, .grace: .time
        case .request, .watchdog, .processor: .timeOrNone
        case .keepAlive: .timeFromZero
        case .processes, .descriptors, .messages, .openCalls, .denials, .instances: .count
        }
    }
}

extension LimitName {
    /// Whether a policy may state `none` for this limit.
    package var mayBeNone: Bool { measure == .timeOrNone }

    static let mostOfAny = 1_000_000_000

    /// The largest value that a limit of type `count` may have.
    var mostCounted: Int {
        switch self {
        // The kernel has at most 4,194,304 process numbers and does not accept a larger limit. The reaper needs one
        // number.
        case .processes: 4_194_303
        default: Self.mostOfAny
        }
    }
}

/// A limit's value, in the unit that its name requires.
package enum LimitValue: Sendable, Hashable {
    case bytes(UInt64)
    case time(Duration)
    case count(Int)

    package var bytes: UInt64 { if case .bytes(let value) = self { value } else { 0 } }
    package var time: Duration { if case .time(let value) = self { value } else { .zero } }
    package var count: Int { if case .count(let value) = self { value } else { 0 } }
}

extension PolicyLimits {
    /// Every limit as one number, in the order of `LimitName.allCases`. A time counts in nanoseconds. A compiled policy
    /// stores these numbers.
    package var numbers: [UInt64] {
        values.map { max($0.value.bytes, MonotonicClock.nanoseconds($0.value.time), UInt64(clamping: $0.value.count)) }
    }

    /// - Returns: nil if there are more or fewer numbers than limits.
    package init?(numbers: [UInt64]) {
        var values: [LimitName: LimitValue] = [:]
        for (name, number) in zip(LimitName.allCases, numbers) {
            switch name.measure {
            case .bytes: values[name] = .bytes(number)
            case .time, .timeFromZero, .timeOrNone: values[name] = .time(.nanoseconds(Int64(clamping: number)))
            case .count: values[name] = .count(Int(clamping: number))
            }
        }
        guard numbers.count == values.count, let limits = try? PolicyLimits(values) else { return nil }
        self = limits
    }
}

extension PolicyLimits {
    /// Creates the limits from values by name.
    ///
    /// - Throws: an error with the first name that has no value. Every limit must be stated.
    init(_ values: [LimitName: LimitValue]) throws(MissingLimit) {
        func value(_ name: LimitName) throws(MissingLimit) -> LimitValue {
            guard let value = values[name] else { throw MissingLimit(name: name) }
            return value
        }
        self.init(
            memory: try value(.memory).bytes, launch: try value(.launch).time, request: try value(.request).time,
            watchdog: try value(.watchdog).time, grace: try value(.grace).time, processor: try value(.processor).time,
            processes: try value(.processes).count, descriptors: try value(.descriptors).count,
            file: try value(.file).bytes, output: try value(.output).bytes, messages: try value(.messages).count,
            inFlight: try value(.inFlight).bytes, openCalls: try value(.openCalls).count,
            denials: try value(.denials).count, instances: try value(.instances).count,
            keepAlive: try value(.keepAlive).time)
    }
}

extension PolicyLimits {
    /// These limits with other values for some names.
    package func replaced(by others: [LimitName: LimitValue]) -> PolicyLimits {
        guard !others.isEmpty else { return self }
        let all = Dictionary(uniqueKeysWithValues: values.map { ($0.name, $0.value) }).merging(others) { $1 }
        // No name can be missing, because the values start from a complete set.
        return (try? PolicyLimits(all)) ?? self
    }
}

/// A limit that is missing in a policy and in all its includes.
struct MissingLimit: Error {
    let name: LimitName
}

extension PolicyLimits {
    /// Every limit with its name, in the order of the documentation.
    package var values: [(name: LimitName, value: LimitValue)] {
        LimitName.allCases.map { name in
            let value: LimitValue =
                switch name {
                case .memory: .bytes(memory)
                case .launch: .time(launch)
                case .request: .time(request)
                case .watchdog: .time(watchdog)
                case .grace: .time(grace)
                case .processor: .time(processor)
                case .processes: .count(processes)
                case .descriptors: .count(descriptors)
                case .file: .bytes(file)
                case .output: .bytes(output)
                case .messages: .count(messages)
                case .inFlight: .bytes(inFlight)
                case .openCalls: .count(openCalls)
                case .denials: .count(denials)
                case .instances: .count(instances)
                case .keepAlive: .time(keepAlive)
                }
            return (name, value)
        }
    }
}

extension PolicyLimits {
    /// Raises one limit. If the value is not larger, nothing changes.
    ///
    /// - Returns: whether the limit changed.
    mutating func raise(_ name: LimitName, to value: LimitValue) -> Bool {
        guard let present = values.first(where: { $0.name == name })?.value, value.isLarger(than: present) else {
            return false
        }
        self = replaced(by: [name: value])
        return true
    }
}

extension LimitValue {
    /// Whether this value allows more than another value of the same limit.
    fileprivate func isLarger(than other: LimitValue) -> Bool {
        bytes > other.bytes || time > other.time || count > other.count
    }

    /// The value in the notation of policies.
    package var text: String {
        switch self {
        case .bytes(let bytes): Quantity.text(bytes: bytes)
        case .time(let time): Quantity.text(time: time)
        case .count(let count): String(count)
        }
    }
}
