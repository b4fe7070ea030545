public import AnnexLinux

/// Who called whom when a call was refused, innermost first: as the program's own memory tells it.
public struct Backtrace: Sendable, Hashable {
    /// One function that had not returned.
    public struct Frame: Sendable, Hashable {
        /// Where it stands, in the program's memory.
        public let address: UInt64
        /// The file that the code is from; nil where the kernel names none.
        public let module: Escaped?
        /// The same place within that file, as `addr2line` wants it for the program's own executable; an offset of its
        /// bytes for another file.
        public let offset: UInt64?
        /// The function, where the executable that was launched names it, and how far into it.
        public internal(set) var function: Escaped?
        public internal(set) var distance: UInt64?
        /// The function as the file spells it, where that differs.
        public internal(set) var symbol: Escaped?

        /// Whether it lies in the executable that the broker itself checked: only that one's names are read.
        let isOfProgram: Bool
        /// Whether it is where a call returns to: behind a function's last call the next function may begin.
        let isReturn: Bool
    }

    public internal(set) var frames: [Frame] = []
    /// Why there are none.
    public internal(set) var lack: String?

    init(lack: String? = nil) {
        self.lack = lack
    }
}

extension Backtrace.Frame: CustomStringConvertible {
    /// `main.Shout.run + 12 (program+0x4f10)`
    public var description: String {
        let place = offset.map { "\(module?.description ?? "?")+0x" + String($0, radix: 16) }
        let spot = place ?? "0x" + String(address, radix: 16)
        guard let function else { return spot }
        return "\(function) + \(distance ?? 0) (\(spot))"
    }
}
