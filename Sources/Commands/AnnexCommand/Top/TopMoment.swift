import AnnexBroker
import AnnexLinux
import AnnexLaunch
import Glibc

/// Every running extension at one moment, with the kernel's figures for its processes.
struct TopMoment {
    struct Entry {
        let shown: LiveStatusSnapshot
        /// Processor time in clock ticks and resident bytes of all its processes; nil if they cannot be read.
        let ticks: UInt64?
        let memory: UInt64?
    }

    /// Identifies an extension for ever. The kernel may reuse the number of its process.
    struct Name: Hashable {
        let broker: Int32
        let number: UInt64
    }

    /// On the monotonic clock, in nanoseconds.
    let time: UInt64
    let entries: [Name: Entry]

    static func now() -> TopMoment {
        let time = MonotonicClock.now()
        let page = UInt64(clamping: sysconf(Int32(_SC_PAGESIZE)))
        let entries = LiveStatusSnapshot.all().map { shown in
            let members = shown.process.flatMap { try? ProcessTree.members(of: $0) } ?? []
            let stats = members.compactMap { ProcessStat($0) }
            let isKnown = !stats.isEmpty
            return (
                Name(broker: shown.broker, number: shown.number),
                Entry(
                    shown: shown, ticks: isKnown ? stats.reduce(0) { $0 &+ $1.ticks } : nil,
                    memory: isKnown ? stats.reduce(0) { $0 &+ $1.residentPages &* page } : nil)
            )
        }
        return TopMoment(time: time, entries: Dictionary(entries) { one, _ in one })
    }
}
