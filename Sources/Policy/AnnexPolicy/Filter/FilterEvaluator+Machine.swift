extension FilterEvaluator {
    /// The state of a machine for classic BPF.
    struct Machine {
        var counter = 0
        private var accumulator: UInt32 = 0
        private var index: UInt32 = 0
        private var memory = [UInt32](repeating: 0, count: 16)

        /// Executes one instruction.
        /// - Returns: the action if the instruction returns from the program, otherwise nil.
        mutating func step(_ instruction: FilterInstruction, _ call: Call) throws(Fault) -> UInt32? {
            let here = counter
            counter += 1
            switch instruction.code & 0x07 {
            case 0x00: accumulator = try load(instruction, call, at: here)
            case 0x01: index = try load(instruction, call, at: here)
            case 0x02: try store(accumulator, instruction, at: here)
            case 0x03: try store(index, instruction, at: here)
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
        private func load(_ instruction: FilterInstruction, _ call: Call, at here: Int) throws(Fault) -> UInt32 {
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

        private mutating func store(_ value: UInt32, _ instruction: FilterInstruction, at here: Int) throws(Fault) {
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
