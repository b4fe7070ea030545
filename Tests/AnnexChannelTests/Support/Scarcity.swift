import Glibc

/// A time in which this process has only so many descriptor numbers left. For processes of a test's own.
final class Scarcity {
    private var before = rlimit()
    private var taken: [Int32] = []
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// Not while anything that is open may be closed by somebody else.
    /// - Parameter free: how many numbers can still be given.
    init(free: Int) {
        getrlimit(Self.resource, &before)
        // Whatever is free below is taken, so that the limit says how many are left.
        var number: Int32 = 0
        repeat {
            number = dup(0)
            if number >= 0 { taken.append(number) }
        } while number >= 0 && number < 63
        var few = before
        few.rlim_cur = rlim_t(Int(taken.max() ?? 0) + 1 + free)
        setrlimit(Self.resource, &few)
    }

    func end() {
        setrlimit(Self.resource, &before)
        for number in taken { close(number) }
    }
}
