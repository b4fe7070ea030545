internal import Foundation

/// The limit for the total time to wait while a hypervisor gives this machine's processors to other machines.
/// Measurements during that time would say more about the other machines.
struct Patience {
    /// The percentage of all processor time that the hypervisor may take away during a measurement.
    static let mostStolen = 2.0
    /// Some machines may use all processors only for a while. They get their processors back during a rest.
    private static let rest = 20.0

    private var left: Double

    init(seconds: Double) {
        left = seconds
    }

    /// Rests before another try.
    /// - Returns: false if the patience is spent.
    mutating func rest() -> Bool {
        guard left > 0 else { return false }
        let pause = min(left, Self.rest)
        Thread.sleep(forTimeInterval: pause)
        left -= pause
        return true
    }

    /// The time of the new try counts too.
    mutating func spend(_ seconds: Double) { left -= seconds }
}
