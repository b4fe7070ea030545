internal import AnnexBrokerAPI
internal import AnnexLinux
internal import Glibc

/// The user and the process at the other end of a connection, as the kernel reports them. A pidfd identifies the
/// process.
struct PeerIdentity: ~Copyable {
    let user: UInt32
    let process: ProcessHandle
    /// The ID of the peer's process, which is valid until that process ends. It is 0 if the process has no ID in this
    /// PID namespace.
    let number: Int32

    init(user: UInt32, process: consuming ProcessHandle, number: Int32) {
        self.user = user
        self.process = process
        self.number = number
    }

    /// - Throws: `ESRCH` if the process that opened the connection has ended.
    init(of socket: borrowing ControlSocket) throws(SystemError) {
        let credentials = try PeerCredentials(of: socket)
        let process = try Self.process(of: socket, credentials)
        guard !process.hasEnded else { throw SystemError("pidfd", errno: ESRCH) }
        self.init(user: credentials.user, process: process, number: credentials.process)
    }

    consuming func takeProcess() -> ProcessHandle { process }

    /// Kernels before 6.5 give no pidfd of a socket's peer. They give only a process ID, which may belong to another
    /// process by now. The process with this ID is accepted only if it belongs to the peer's user or to root. If the ID
    /// nevertheless belongs to another process, the only effect is that the connection lasts as long as that process.
    private static func process(
        of socket: borrowing ControlSocket, _ credentials: PeerCredentials
    ) throws(SystemError) -> ProcessHandle {
        if let peer = try? socket.peer() { return peer }
        let handle = try ProcessHandle(process: credentials.process)
        let owner = try Descriptor.directory("/proc/\(credentials.process)").status().user
        guard owner == credentials.user || owner == 0, !handle.hasEnded else {
            throw SystemError("pidfd_open", errno: ESRCH)
        }
        return handle
    }
}

/// Decides which user a peer counts as. One user of a machine can have many user IDs: `/etc/subuid` gives most users
/// 65,536 IDs for their own user namespaces. If each ID had its own store and limits, that user would have 65,536 times
/// the limits.
extension PeerIdentity {
    /// The error because of which the machine's daemon does not serve this peer; nil if the daemon serves the peer.
    func rejection() -> BrokerError? {
        do throws(SystemError) {
            return try isItsOwn() ? nil : Self.subIdentity(user)
        } catch {
            return BrokerError(
                .overQuota, what: "the daemon cannot determine the owner of user ID \(user): \(error.cause)",
                place: "annexd",
                remedy: "connect from outside the container")
        }
    }

    private static func subIdentity(_ user: UInt32) -> BrokerError {
        BrokerError(
            .overQuota, what: "user ID \(user) belongs to a user namespace that another user made", place: "annexd",
            remedy: "connect as that user from outside the container, or run annexd inside it")
    }

    /// Whether the user ID is the peer's own ID. This is true in three cases:
    /// - The peer is in this daemon's own user namespace.
    /// - The peer is in a child of the daemon's namespace, or further below that child, and the peer's user made the
    ///   child.
    /// - As in the second case, but root made the child, and the user ID is the same inside and outside.
    private func isItsOwn() throws(SystemError) -> Bool {
        guard let own = try Self.ownNamespace() else { return true }
        var space = try UserNamespace(of: process, numbered: number)
        guard try !space.isSame(as: own) else { return try stillItsOwn(true) }
        // The decision depends on the owner of the namespace directly below the daemon's own namespace. Inside that
        // namespace, the peer may act as any user. So the peer could choose the owner of further namespaces.
        while true {
            let parent = try space.parent()
            if try parent.isSame(as: own) { break }
            space = parent
        }
        let maker = try space.owner()
        return try stillItsOwn(maker == user || (maker == 0 && isMappedToItself()))
    }

    /// Returns `answer`, or throws if the peer's process has ended. The namespaces were found by process ID, and after
    /// the process's end another process may have that ID.
    private func stillItsOwn(_ answer: Bool) throws(SystemError) -> Bool {
        guard !process.hasEnded else { throw SystemError("pidfd", errno: ESRCH) }
        return answer
    }

    /// The namespace of this daemon. It is nil on a kernel without user namespaces. On that kernel, every process has
    /// its user's own ID.
    private static func ownNamespace() throws(SystemError) -> UserNamespace? {
        do throws(SystemError) {
            return try UserNamespace.own()
        } catch {
            if error.errno == ENOENT { return nil }
            throw error
        }
    }

    /// Whether the user ID is the same inside and outside of the peer's namespace.
    private func isMappedToItself() -> Bool {
        guard let lines = UserMap(of: "\(number)") else { return false }
        return lines.ranges.contains { $0.inside == $0.outside && $0.inside <= user && user - $0.inside < $0.count }
    }
}

/// The `uid_map` of a process. It maps the user IDs in the process's user namespace to the user IDs outside.
struct UserMap: Sendable, Equatable {
    struct Range: Sendable, Equatable {
        let inside: UInt32
        let outside: UInt32
        let count: UInt32
    }

    let ranges: [Range]

    init(text: String) {
        ranges = text.split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ").compactMap { UInt32($0) }
            return numbers.count == 3 ? Range(inside: numbers[0], outside: numbers[1], count: numbers[2]) : nil
        }
    }

    /// - Parameter process: a process ID, or `self`.
    init?(of process: String) {
        guard let file = try? Descriptor.open("/proc/\(process)/uid_map", O_RDONLY),
            let bytes = try? file.readAll(atMost: 1 << 16)
        else { return nil }
        self.init(text: String(decoding: bytes, as: UTF8.self))
    }

    /// Whether the namespace maps every user ID of the machine. All users without an ID in the namespace look like the
    /// same user, the overflow user.
    var hasEverybody: Bool { ranges.reduce(UInt64(0)) { $0 + UInt64($1.count) } >= UInt64(UInt32.max) }

    /// The user ID that stands for all users without an ID in this process's namespace. It is nil if every user has an
    /// ID.
    static func overflowUser() -> UInt32? {
        guard let own = UserMap(of: "self"), !own.hasEverybody else { return nil }
        guard let file = try? Descriptor.open("/proc/sys/kernel/overflowuid", O_RDONLY),
            let bytes = try? file.readAll(atMost: 64)
        else { return 65534 }
        return UInt32(String(decoding: bytes, as: UTF8.self).filter(\.isNumber)) ?? 65534
    }
}
