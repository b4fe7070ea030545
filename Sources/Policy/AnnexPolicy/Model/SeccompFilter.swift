/// A compiled policy: what the kernel runs before every call of the extension.
///
/// It lets one `execveat` pass, the one that brings this launch's random number; the number is put in per launch, so
/// that the same filter serves every launch. A policy that allows `execveat` by a rule needs no such number.
public struct SeccompFilter: Sendable, Hashable {
    /// Whose calls it judges.
    public let architecture: Architecture
    let program: [FilterInstruction]
    private let bytes: [UInt8]
    /// Where the halves of the random number are compared; nil where every `execveat` passes.
    private let upper: Int?
    private let lower: Int?

    /// How many instructions; the kernel takes 4,096.
    public var count: Int { program.count }

    init(
        program: [FilterInstruction], architecture: Architecture, allowsEveryExec: Bool
    ) throws(PolicyError) {
        guard program.count <= 4096 else {
            throw PolicyError("compiled to \(program.count) instructions; the kernel takes 4096")
        }
        self.architecture = architecture
        self.program = program
        bytes = FilterInstruction.bytes(of: program)
        guard !allowsEveryExec else {
            (upper, lower) = (nil, nil)
            return
        }
        upper = try Self.comparison(
            of: UInt32(truncatingIfNeeded: LaunchCalls.sentinel >> 32), afterLoading: 60, in: program)
        lower = try Self.comparison(of: UInt32(truncatingIfNeeded: LaunchCalls.sentinel), afterLoading: 56, in: program)
    }

    /// A filter that was compiled before, from its `template`.
    package init(template: [UInt8], architecture: Architecture, allowsEveryExec: Bool) throws(PolicyError) {
        try self.init(
            program: FilterInstruction.program(template), architecture: architecture, allowsEveryExec: allowsEveryExec)
    }

    /// Whether every `execveat` passes, and not only the one with the launch's number.
    package var allowsEveryExec: Bool { upper == nil }

    /// `struct sock_filter[]` with a number that stands for every launch's: no program may run under it.
    package var template: [UInt8] { bytes }

    /// `struct sock_filter[]` for one launch.
    ///
    /// - Parameter nonce: fresh randomness that the extension cannot know; whoever knows it could run another program.
    public func instructions(nonce: UInt64) -> [UInt8] {
        var patched = bytes
        patch(&patched, upper, UInt32(truncatingIfNeeded: nonce >> 32))
        patch(&patched, lower, UInt32(truncatingIfNeeded: nonce))
        return patched
    }

    private func patch(_ bytes: inout [UInt8], _ place: Int?, _ operand: UInt32) {
        guard let place else { return }
        var instruction = program[place]
        instruction.operand = operand
        let start = place * FilterInstruction.size
        bytes.replaceSubrange(start..<(start + FilterInstruction.size), with: instruction.bytes)
    }

    /// The one place where `half` is compared, right after half of the sixth register was loaded.
    private static func comparison(
        of half: UInt32, afterLoading offset: UInt32, in program: [FilterInstruction]
    ) throws(PolicyError) -> Int {
        let places = program.indices.filter { program[$0].operand == half }
        guard places.count == 1, let place = places.first, place > 0 else {
            throw PolicyError("the filter compares the launch's number in \(places.count) places instead of one")
        }
        let load = FilterInstruction(code: 0x20, operand: offset)
        guard program[place].code == 0x15, program[place - 1] == load else {
            throw PolicyError("the filter does not compare the launch's number as it should")
        }
        return place
    }
}
