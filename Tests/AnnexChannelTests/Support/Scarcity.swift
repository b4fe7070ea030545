import Glibc

/// A period in which this process has only a few free descriptor numbers. Use it only in a separate process of a test.
final class Scarcity {
    private var before = rlimit()
    private var taken: [Int32] = []
    private var left: [Int32] = []
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// Takes the free numbers, but the scarcity begins only with `begin`. A descriptor that is opened in between has a
    /// number unknown to this object. Closing that descriptor frees no number.
    /// - Parameter free: the count of numbers that are still free during the scarcity.
    init(free: Int) {
        getrlimit(Self.resource, &before)
        // All lower free numbers are taken, so that only the limit decides how many numbers are left.
        while taken.last ?? 0 < 63 { taken.append(Self.another()) }
        // Descriptors that this process inherited may lie in between. Their numbers can be as high as those of its
        // parent.
        left = (0..<free).map { _ in Self.another() }
    }

    /// Do not call this while another thread may close a descriptor that was open before.
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
