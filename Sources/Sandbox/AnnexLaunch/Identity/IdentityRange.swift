package import AnnexLinux
internal import Glibc
internal import Synchronization

/// The user numbers that extensions get if the broker is root. Each extension claims one number under a lock that all
/// brokers of the machine share. So no two running extensions have the same number.
///
/// The lock is a byte range lock of the open file description (`F_OFD_SETLK`). The kernel releases the lock when the
/// broker that holds it ends for any reason. One descriptor is enough for the whole range.
package final class IdentityRange: Sendable {
    /// The environment variable in which root may choose other numbers, as `FIRST-LAST`.
    package static let variable = "ANNEX_IDENTITIES"

    /// The machine's numbers for sandboxes. The first number is the user of all programs that root runs. The other
    /// numbers are for extensions and for the owners of their private directories.
    ///
    /// The default lies in the range that systemd leaves unused (1,879,048,192 to 2,147,352,575), above systemd's
    /// users of containers. It also lies above the numbers that SSSD and FreeIPA give to a directory's users by
    /// default (up to 2,000,400,000). The broker does not look up whether an account has one of these numbers. Such a
    /// lookup may need a network, and would be necessary before each launch.
    package static let standard = stated ?? 2_130_706_432..<2_130_771_968

    /// The users that extensions run as. Each user is for one launch.
    package static var extensions: Range<UInt32> { standard.lowerBound + 1..<owners.lowerBound }

    /// The users that own private directories on disk. Each user is for one app. These users are the upper half of
    /// the numbers in `standard`. If there are fewer than four numbers, this range is empty.
    package static var owners: Range<UInt32> { owners(of: standard) }

    static func owners(of range: Range<UInt32>) -> Range<UInt32> {
        let count = UInt32(clamping: range.count)
        return (range.upperBound - (count < 4 ? 0 : count / 2))..<range.upperBound
    }

    /// The range that the environment states; nil if the variable is not set or its text is no range.
    private static let stated = OwnEnvironment.bytes(of: variable).flatMap {
        range(String(decoding: $0, as: UTF8.self))
    }

    /// Parses `FIRST-LAST`. The range must have at least two numbers. It must not contain root or the number that means
    /// "no user" to the kernel.
    static func range(_ text: String) -> Range<UInt32>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt32($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first > 0, first < last, last < .max - 1 else {
            return nil
        }
        return first..<(last + 1)
    }

    /// Checks the range that the environment states.
    /// - Throws: if the text is no range. The default is not used in its place.
    package static func check() throws(SystemError) {
        guard let bytes = OwnEnvironment.bytes(of: variable), stated == nil else { return }
        throw SystemError(
            "identities", errno: EINVAL,
            remedy: "\(variable) is \(Escaped(String(decoding: bytes, as: UTF8.self))): state FIRST-LAST, such as "
                + "2130706432-2130771967")
    }

    private let range: Range<UInt32>
    private let file: Descriptor
    private let state: Mutex<State>

    private struct State {
        var claimed: Set<UInt32> = []
        /// All numbers below this number were in use at the last try, so they are not tried again at each claim.
        var lowest: UInt32
    }

    /// - Parameter directory: root's own directory for the lock. It is created if it does not exist.
    package init(
        _ range: Range<UInt32> = IdentityRange.extensions, directory: String = "/run/annex"
    ) throws(SystemError) {
        guard range.lowerBound > 0 else {
            throw SystemError("identity range", errno: EINVAL, remedy: "a range must not hold uid 0")
        }
        _ = unsafe mkdir(directory, 0o700)
        let path = directory + "/identities"
        self.range = range
        state = Mutex(State(lowest: range.lowerBound))
        do throws(SystemError) {
            // O_NOFOLLOW: a program that can create a link in the directory must not be able to choose which file is
            // locked.
            file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        } catch {
            throw SystemError(
                error.call, errno: error.errno, path: path,
                remedy: "make \(directory) writable for root, which locks the users of extensions there, "
                    + "or run as an ordinary user")
        }
    }

    /// Claims a number that no extension of any broker holds. The claim ends when the returned value is destroyed.
    package func claim() throws(SystemError) -> Identity {
        let number = try state.withLock { (state) throws(SystemError) in
            if let number = try find(in: state.lowest..<range.upperBound, &state) { return number as UInt32? }
            // Other brokers may have released numbers meanwhile.
            return try find(in: range.lowerBound..<state.lowest, &state)
        }
        guard let number else {
            throw SystemError(
                "claim of a uid", errno: EAGAIN,
                remedy:
                    "every uid of the range \(range) is in use: end a sandbox, or state a larger range in "
                    + Self.variable
            )
        }
        return Identity(user: number, group: number, range: self)
    }

    /// The user of all programs that root runs. No single program claims this user, so it is never released.
    package static var ofPrograms: Identity {
        Identity(user: standard.lowerBound, group: standard.lowerBound, range: nil)
    }

    /// The user of one app, who owns the app's private directories. No single launch claims this user.
    package static func identity(ofOwner owner: UInt32) -> Identity { Identity(user: owner, group: owner, range: nil) }

    private func find(in numbers: Range<UInt32>, _ state: inout State) throws(SystemError) -> UInt32? {
        for candidate in numbers where !state.claimed.contains(candidate) {
            guard try lock(candidate) else { continue }
            state.claimed.insert(candidate)
            state.lowest = max(state.lowest, candidate + 1)
            return candidate
        }
        return nil
    }

    /// - Returns: true if the lock was free.
    private func lock(_ number: UInt32) throws(SystemError) -> Bool {
        try file.lock(.byte(UInt64(number)), as: .exclusive)
    }

    func release(_ number: UInt32) {
        state.withLock { state in
            state.claimed.remove(number)
            state.lowest = min(state.lowest, number)
            file.unlock(.byte(UInt64(number)))
        }
    }
}

/// The user and group of an extension on the host. They are never root.
package struct Identity: ~Copyable, Sendable {
    package let user: UInt32
    package let group: UInt32
    private let range: IdentityRange?

    init(user: UInt32, group: UInt32, range: IdentityRange?) {
        self.user = user
        self.group = group
        self.range = range
    }

    /// The calling user. The extension of an ordinary user runs as that user, because the kernel lets an ordinary user
    /// map no other user.
    package init(ofCaller: Void) {
        user = getuid()
        group = getgid()
        range = nil
    }

    deinit {
        range?.release(user)
    }
}

/// This process's own environment.
package enum OwnEnvironment {
    /// The bytes of a variable's value, which need not be UTF-8; nil if the variable is not set.
    package static func bytes(of name: String) -> [UInt8]? {
        // SAFETY: the text is copied before anything can change the environment.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }
}
