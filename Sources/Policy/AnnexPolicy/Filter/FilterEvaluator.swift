/// Runs a seccomp filter as the kernel would, without making the call.
///
/// It does not use libseccomp, so it can find faults of the compiler. It executes the instructions that the kernel
/// accepts in seccomp filters and refuses all others. It ends for every program, because jumps only go forward.
package struct FilterEvaluator {
    /// The data that the kernel shows a filter about a call: `struct seccomp_data`.
    package struct Call: Sendable, Hashable {
        var number: Int32
        var architecture: UInt32
        var instructionPointer: UInt64 = 0
        var arguments: [UInt64]

        package init(number: Int32, architecture: UInt32, instructionPointer: UInt64 = 0, arguments: [UInt64]) {
            self.number = number
            self.architecture = architecture
            self.instructionPointer = instructionPointer
            self.arguments = arguments
        }

        /// The 32 bits at a byte offset; nil if the offset is outside the structure or not aligned to a word.
        func word(at offset: UInt32) -> UInt32? {
            switch offset {
            case 0: return UInt32(bitPattern: number)
            case 4: return architecture
            case 8...63 where offset % 4 == 0:
                let index = Int(offset / 8) - 1
                let argument = index - 1 < arguments.count && index > 0 ? arguments[index - 1] : 0
                let register = index == 0 ? instructionPointer : argument
                return UInt32(truncatingIfNeeded: offset % 8 == 0 ? register : register >> 32)
            default: return nil
            }
        }
    }

    /// The reason why a program is not a filter.
    package enum Fault: Error, Hashable {
        case unknownInstruction(at: Int)
        case loadOutside(at: Int)
        case ranPastEnd
        case divisionByZero(at: Int)
    }

    let program: [FilterInstruction]

    package init(program: [FilterInstruction]) {
        self.program = program
    }

    package func answer(to call: Call) throws(Fault) -> FilterAnswer {
        var machine = Machine()
        while machine.counter < program.count {
            if let action = try machine.step(program[machine.counter], call) { return FilterAnswer(action: action) }
        }
        throw .ranPastEnd
    }
}

/// What a filter returns for a call.
package enum FilterAnswer: Sendable, Hashable {
    case allow
    case errno(Int32)
    case notify
    case killProcess
    /// An action that Annex never asks for.
    case other(UInt32)

    /// Reads the 32 bits of `SECCOMP_RET_*`.
    init(action: UInt32) {
        switch action & 0xFFFF_0000 {
        case 0x7FFF_0000: self = .allow
        case 0x7FC0_0000: self = .notify
        case 0x0005_0000: self = .errno(Int32(action & 0xFFFF))
        case 0x8000_0000: self = .killProcess
        default: self = .other(action)
        }
    }
}
