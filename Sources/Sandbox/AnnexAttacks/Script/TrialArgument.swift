/// One register of a call that a trial makes.
package enum TrialArgument: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// As it stands; negative numbers by their bits.
    case value(UInt64)
    /// The address of the trial's own memory at an offset.
    case address(Int)
    /// What an earlier step came to, for example a descriptor.
    case result(Int)

    package init(integerLiteral value: Int64) {
        self = .value(UInt64(bitPattern: value))
    }

    package static func number(_ value: Int64) -> TrialArgument { .value(UInt64(bitPattern: value)) }
    package static func number(_ value: Int32) -> TrialArgument { .number(Int64(value)) }

    /// The two bits by which the program tells them apart.
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

    /// What stands for it where a policy is asked: an address that is not null, a descriptor that may be open.
    var likely: UInt64 {
        switch self {
        case .value(let value): value
        case .address(let offset): 0x40_0000 + UInt64(offset)
        case .result: 5
        }
    }
}
