internal import AnnexLaunch
internal import AnnexLinux

/// Decides whether an extension or the machine is to blame for a launch that exceeded its limit.
///
/// The machine is to blame if it was busy and gave the process little processor time. An extension that computes during
/// its launch has used processor time. An extension that sleeps has not waited for a processor, so it is to blame on a
/// machine that is not busy. On a busy machine, a sleeping extension cannot always be distinguished from a starved one.
/// So the machine gets the blame, and `LaunchBackoff.mostExcused` bounds how often.
struct LaunchStarvation: Sendable, Equatable {
    /// The processor time that the process has used; nil if the kernel does not say.
    var used: Duration?
    /// How long the process was ready to run and had no processor; nil if the kernel does not say.
    var delayed: Duration?
    /// The share of the last ten seconds, in percent, in which some program of the machine had to wait for a processor,
    /// memory or a disk. This is the highest of the three shares; nil if the kernel does not measure them.
    var pressure: Double?

    /// A busy machine has at least this share. It is low, because the average covers ten seconds, and the launch limit
    /// of most policies is one second.
    static let busy = 10.0

    /// Whether the machine is to blame.
    func isMachines(within limit: Duration) -> Bool {
        if let used, used >= limit / 2 { return false }
        if let delayed, delayed >= limit / 4 { return true }
        return (pressure ?? 0) >= Self.busy
    }
}

extension LaunchStarvation {
    /// The facts about a process at this moment.
    init(of process: Int32?) {
        self.init(
            schedule: process.flatMap { TextFile.read("\(ProcNumber.folder(of: $0))/schedstat") },
            pressures: ["cpu", "memory", "io"].compactMap { TextFile.read("/proc/pressure/\($0)") })
    }

    /// - Parameters:
    ///   - schedule: the contents of `/proc/PID/schedstat`: the processor time and the delay, in nanoseconds.
    ///   - pressures: the contents of the files in `/proc/pressure`.
    init(schedule: String?, pressures: [String]) {
        let numbers = (schedule ?? "").split(separator: " ").prefix(2).compactMap { Int64($0) }
        if numbers.count == 2 { (used, delayed) = (.nanoseconds(numbers[0]), .nanoseconds(numbers[1])) }
        pressure = pressures.compactMap(Self.share).max()
    }

    /// The share in a line such as `some avg10=19.44 avg60=28.23 avg300=22.48 total=307698509`.
    private static func share(in text: String) -> Double? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("some ") }
        let value = line?.split(separator: " ").first { $0.hasPrefix("avg10=") }
        return value.flatMap { Double($0.dropFirst("avg10=".count)) }
    }
}
