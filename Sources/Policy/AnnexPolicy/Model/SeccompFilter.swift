/// A compiled policy: the program that the kernel runs before every system call of the extension.
///
/// The filter lets an `execveat` pass only if the call carries the random number of this launch. Each launch inserts
/// its number, so one filter serves all launches. If a rule of the policy allows `execveat`, no number is needed.
public struct SeccompFilter: Sendable, Hashable {
    /// The architecture of the calls that the filter decides about.
    public let architecture: Architecture
    private(set) var program: [FilterInstruction]
    private var bytes: [UInt8]
    /// The indices of the two instructions that compare the upper and the lower half of the random number. Both are
    /// nil if the filter lets every `execveat` pass.
    private let upper: Int?
    private let lower: Int?
    /// The indices of the instructions that compare an argument with the words for the sandbox's own user and group
    /// (`OwnNumbers`).
    private let ownPlaces: [Int]

    /// The number of instructions. The kernel accepts at most 4,096.
    public var count: Int { program.count }

    init(
        program: [FilterInstruction], architecture: Architecture, allowsEveryExec: Bool
    ) throws(PolicyError) {
        guard program.count <= 4096 else {
            throw PolicyError(
                "the policy compiles to \(program.count) instructions, and the kernel accepts 4096: state fewer rules")
        }
        self.architecture = architecture
        self.program = program
        bytes = FilterInstruction.bytes(of: program)
        ownPlaces = program.indices.filter { program[$0].isComparison && OwnNumbers.isWord(program[$0].operand) }
        guard !allowsEveryExec else {
            (upper, lower) = (nil, nil)
            return
        }
        upper = try Self.comparison(
            of: UInt32(truncatingIfNeeded: LaunchCalls.sentinel >> 32), afterLoading: 60, in: program)
        lower = try Self.comparison(of: UInt32(truncatingIfNeeded: LaunchCalls.sentinel), afterLoading: 56, in: program)
    }

    /// Creates a filter that was compiled earlier, from its `template`.
    package init(template: [UInt8], architecture: Architecture, allowsEveryExec: Bool) throws(PolicyError) {
        try self.init(
            program: FilterInstruction.program(template), architecture: architecture, allowsEveryExec: allowsEveryExec)
    }

    /// Whether the filter lets every `execveat` pass, and not only the call with the launch's number.
    package var allowsEveryExec: Bool { upper == nil }

    /// The program as `struct sock_filter[]`, with a placeholder for the number of the launch. No process may run under
    /// this template.
    package var template: [UInt8] { bytes }

    /// The program as `struct sock_filter[]`, for one launch.
    ///
    /// - Parameter nonce: a new random number. The extension must not know it. Code that knows the number could execute
    ///   another program.
    public func instructions(nonce: UInt64) -> [UInt8] {
        var patched = bytes
        patch(&patched, at: upper, with: UInt32(truncatingIfNeeded: nonce >> 32))
        patch(&patched, at: lower, with: UInt32(truncatingIfNeeded: nonce))
        return patched
    }

    /// The filter of a sandbox with these numbers. The policy's text names the numbers by words, so one compiled filter
    /// serves all sandboxes.
    package func owned(by own: OwnNumbers) -> SeccompFilter {
        var filter = self
        for place in ownPlaces {
            guard let number = own.number(of: program[place].operand) else { continue }
            filter.program[place].operand = number
            patch(&filter.bytes, at: place, with: number)
        }
        return filter
    }

    private func patch(_ bytes: inout [UInt8], at place: Int?, with operand: UInt32) {
        guard let place else { return }
        var instruction = program[place]
        instruction.operand = operand
        let start = place * FilterInstruction.size
        bytes.replaceSubrange(start..<(start + FilterInstruction.size), with: instruction.bytes)
    }

    /// The index of the only instruction whose operand is `half`, a half of the placeholder for the random number.
    /// This instruction must directly follow the load of the same half of the call's sixth register.
    private static func comparison(
        of half: UInt32, afterLoading offset: UInt32, in program: [FilterInstruction]
    ) throws(PolicyError) -> Int {
        let places = program.indices.filter { program[$0].operand == half }
        guard places.count == 1, let place = places.first, place > 0 else {
            throw PolicyError("the filter compares the launch's number in \(places.count) places instead of one")
        }
        let load = FilterInstruction(code: 0x20, operand: offset)
        guard program[place].isComparison, program[place - 1] == load else {
            throw PolicyError("the filter does not compare the launch's number directly after it loads that number")
        }
        return place
    }
}

/// The calls that every filter allows. The warden needs them after it has installed the filter and before the
/// extension's first instruction. At that time, the broker cannot answer a notification.
package enum LaunchCalls {
    package static let names: Set<String> = ["read", "write", "exit_group", "rt_sigreturn", "restart_syscall"]

    /// The call that executes the extension. It passes only once, with `AT_EMPTY_PATH` and with the launch's random
    /// number in the unused sixth register.
    package static let exec = "execveat"
    static let execFlags: UInt64 = 0x1000  // AT_EMPTY_PATH
    /// A placeholder for the random number until `SeccompFilter.instructions(nonce:)` replaces it. A filter compares
    /// each half of 32 bits separately, and `SeccompFilter` finds these comparisons by their operands. So no flag or
    /// size may have the value of such a half.
    static let sentinel: UInt64 = 0xA5C3_5E1D_C7B2_49E6

    package static func passesExec(_ arguments: [UInt64]) -> Bool {
        arguments.count == 6 && arguments[4] == execFlags && arguments[5] == sentinel
    }
}

/// One instruction of classic BPF, `struct sock_filter`.
package struct FilterInstruction: Sendable, Hashable {
    static let size = 8

    let code: UInt16
    let jumpTrue: UInt8
    let jumpFalse: UInt8
    var operand: UInt32

    /// Reads the eight bytes that begin at `start`. The array must contain all eight bytes. Both architectures of Annex
    /// are little-endian.
    private init(_ bytes: [UInt8], at start: Int) {
        code = UInt16(bytes[start]) | UInt16(bytes[start + 1]) << 8
        jumpTrue = bytes[start + 2]
        jumpFalse = bytes[start + 3]
        operand = (4..<8).reversed().reduce(0) { $0 << 8 | UInt32(bytes[start + $1]) }
    }

    init(code: UInt16, jumpTrue: UInt8 = 0, jumpFalse: UInt8 = 0, operand: UInt32) {
        self.code = code
        self.jumpTrue = jumpTrue
        self.jumpFalse = jumpFalse
        self.operand = operand
    }

    /// Whether the instruction compares a loaded half of a register with its operand, for equality (BPF_JEQ).
    var isComparison: Bool { code == 0x15 }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.size)
        append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: code))
        bytes.append(UInt8(truncatingIfNeeded: code >> 8))
        bytes.append(jumpTrue)
        bytes.append(jumpFalse)
        for shift in stride(from: 0, to: 32, by: 8) as StrideTo<UInt32> {
            bytes.append(UInt8(truncatingIfNeeded: operand >> shift))
        }
    }

    /// The instructions of a program that is given as `struct sock_filter[]`, the form in which libseccomp exports a
    /// filter. An incomplete instruction at the end is ignored.
    package static func program(_ bytes: [UInt8]) -> [FilterInstruction] {
        stride(from: 0, through: bytes.count - size, by: size).map { FilterInstruction(bytes, at: $0) }
    }

    /// The bytes of a program as `struct sock_filter[]`.
    static func bytes(of program: [FilterInstruction]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(program.count * size)
        for instruction in program { instruction.append(to: &bytes) }
        return bytes
    }
}
