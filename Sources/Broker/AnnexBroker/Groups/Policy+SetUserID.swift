internal import AnnexPolicy
internal import Glibc

extension Policy {
    /// The first of `attempts` with which code under this policy could make a file that runs with its owner's rights
    /// (set-user-ID). It is nil if no such call is allowed.
    ///
    /// The files of a group belong to the broker's user, who may be root. So no extension may make a set-user-ID file
    /// in a group.
    var callForSetUserID: String? {
        Self.attempts.first { attempt in
            guard let call = SystemCall(named: attempt.name) else { return false }
            let rest = [UInt64](repeating: 0, count: 6 - attempt.arguments.count)
            return verdict(number: call.number, arguments: attempt.arguments + rest).answer == .allow
        }?.name
    }

    private static let bit: UInt64 = 0o4000
    private static let create = UInt64(O_WRONLY | O_CREAT)

    /// `openat2` gets its mode from memory, so no filter can check the mode.
    private static let attempts: [(name: String, arguments: [UInt64])] = [
        ("open", [0, create, bit]), ("openat", [0, 0, create, bit]), ("openat2", []), ("creat", [0, bit]),
        ("chmod", [0, bit]), ("fchmod", [0, bit]), ("fchmodat", [0, 0, bit]), ("fchmodat2", [0, 0, bit]),
        ("mknod", [0, UInt64(S_IFREG) | bit]), ("mknodat", [0, 0, UInt64(S_IFREG) | bit]),
    ]
}
