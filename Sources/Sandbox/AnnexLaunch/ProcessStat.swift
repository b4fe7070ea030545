/// The contents of `/proc/PID/stat` at one moment.
package struct ProcessStat: Sendable {
    package let parent: Int32
    /// Processor time in clock ticks, used by the program and by the kernel on its behalf.
    package let ticks: UInt64
    /// The processor time of all descendants that have ended and were waited for.
    package let waitedTicks: UInt64
    /// The start time in clock ticks after boot.
    package let started: UInt64
    /// The resident memory in pages.
    package let residentPages: UInt64

    /// nil if there is no such process.
    package init?(_ process: Int32) {
        guard let text = TextFile.read("/proc/\(process)/stat") else { return nil }
        self.init(text: text)
    }

    init?(text: String) {
        // The second field is the program's name in brackets. It may contain any characters, even brackets.
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: bracket)...].split(separator: " ")
        guard fields.count > 21, let parent = Int32(fields[1]), let user = UInt64(fields[11]),
            let system = UInt64(fields[12]), let waitedUser = UInt64(fields[13]),
            let waitedSystem = UInt64(fields[14]), let started = UInt64(fields[19])
        else { return nil }
        self.parent = parent
        ticks = user &+ system
        waitedTicks = waitedUser &+ waitedSystem
        self.started = started
        residentPages = UInt64(fields[21]) ?? 0
    }
}
