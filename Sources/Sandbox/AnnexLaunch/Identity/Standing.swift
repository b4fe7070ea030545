package import AnnexLinux
internal import AnnexPolicy
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

    /// Whether the user of this process has no number in its user namespace, as after `unshare -U` without a map. The
    /// kernel then gives it no namespace, and lets it take no number.
    static var isUnmapped: Bool {
        let user = geteuid()
        return (try? IdentityMap.ofUsers()).map { !$0.contains(user..<(user + 1)) } ?? false
    }

    /// What helps such a user.
    static let remedyOfUnmapped =
        "this user has no number in its user namespace (/proc/self/uid_map): start Annex as a user that has one"

    static func ofThisProcess() throws(SystemError) -> Standing {
        let user = getuid()
        // The kernel shows this number to a user without a number.
        if user == OwnNumbers.hidden.user, isUnmapped {
            throw SystemError("identities", errno: EPERM, path: "/proc/self/uid_map", remedy: remedyOfUnmapped)
        }
        guard user == 0 else { return Standing(user: user, users: IdentityMap(text: "")) }
        return Standing(user: user, users: try .ofUsers())
    }
}

/// The lines of a `uid_map`. They say which numbers exist in a user namespace.
package struct IdentityMap: Sendable, Hashable {
    let ranges: [Range<UInt64>]
    /// Whether user 0 of this namespace has another number outside. In that case an ordinary user made the namespace.
    package let hasOrdinaryZero: Bool

    // Each line has three numbers: the first number inside, the first number outside, and the count.
    package init(text: String) {
        let lines = TextFile.lines(of: text).map { $0.split(separator: " ").compactMap { UInt32($0) } }
            .filter { $0.count == 3 }
        ranges = lines.map { UInt64($0[0])..<(UInt64($0[0]) + UInt64($0[2])) }
        hasOrdinaryZero = lines.contains { $0[0] == 0 && $0[1] != 0 }
    }

    package func contains(_ numbers: Range<UInt32>) -> Bool {
        ranges.contains { $0.lowerBound <= numbers.lowerBound && numbers.upperBound <= $0.upperBound }
    }

    /// The users that exist in this process's user namespace.
    static func ofUsers() throws(SystemError) -> IdentityMap { try read("/proc/self/uid_map") }

    /// The groups that exist in this process's user namespace.
    static func ofGroups() throws(SystemError) -> IdentityMap { try read("/proc/self/gid_map") }

    private static func read(_ file: String) throws(SystemError) -> IdentityMap {
        let text = try Descriptor.open(file, O_RDONLY).readAll(atMost: 64 << 10)
        return IdentityMap(text: String(decoding: text, as: UTF8.self))
    }

    /// The lines of a map of a new namespace in which every number stands for itself.
    var lines: String { ranges.map { Self.line($0, at: $0.lowerBound) }.joined() }

    /// The lines of a map of a new namespace in which two numbers stand for each other, and every other number stands for
    /// itself. Both numbers must exist here.
    func lines(exchanging first: UInt32, with second: UInt32) -> String {
        let numbers = [UInt64(first), UInt64(second)].sorted()
        let cuts = numbers.flatMap { [$0, $0 + 1] }
        return ranges.flatMap { range in
            let ends = [range.lowerBound] + cuts.filter { range.contains($0) } + [range.upperBound]
            return zip(ends, ends.dropFirst()).filter { $0 < $1 }.map { start, end in
                let place = numbers.firstIndex(of: start).map { numbers[1 - $0] } ?? start
                return Self.line(start..<end, at: place)
            }
        }.joined()
    }

    private static func line(_ numbers: Range<UInt64>, at outside: UInt64) -> String {
        "\(numbers.lowerBound) \(outside) \(numbers.count)\n"
    }
}
