internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// What the kernel counts of written bytes at one moment. Reading these counts takes microseconds, however many files a
/// directory holds.
struct WriteCounts: Sendable, Hashable {
    /// The bytes in memory that files got and that were not on the disk yet, from all programs since the machine's
    /// start. This count never falls. If the kernel does not report it, it is 0.
    var dirtied: UInt64
    /// The free space of one file system. Other programs may free space while a watched program writes.
    var space: FreeSpace

    init(dirtied: UInt64, space: FreeSpace) {
        self.dirtied = dirtied
        self.space = space
    }

    /// - Parameter place: any object on the file system.
    init(at place: borrowing Descriptor) throws(SystemError) {
        self.init(dirtied: annex_dirtied_bytes(), space: try FreeSpace(at: place))
    }
}

/// The counts that two promises about a directory or a file system depend on: when it must be looked at again, and when
/// a program may have written more than Annex promises.
struct WriteBounds: Sendable, Hashable {
    struct Level: Sendable, Hashable {
        /// The free bytes of the file system.
        var leastFree: UInt64 = 0
        /// The files of the file system.
        var mostFiles = UInt64.max
        var mostDirtied = UInt64.max
    }

    /// The counts before the last look.
    var start: WriteCounts
    /// The level at which a look is due.
    var look: Level
    /// The level at which the promise may be broken.
    var promise: Level
    /// The earliest look that only the count of dirtied bytes demands, on the monotonic clock. Every program of the
    /// machine can raise this count.
    var earliest: UInt64 = 0

    /// The fastest growth of files that is expected, in bytes and in files for each second. A processor copies about so
    /// many bytes into the memory of files.
    static let fastest = (bytes: UInt64(4 << 30), files: UInt64(200_000))
    /// How many times the processor time of a look the thread rests before the next look that only the count of dirtied
    /// bytes demands.
    static let rest: UInt64 = 2
    /// The shortest and the longest time between two readings of the counts, in nanoseconds.
    static let shortest: UInt64 = 1_000_000
    static let longest: UInt64 = 100_000_000

    func demandLook(_ counts: WriteCounts, at moment: UInt64) -> Bool {
        counts.space.bytes < look.leastFree || counts.space.usedFiles > look.mostFiles
            || counts.dirtied > look.mostDirtied && moment >= earliest
    }

    /// The time until the next reading, in nanoseconds. It is the time in which the fastest program breaks the promise,
    /// or half of it if something was written since the last look.
    func pause(after counts: WriteCounts) -> UInt64 {
        let (time, full) = (time(from: counts), time(from: start))
        return min(max(time < full / 8 * 7 ? time / 2 : time, Self.shortest), Self.longest)
    }

    /// The time in which the fastest program breaks the promise.
    private func time(from counts: WriteCounts) -> UInt64 {
        min(
            Self.time(for: counts.space.bytes.subtractingClamped(promise.leastFree), at: Self.fastest.bytes),
            Self.time(for: promise.mostDirtied.subtractingClamped(counts.dirtied), at: Self.fastest.bytes),
            Self.time(for: promise.mostFiles.subtractingClamped(counts.space.usedFiles), at: Self.fastest.files))
    }

    private static func time(for room: UInt64, at rate: UInt64) -> UInt64 {
        room.multipliedClamped(by: 1_000_000_000) / rate
    }
}

/// The thread that reads the kernel's counts of written bytes between two looks at a directory.
///
/// A look adds up the files of a directory, which takes long if the directory holds many files. The counts say how much
/// a program can have written since the last look. So a fast program gets a look before it has written much more than
/// allowed, and an idle program costs nearly nothing. One reading serves all watched directories of a file system. The
/// thread exists only while something is watched.
final class DiskAlarms: Sendable {
    private struct Alarm {
        let device: UInt64
        let count: @Sendable () -> WriteCounts?
        let ring: @Sendable () -> Void
        /// nil from the ring until the look has set new bounds.
        var bounds: WriteBounds?
    }

    private struct State {
        var alarms: [UInt64: Alarm] = [:]
        var last: UInt64 = 0
        var isRunning = false
        /// The moment until which the thread sleeps.
        var deadline = UInt64.max
    }

    /// The only instance in this process.
    static let shared = DiskAlarms()

    private let state = Mutex(State())
    private let parker = Parker()

    /// Adds an alarm, which is silent until `set` gives it bounds.
    /// - Parameters:
    ///   - device: the file system. The thread reads the counts of each file system only once.
    ///   - count: reads the counts; nil if they cannot be read.
    ///   - ring: called on the alarms' thread if a look is due.
    /// - Throws: if no thread can be made.
    func add(
        device: UInt64, count: @escaping @Sendable () -> WriteCounts?, ring: @escaping @Sendable () -> Void
    ) throws(SystemError) -> UInt64 {
        try state.withLock { (state) throws(SystemError) in
            if !state.isRunning { _ = try WorkerThread("annex-disks") { [self] in run() } }
            state.isRunning = true
            state.last += 1
            state.alarms[state.last] = Alarm(device: device, count: count, ring: ring)
            return state.last
        }
    }

    /// Gives an alarm its next bounds.
    func set(_ number: UInt64, to bounds: WriteBounds) {
        let due = MonotonicClock.deadline(after: .nanoseconds(Int64(bounds.pause(after: bounds.start))))
        let isEarlier = state.withLock { state in
            state.alarms[number]?.bounds = bounds
            guard due < state.deadline else { return false }
            state.deadline = due
            return true
        }
        if isEarlier { parker.unpark() }
    }

    /// Removes an alarm. It may still ring once if it is about to ring now.
    func remove(_ number: UInt64) {
        let (alarm, isLast) = state.withLock { state in
            (state.alarms.removeValue(forKey: number), state.alarms.isEmpty)
        }
        if isLast { parker.unpark() }
        // The closures are released outside the lock, because the release of a last reference may run any code.
        withExtendedLifetime(alarm) {}
    }

    private func run() {
        // Without this, a busy machine lets other programs finish their turns first. Kernels before 6.12 ignore the
        // length of a turn, and only root and users with RLIMIT_NICE get the nice value.
        _ = annex_shorten_turns(-20)
        var worked = ThreadClock.now()
        while let deadline = read() {
            // Programs cause the looks. So this thread rests as long as it worked, and leaves half of a processor to
            // others however many programs write.
            let work = ThreadClock.now().subtractingClamped(worked)
            let rested = MonotonicClock.now().addingClamped(work)
            parker.park(until: max(deadline, rested))
            while MonotonicClock.now() < rested { parker.park(until: rested) }
            worked = ThreadClock.now()
        }
    }

    /// Reads all counts and rings the alarms that are due.
    /// - Returns: the moment of the next reading; nil if the thread shall end.
    private func read() -> UInt64? {
        let counts = counters().map { (device: $0.device, counts: $0.count()) }
        let moment = MonotonicClock.now()
        let (rings, deadline) = state.withLock { state -> ([@Sendable () -> Void], UInt64?) in
            guard !state.alarms.isEmpty else {
                state.isRunning = false
                state.deadline = .max
                return ([], nil)
            }
            var pause = WriteBounds.longest
            var rings: [@Sendable () -> Void] = []
            for (number, alarm) in state.alarms {
                guard let bounds = alarm.bounds,
                    let counts = counts.first(where: { $0.device == alarm.device })?.counts
                else { continue }
                if bounds.demandLook(counts, at: moment) {
                    rings.append(alarm.ring)
                    state.alarms[number]?.bounds = nil
                } else {
                    pause = min(pause, bounds.pause(after: counts))
                }
            }
            state.deadline = moment + (rings.isEmpty ? pause : WriteBounds.shortest)
            return (rings, state.deadline)
        }
        for ring in rings { ring() }
        return deadline
    }

    /// One way to read the counts of each file system.
    private func counters() -> [(device: UInt64, count: @Sendable () -> WriteCounts?)] {
        state.withLock { state in
            var counters: [(device: UInt64, count: @Sendable () -> WriteCounts?)] = []
            for alarm in state.alarms.values
            where alarm.bounds != nil && !counters.contains(where: { $0.device == alarm.device }) {
                counters.append((alarm.device, alarm.count))
            }
            return counters
        }
    }
}
