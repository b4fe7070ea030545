/// One register of a call that a trial makes.
package enum TrialArgument: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// A plain value. A negative number is given by its bits.
    case value(UInt64)
    /// The address at an offset in the trial's own memory.
    case address(Int)
    /// The result of an earlier step, for example a descriptor.
    case result(Int)

    package init(integerLiteral value: Int64) {
        self = .value(UInt64(bitPattern: value))
    }

    package static func number(_ value: Int64) -> TrialArgument { .value(UInt64(bitPattern: value)) }
    package static func number(_ value: Int32) -> TrialArgument { .number(Int64(value)) }

    /// The two bits that tell the program the form of the argument.
    var form: UInt32 {
        switch self {
        case .value: 0
        case .address: 1
        case .result: 2
        }
    }

    var bits: UInt64 {
        switch self {
        case .value(let value): value
        case .address(let offset): UInt64(offset)
        case .result(let step): UInt64(step)
        }
    }

    /// A plausible value for asking a policy about the call: an address that is not null, or a descriptor that may be
    /// open.
    var likely: UInt64 {
        switch self {
        case .value(let value): value
        case .address(let offset): 0x40_0000 + UInt64(offset)
        case .result: 5
        }
    }
}
