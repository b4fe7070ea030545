package import AnnexLinux
internal import Glibc

/// Removes everything that the machine's daemon keeps for a user.
package enum ForgottenUser {
    /// Removes a user's apps and reports. The daemon may run meanwhile, but the user must have no broker in it.
    /// - Returns: the folders that were removed.
    /// - Throws: `EBUSY` if the user has a broker.
    package static func remove(_ user: UInt32, from options: DaemonOptions) throws(SystemError) -> [String] {
        let lock: UserLock
        do throws(SystemError) {
            lock = try UserLock(user, in: options.state, patience: .zero)
        } catch {
            guard error.errno == EBUSY else { throw error }
            throw SystemError(
                "lock", errno: EBUSY, path: options.store(of: user),
                remedy:
                    "the user's hosts are at work: end them, and wait until the daemon has let go of the broker (--limit idle)"
            )
        }
        defer { withExtendedLifetime(lock) {} }
        var removed: [String] = []
        for (parent, path) in [("apps", options.store(of: user)), ("reports-of", options.reports(of: user))] {
            do throws(SystemError) {
                try Descriptor.directory("\(options.state)/\(parent)").removeTree("\(user)")
                removed.append(path)
            } catch {
                if error.errno != ENOENT { throw error }
            }
        }
        return removed
    }
}
