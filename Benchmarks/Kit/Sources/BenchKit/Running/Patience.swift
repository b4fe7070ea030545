internal import Foundation

/// How long is waited for, in all, where a hypervisor gives this machine's processors to others: what was measured
/// meanwhile says more about them.
struct Patience {
    /// Percent of all processor time that may be taken away from what is measured.
    static let mostStolen = 2.0
    /// Machines that may work hard only for a while get their processors back while they rest.
    private static let rest = 20.0

    private var left: Double

    init(seconds: Double) {
        left = seconds
    }

    /// Rests before another try.
    /// - Returns: false where the patience is spent.
    mutating func rest() -> Bool {
        guard left > 0 else { return false }
        let pause = min(left, Self.rest)
        Thread.sleep(forTimeInterval: pause)
        left -= pause
        return true
    }

    /// What a try took counts as well.
    mutating func spend(_ seconds: Double) { left -= seconds }
}
