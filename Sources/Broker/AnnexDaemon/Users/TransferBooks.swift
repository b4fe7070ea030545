internal import AnnexLinux
internal import Glibc

extension DaemonOptions {
    private static let mostUsers = 65_536

    /// The users who have a book of background transfers. A book that is empty costs its user's broker a moment at the
    /// daemon's start.
    func usersWithTransfers() -> [UInt32] {
        guard isSystem else { return hasBook(geteuid()) ? [geteuid()] : [] }
        let folder = try? Descriptor.directory("\(state)/transfers-of").entries(atMost: Self.mostUsers)
        return (folder ?? []).compactMap { $0.name.flatMap { UInt32($0) } }.filter(hasBook).sorted()
    }

    private func hasBook(_ user: UInt32) -> Bool { access(transfers(of: user) + "/book/store.db", F_OK) == 0 }
}
