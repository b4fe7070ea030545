package import AnnexLinux
internal import Glibc

/// Whether this process can give each sandbox a separate user. Only two users can do this: root of the machine, and
/// root of a container that has many users. In all other cases, sandboxes run as the calling user. One of these cases
/// is a user namespace that an ordinary user made, and in which this user is root.
package struct Standing: Sendable {
    /// Whether each sandbox gets a separate user.
    let hasUsersToGive: Bool
    /// Why this process, as root, cannot give each sandbox a separate user. nil if it can, or if `hasUsersToGive` is
    /// false.
    package let missing: SystemError?

    /// - Parameter users: the users that exist in this user namespace.
    package init(user: UInt32, users: IdentityMap, range: Range<UInt32> = IdentityRange.standard) {
        hasUsersToGive = user == 0 && !users.hasOrdinaryZero
        missing =
            !hasUsersToGive || users.contains(range)
            ? nil
            : SystemError(
                "identities", errno: ENODEV, path: "/proc/self/uid_map",
                remedy:
                    "run as an ordinary user, or name numbers that exist here: \(IdentityRange.variable)=FIRST-LAST. "
                    + "This user namespace lacks the numbers \(range.lowerBound) to \(range.upperBound - 1), which "
                    + "root gives to sandboxes")
    }

    static func ofThisProcess() throws(SystemError) -> Standing {
        let user = getuid()
        guard user == 0 else { return Standing(user: user, users: IdentityMap(text: "")) }
        let text = try Descriptor.open("/proc/self/uid_map", O_RDONLY).readAll(atMost: 64 << 10)
        return Standing(user: user, users: IdentityMap(text: String(decoding: text, as: UTF8.self)))
    }
}

/// The lines of a `uid_map`. They say which numbers exist in a user namespace.
package struct IdentityMap: Sendable, Hashable {
    let ranges: [Range<UInt64>]
    /// Whether user 0 of this namespace has another number outside. In that case an ordinary user made the namespace.
    package let hasOrdinaryZero: Bool

    // Each line has three numbers: the first number inside, the first number outside, and the count.
    package init(text: String) {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").compactMap { UInt32($0) } }
            .filter { $0.count == 3 }
        ranges = lines.map { UInt64($0[0])..<(UInt64($0[0]) + UInt64($0[2])) }
        hasOrdinaryZero = lines.contains { $0[0] == 0 && $0[1] != 0 }
    }

    package func contains(_ numbers: Range<UInt32>) -> Bool {
        ranges.contains { $0.lowerBound <= numbers.lowerBound && numbers.upperBound <= $0.upperBound }
    }
}
