internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPortalServer

/// Watches how many locks an extension holds in a group's file of locks. Each lock uses memory of the kernel, and slows
/// the locks of the group's other members.
///
/// Between two checks, the extension can take only about ten thousand locks. The reason is that the kernel searches a
/// list for each lock, which takes time.
final class LockQuota: Watched {
    static let interval = Duration.seconds(1)
    static let most = 4096

    private let locks: MemberLocks
    private let group: String
    private let exceeded: @Sendable (String) -> Void

    /// - Parameter exceeded: called at most once, on the watch thread.
    init(of locks: MemberLocks, in group: String, exceeded: @escaping @Sendable (String) -> Void) {
        self.locks = locks
        self.group = group
        self.exceeded = exceeded
    }

    func check() -> Bool {
        let count: Int
        do throws(SystemError) {
            count = try locks.ranges().count
        } catch {
            exceeded("the locks in the app group \(group) cannot be counted: \(error.cause)")
            return false
        }
        guard count > Self.most else { return true }
        exceeded("more than \(Self.most) locks in the app group \(group)")
        return false
    }
}
