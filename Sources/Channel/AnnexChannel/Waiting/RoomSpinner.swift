internal import AnnexLinux

/// Looks for room before sleeping for it: a reader at work makes some within microseconds.
struct RoomSpinner: Sendable {
    private static let mostLooks = 1024

    private let style: WaitingStyle
    private let processor: SharedWord

    init(_ style: WaitingStyle, _ processor: SharedWord) {
        self.style = style
        self.processor = processor
    }

    /// Whether the word becomes another than the one seen last, soon.
    func finds(_ word: SharedWord, other seen: UInt32) -> Bool {
        // A reader on this core goes on only when this side sleeps.
        guard style != .block, processor.loadRelaxed() != UInt32(bitPattern: Processor.current &+ 1) else {
            return false
        }
        for _ in 0..<RoomSpinner.mostLooks {
            if word.loadRelaxed() != seen { return true }
            Processor.pause()
        }
        return false
    }
}
