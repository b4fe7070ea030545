internal import AnnexLinux
internal import CAnnexDetached
internal import Glibc

/// A program to start outside of this process. The program is not a child of this process, has its own session, and
/// outlives this process.
struct DetachedProgram: Sendable {
    /// The program's arguments, with its name as the first.
    var arguments: [String]
    var environment: [String: String]
    /// The user that the program runs as; nil for the user of this process.
    var user: UserAccount?

    init(arguments: [String], environment: [String: String], user: UserAccount? = nil) {
        self.arguments = arguments
        self.environment = environment
        self.user = user
    }

    /// Starts the program. The call returns when the program runs.
    /// - Parameter program: the program's open file.
    func start(_ program: borrowing Descriptor) throws(SystemError) {
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let number = program.number
        let result = unsafe Self.withPointers(to: arguments) { arguments in
            unsafe Self.withPointers(to: variables) { variables in
                unsafe (user?.groups ?? []).withUnsafeBufferPointer { groups in
                    // SAFETY: all pointers outlive the call, and the call keeps none of them.
                    var start = unsafe annex_detached(
                        program: number, arguments: arguments, environment: variables,
                        changes_user: user == nil ? 0 : 1, user: user?.user ?? 0, group: user?.group ?? 0,
                        groups: groups.baseAddress, group_count: UInt64(groups.count))
                    return unsafe annex_start_detached(&start)
                }
            }
        }
        guard result >= 0 else { throw SystemError("exec", errno: -result, path: arguments.first) }
    }

    /// Passes the texts to `body` as C strings, in a list that ends with a null pointer.
    private static func withPointers<Result>(
        to texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        // SAFETY: each copy is freed after the call of `body`, and the list is not used after that call.
        var pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe pointers.withUnsafeMutableBufferPointer { list in
            // The list is never empty, because it contains at least the null pointer.
            guard let start = list.baseAddress else { preconditionFailure("an empty list has an end") }
            return unsafe body(UnsafePointer(start))
        }
    }
}

/// A user as the system's user database describes it.
struct UserAccount: Sendable, Hashable {
    let user: UInt32
    let group: UInt32
    let name: String
    let home: String
    /// All groups of the user.
    let groups: [UInt32]

    private static let longest = 64 << 10
    private static let mostGroups = 65_536

    /// - Throws: `ENOENT` if there is no such user.
    init(_ user: UInt32) throws(SystemError) {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: Self.longest)
        let count = room.count
        // SAFETY: the texts of the entry lie in `room`, and are copied before `room` is destroyed.
        let result = unsafe getpwuid_r(user, &entry, &room, count, &found)
        guard result == 0, unsafe found != nil else {
            throw SystemError("getpwuid", errno: result == 0 ? ENOENT : result, path: "uid \(user)")
        }
        self.user = user
        group = unsafe entry.pw_gid
        name = unsafe String(cString: entry.pw_name)
        home = unsafe String(cString: entry.pw_dir)
        var groups = [UInt32](repeating: 0, count: 64)
        var number = Int32(groups.count)
        // SAFETY: the call writes at most `number` groups, and sets `number` to the count of all groups.
        if unsafe getgrouplist(name, group, &groups, &number) < 0 {
            groups = [UInt32](repeating: 0, count: min(Self.mostGroups, max(0, Int(number))))
            number = Int32(groups.count)
            _ = unsafe getgrouplist(name, group, &groups, &number)
        }
        self.groups = Array(groups.prefix(max(0, Int(number))))
    }
}
