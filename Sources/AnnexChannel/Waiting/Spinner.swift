internal import AnnexLinux

/// How long to look before sleeping, learned from how earlier waits ended.
///
/// Pauses come first, then yields. Where both ends share a core the answer cannot come during pauses, only after a
/// yield; then the pauses shrink to almost none.
struct Spinner: Sendable {
    private static let fewestPauses: UInt32 = 8
    private static let mostPauses: UInt32 = 512
    private static let fewestYields: UInt32 = 2
    private static let mostYields: UInt32 = 32

    let style: WaitingStyle
    private var pauses: UInt32 = 128
    private var yields: UInt32 = 16
    private var step: UInt32 = 0

    init(_ style: WaitingStyle) {
        self.style = style
    }

    /// A wait begins.
    mutating func begin() {
        step = 0
    }

    /// Lets a moment pass. False when it is time to sleep.
    mutating func spin() -> Bool {
        step &+= 1
        switch style {
        case .block: return false
        case .spin:
            // A peer on the same core must run some time.
            if step % 1024 == 0 { Processor.yield() } else { Processor.pause() }
            return true
        case .adaptive:
            if step <= pauses {
                Processor.pause()
            } else if step <= pauses &+ yields {
                Processor.yield()
            } else {
                return false
            }
            return true
        }
    }

    /// The wait ended while looking.
    mutating func found() {
        guard style == .adaptive, step > 0 else { return }
        if step <= pauses {
            pauses = min(pauses &* 2, Spinner.mostPauses)
        } else {
            pauses = max(pauses / 2, Spinner.fewestPauses)
            yields = Spinner.mostYields
        }
    }

    /// Looking was in vain: look less next time.
    mutating func slept() {
        pauses = max(pauses / 2, Spinner.fewestPauses)
        yields = max(yields / 2, Spinner.fewestYields)
    }
}
