/// The time of a Today view. Tests use a clock of their own.
package protocol TodayClock: Sendable {
    /// The time since a fixed moment.
    var now: Duration { get }

    /// Waits until this moment.
    /// - Throws: if the task is cancelled.
    func sleep(until moment: Duration) async throws
}

/// The machine's clock. It stands still while the machine is suspended.
package struct MachineClock: TodayClock {
    private let start = SuspendingClock.now

    package init() {}

    package var now: Duration { start.duration(to: SuspendingClock.now) }

    package func sleep(until moment: Duration) async throws {
        // An update may begin a second late, because users do not see the difference. With this tolerance, the kernel can
        // wake this process together with other processes.
        try await Task.sleep(until: start.advanced(by: moment), tolerance: .seconds(1), clock: SuspendingClock())
    }
}
