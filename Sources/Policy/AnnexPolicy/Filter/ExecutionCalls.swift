/// The calls by which a program executes a file or asks whether it may execute one, and the call by which it connects to
/// a socket file.
///
/// If a mount or Landlock forbids the execution, or if the sandbox does not show the socket file, the kernel refuses such
/// a call without telling the broker. So a launch can put a few instructions in front of a policy's filter. They refer
/// these calls to the broker, which gives the answer of the filter itself and notes the file. The policy stays the same.
///
/// `execveat` is left out, because the launch itself makes this call before a broker could answer it.
package struct ExecutionCalls: Sendable {
    /// The name of each call, and the register with the mode of access(2). A call with such a register is referred
    /// only if the mode asks for execution.
    private static let executing: [(name: String, mode: Int?)] = [
        ("execve", nil), ("access", 1), ("faccessat", 2), ("faccessat2", 2),
    ]
    private static let connecting: [(name: String, mode: Int?)] = [("connect", nil)]
    /// `X_OK` of access(2).
    private static let executable: UInt32 = 1

    private let calls: [(number: Int32, mode: Int?)]
    private let architecture: Architecture
    private let evaluator: FilterEvaluator

    /// - Parameters:
    ///   - executes: whether to refer executions.
    ///   - connects: whether to refer connections.
    /// - Returns: nil if the filter has no room for more instructions.
    package init?(before filter: SeccompFilter, executes: Bool = true, connects: Bool = false) {
        architecture = filter.architecture
        evaluator = FilterEvaluator(program: filter.program)
        let architecture = filter.architecture
        let known = (executes ? Self.executing : []) + (connects ? Self.connecting : [])
        calls = known.compactMap { name, mode in
            SystemCall(named: name, architecture: architecture).map {
                (number: $0.number, mode: mode)
            }
        }
        guard program.count + filter.count <= 4096 else { return nil }
    }

    /// The answer that the policy's filter gives to a call; nil if the call is none of these calls.
    package func answer(number: Int32, architecture: UInt32, arguments: [UInt64]) -> FilterAnswer? {
        guard architecture == self.architecture.audit, includes(number: number, arguments: arguments) else {
            return nil
        }
        return try? evaluator.answer(
            to: FilterEvaluator.Call(number: number, architecture: architecture, arguments: arguments))
    }

    private func includes(number: Int32, arguments: [UInt64]) -> Bool {
        calls.contains { call in
            guard call.number == number else { return false }
            guard let mode = call.mode else { return true }
            return mode < arguments.count && UInt32(truncatingIfNeeded: arguments[mode]) & Self.executable != 0
        }
    }

    /// The instructions in front of the filter, as `struct sock_filter[]`.
    package var instructions: [UInt8] { FilterInstruction.bytes(of: program) }

    /// The instructions load the architecture and the number, and then compare each call. The last instruction refers
    /// a call to the broker. All other calls jump behind it, to the policy's filter.
    private var program: [FilterInstruction] {
        // The index of the last instruction. Three instructions come before the calls, and one jump after them.
        let count = calls.reduce(4) { $0 + ($1.mode == nil ? 1 : 3) }
        var program = [Self.load(4), Self.jump(0x15, with: architecture.audit, isFalse: count - 1), Self.load(0)]
        for call in calls {
            let number = UInt32(bitPattern: call.number)
            let rest = count - program.count
            guard let mode = call.mode else {
                program.append(Self.jump(0x15, with: number, isTrue: rest - 1))
                continue
            }
            program.append(Self.jump(0x15, with: number, isFalse: 2))
            program.append(Self.load(16 + 8 * UInt32(mode)))
            program.append(Self.jump(0x45, with: Self.executable, isTrue: rest - 3, isFalse: rest - 2))
        }
        return program + [
            FilterInstruction(code: 0x05, operand: 1), FilterInstruction(code: 0x06, operand: 0x7FC0_0000),
        ]
    }

    private static func load(_ offset: UInt32) -> FilterInstruction { FilterInstruction(code: 0x20, operand: offset) }

    private static func jump(
        _ code: UInt16, with operand: UInt32, isTrue: Int = 0, isFalse: Int = 0
    ) -> FilterInstruction {
        FilterInstruction(
            code: code, jumpTrue: UInt8(clamping: isTrue), jumpFalse: UInt8(clamping: isFalse), operand: operand)
    }
}
