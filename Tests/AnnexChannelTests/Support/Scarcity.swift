import Glibc

/// A time in which this process has only so many descriptor numbers left. For processes of a test's own.
final class Scarcity {
    private var before = rlimit()
    private var taken: [Int32] = []
    private var left: [Int32] = []
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// Takes the numbers that are free; scarcity itself has not begun. A descriptor that is opened in between has a
    /// number unknown to this object, and closing it gives no number back.
    /// - Parameter free: how many numbers can still be given then.
    init(free: Int) {
        getrlimit(Self.resource, &before)
        // All free numbers below are taken, so that the limit alone decides how many are left.
        while taken.last ?? 0 < 63 { taken.append(Self.another()) }
        // Descriptors that this process inherited may lie in between, as high as its parent's numbers went.
        left = (0..<free).map { _ in Self.another() }
    }

    /// Must not be called while another thread may close something that was open before.
    func begin() {
        var few = before
        few.rlim_cur = rlim_t((left.last ?? taken.last ?? 0) + 1)
        setrlimit(Self.resource, &few)
        for number in left { close(number) }
    }

    private static func another() -> Int32 {
        let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
        precondition(number >= 0, "open: errno \(errno)")
        return number
    }

    func end() {
        setrlimit(Self.resource, &before)
        for number in taken { close(number) }
    }
}
