/// Runs a seccomp filter as the kernel would, without making the call.
///
/// The evaluator does not use libseccomp, so it can find faults of that compiler. It executes the instructions that the
/// kernel accepts in seccomp filters, and refuses all others. The evaluation of every program ends, because jumps only
/// go forward.
package struct FilterEvaluator: Sendable {
    /// The data about a call that the kernel gives to a filter: `struct seccomp_data`.
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
            if let action = try machine.step(program[machine.counter], for: call) {
                return FilterAnswer(action: action)
            }
        }
        throw .ranPastEnd
    }
}

extension Policy {
    /// Whether the policy allows a stream socket between programs of one machine.
    package var allowsUnixSockets: Bool {
        let (unix, stream): (UInt64, UInt64) = (1, 1)  // AF_UNIX, SOCK_STREAM
        return filterAllows("socket", arguments: [unix, stream])
    }

    /// Whether the policy allows a call without asking the broker. The answer comes from the filter if the filter was
    /// compiled ahead, so that no rule has to be read from the policy's text.
    package func filterAllows(_ name: String, arguments: [UInt64]) -> Bool {
        guard let number = SystemCallTable.number(of: name, on: architecture) else { return false }
        let registers = arguments + [UInt64](repeating: 0, count: 6 - arguments.count)
        guard let filter = book.filter else {
            return answer(number: number, arguments: registers) == .allow
                && bound(number: number, arguments: registers) == nil
        }
        let asked = FilterEvaluator.Call(number: number, architecture: architecture.audit, arguments: registers)
        return (try? FilterEvaluator(program: filter.program).answer(to: asked)) == .allow
    }
}

/// A filter's answer to a call.
package enum FilterAnswer: Sendable, Hashable {
    case allow
    case errno(Int32)
    case notify
    case killProcess
    /// An action that Annex never uses.
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

extension FilterEvaluator {
    /// The state of a machine for classic BPF.
    struct Machine {
        var counter = 0
        private var accumulator: UInt32 = 0
        private var index: UInt32 = 0
        private var memory = [UInt32](repeating: 0, count: 16)

        /// Executes one instruction.
        /// - Returns: the action if the instruction returns from the program, otherwise nil.
        mutating func step(_ instruction: FilterInstruction, for call: Call) throws(Fault) -> UInt32? {
            let here = counter
            counter += 1
            switch instruction.code & 0x07 {
            case 0x00: accumulator = try load(instruction, from: call, at: here)
            case 0x01: index = try load(instruction, from: call, at: here)
            case 0x02: try store(accumulator, instruction: instruction, at: here)
            case 0x03: try store(index, instruction: instruction, at: here)
            case 0x04: try calculate(instruction, at: here)
            case 0x05: try jump(instruction, at: here)
            case 0x06 where instruction.code == 0x06: return instruction.operand
            case 0x06 where instruction.code == 0x16: return accumulator
            case 0x07 where instruction.code == 0x07: index = accumulator
            case 0x07 where instruction.code == 0x87: accumulator = index
            default: throw .unknownInstruction(at: here)
            }
            return nil
        }

        /// The loaded value: a word of the call, the call's size, a constant or a memory cell.
        private func load(_ instruction: FilterInstruction, from call: Call, at here: Int) throws(Fault) -> UInt32 {
            switch instruction.code & 0xF8 {
            case 0x20 where instruction.code == 0x20:
                guard let word = call.word(at: instruction.operand) else { throw .loadOutside(at: here) }
                return word
            case 0x80: return 64
            case 0x00: return instruction.operand
            case 0x60: return memory[try cell(instruction, at: here)]
            default: throw .unknownInstruction(at: here)
            }
        }

        private mutating func store(_ value: UInt32, instruction: FilterInstruction, at here: Int) throws(Fault) {
            guard instruction.code & 0xF8 == 0 else { throw .unknownInstruction(at: here) }
            memory[try cell(instruction, at: here)] = value
        }

        private func cell(_ instruction: FilterInstruction, at here: Int) throws(Fault) -> Int {
            guard instruction.operand < 16 else { throw .loadOutside(at: here) }
            return Int(instruction.operand)
        }

        private mutating func calculate(_ instruction: FilterInstruction, at here: Int) throws(Fault) {
            let operand = instruction.code & 0x08 == 0 ? instruction.operand : index
            switch instruction.code & 0xF0 {
            case 0x00: accumulator &+= operand
            case 0x10: accumulator &-= operand
            case 0x20: accumulator &*= operand
            case 0x30:
                guard operand != 0 else { throw .divisionByZero(at: here) }
                accumulator /= operand
            case 0x40: accumulator |= operand
            case 0x50: accumulator &= operand
            case 0x60: accumulator = accumulator &<< operand
            case 0x70: accumulator = accumulator &>> operand
            case 0x80: accumulator = 0 &- accumulator
            case 0xA0: accumulator ^= operand
            default: throw .unknownInstruction(at: here)
            }
        }

        private mutating func jump(_ instruction: FilterInstruction, at here: Int) throws(Fault) {
            let operand = instruction.code & 0x08 == 0 ? instruction.operand : index
            let holds: Bool
            switch instruction.code & 0xF0 {
            case 0x00:
                counter += Int(instruction.operand)
                return
            case 0x10: holds = accumulator == operand
            case 0x20: holds = accumulator > operand
            case 0x30: holds = accumulator >= operand
            case 0x40: holds = accumulator & operand != 0
            default: throw .unknownInstruction(at: here)
            }
            counter += Int(holds ? instruction.jumpTrue : instruction.jumpFalse)
        }
    }
}
