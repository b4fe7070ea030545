internal import AnnexBrokerAPI
internal import Glibc

/// What a daemon has of descriptors, and what of them one user may have.
struct DescriptorBudget: Sendable, Equatable {
    /// Numbers from here on are kept for root.
    private let firstReserved: Int
    /// The most that one user may take.
    let ofOneUser: Int

    /// About as many are held for each of these: a launched extension has its process, its three ends of the channel, its
    /// notifications, its output and its groups.
    static let perExtension = 10
    static let perConnection = 2

    /// - Parameters:
    ///   - limit: how many the kernel lets the process have.
    ///   - isShared: whether several users have them.
    init(limit: Int, isShared: Bool) {
        firstReserved = limit - min(64, limit / 16)
        ofOneUser = isShared ? max(64, firstReserved / 4) : firstReserved
    }

    static func ofThisProcess(isShared: Bool) -> DescriptorBudget {
        var limit = rlimit()
        let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return DescriptorBudget(limit: isKnown ? Int(clamping: limit.rlim_cur) : 1024, isShared: isShared)
    }

    /// Why a descriptor that a user has just brought is not kept; nil where it is.
    func refusal(of number: Int32, from user: UInt32) -> BrokerError? {
        guard user != 0, isReserved(number) else { return nil }
        return BrokerError(
            .overQuota, "this daemon has hardly any descriptors left, and keeps them for root", place: "annexd",
            remedy: "end what is not needed, or raise LimitNOFILE= of annexd.service")
    }

    /// Whether a number that was just given shows that hardly any are left: the kernel gives the lowest one.
    func isReserved(_ number: Int32) -> Bool { Int(number) >= firstReserved }
}
