internal import AnnexBrokerAPI
internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// How many descriptors a daemon may open, and how many of them one user may take.
struct DescriptorBudget: Sendable, Equatable {
    /// Descriptors with this number or a higher number are kept for root.
    private let firstReserved: Int
    /// The most descriptors for one user.
    let ofOneUser: Int

    /// About how many descriptors one extension and one connection hold. An extension needs descriptors for its
    /// process, three ends of the channel, its notifications, its output and its control groups.
    static let perExtension = 10
    static let perConnection = 2

    /// - Parameters:
    ///   - limit: the most descriptors that the kernel allows this process.
    ///   - isShared: whether several users share the descriptors.
    init(limit: Int, isShared: Bool) {
        firstReserved = limit - min(64, limit / 16)
        ofOneUser = isShared ? max(64, firstReserved / 4) : firstReserved
    }

    static func ofThisProcess(isShared: Bool) -> DescriptorBudget {
        var limit = rlimit()
        let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return DescriptorBudget(limit: isKnown ? Int(clamping: limit.rlim_cur) : 1024, isShared: isShared)
    }

    /// The error because of which the daemon does not keep a descriptor that a user has just sent; nil if the daemon
    /// keeps the descriptor.
    func rejection(of number: Int32, from user: UInt32) -> BrokerError? {
        guard user != 0, isReserved(number) else { return nil }
        return BrokerError(
            .overQuota, what: "this daemon has hardly any descriptors left, and keeps them for root", place: "annexd",
            remedy: "end sessions that you do not need, or raise LimitNOFILE= of annexd.service")
    }

    /// Whether a new descriptor's number shows that only few descriptors are left. The kernel always assigns the lowest
    /// free number.
    func isReserved(_ number: Int32) -> Bool { Int(number) >= firstReserved }
}

/// Holds the descriptors that a client sent, until the code that checks them takes them. A lane closes the descriptors
/// that are not taken, because the last close of a file takes as long as its file system needs.
final class HandedOver: Sendable {
    private let list: Mutex<DescriptorList>
    let closing: Lane
    let count: Int
    /// The highest number of these descriptors; -1 if there are none.
    let highest: Int32

    init(_ list: consuming DescriptorList, closing: Lane) {
        count = list.count
        highest = list.numbers.max() ?? -1
        self.list = Mutex(list)
        self.closing = closing
    }

    deinit {
        letGo()
    }

    /// Closes the descriptors that were not taken.
    func letGo() {
        while let descriptor = popFirst() {
            let number = descriptor.release()
            closing.run { _ = Descriptor(owning: number) }
        }
    }

    func popFirst() -> Descriptor? {
        list.withLock { $0.takeFirst() }
    }
}
