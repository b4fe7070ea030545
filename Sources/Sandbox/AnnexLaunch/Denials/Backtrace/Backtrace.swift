public import AnnexLinux

/// The chain of function calls that led to a denied call, innermost first. It is read from the program's own memory, so
/// the program can forge it.
public struct Backtrace: Sendable, Hashable {
    /// One function that had not returned yet.
    public struct Frame: Sendable, Hashable {
        /// The address of the instruction in the program's memory.
        public let address: UInt64
        /// The file that holds the code; nil if the kernel names none.
        public let module: Escaped?
        /// The place of the instruction in that file. For the program's own executable it is the address that
        /// `addr2line` takes; for another file it is a byte offset. nil if the file is unknown.
        public let offset: UInt64?
        /// The function, and the instruction's distance from its beginning in bytes. nil unless the launched executable
        /// names the function.
        public internal(set) var function: Escaped?
        public internal(set) var distance: UInt64?
        /// The function's name as the file spells it, if that differs from `function`.
        public internal(set) var symbol: Escaped?

        /// Whether the address lies in the executable that the broker itself checked. Names are read from that file
        /// only.
        let isOfProgram: Bool
        /// Whether it is a return address. If a function ends with a call, its return address may belong to the next
        /// function.
        let isReturn: Bool
    }

    public internal(set) var frames: [Frame] = []
    /// Why there are no frames; nil if there are some.
    public internal(set) var lack: String?

    init(lack: String? = nil) {
        self.lack = lack
    }
}

extension Backtrace.Frame: CustomStringConvertible {
    /// For example `main.Shout.run + 12 (program+0x4f10)`.
    public var description: String {
        let place = offset.map { "\(module?.description ?? "?")+0x" + String($0, radix: 16) }
        let spot = place ?? "0x" + String(address, radix: 16)
        guard let function else { return spot }
        return "\(function) + \(distance ?? 0) (\(spot))"
    }
}

/// The signal and the backtrace of a program that crashed, read before the process was gone.
package struct Crash: Sendable, Hashable {
    /// The signal that was about to end the program.
    package let signal: Int32
    /// The chain of calls that led to the crash.
    package internal(set) var backtrace: Backtrace
}
