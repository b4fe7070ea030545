internal import AnnexPolicy

/// How much memory one sandbox may still request for shared memory, semaphores and message queues of System V.
///
/// These objects belong to no process, so neither a limit of a process nor the broker's watch of memory counts them. A
/// call shows how large its object can become, but not whether the kernel makes a new object or returns an old one. So
/// each call that may make an object is charged with all the memory that the object can take. A call with a key that was
/// charged before is free, because its object exists already. After the program has removed any object, the object of a
/// known key may be gone, so each key is charged anew.
struct ObjectBudget: Sendable {
    /// A call that makes an object, or removes one.
    enum Request: Hashable {
        case make(Key, bytes: UInt64)
        case remove
    }

    /// The kind of an object, by the name of its call, and its key. An object without a key is always new.
    struct Key: Hashable {
        let call: String
        let key: UInt32

        var isPrivate: Bool { key == 0 }
    }

    private var left: UInt64
    private var charged: [Key: UInt64] = [:]

    /// - Parameter limits: the objects together may take as much as the limit of memory.
    init(_ limits: PolicyLimits) { left = limits.memory }

    /// Charges a request.
    /// - Returns: whether the sandbox may make the call.
    mutating func admits(_ request: Request) -> Bool {
        guard case .make(let key, let bytes) = request else {
            charged = [:]
            return true
        }
        if !key.isPrivate, let before = charged[key], before >= bytes { return true }
        guard bytes <= left else { return false }
        left -= bytes
        if !key.isPrivate { charged[key] = bytes }
        return true
    }
}

extension ObjectBudget.Request {
    /// Reads a call from its registers.
    /// - Parameter processes: how many processes the sandbox may have. Each of them can keep a value for each semaphore,
    ///   which the kernel restores at the end of the process (`SEM_UNDO`).
    /// - Returns: nil if the call neither makes nor removes an object.
    init?(_ call: String, arguments: [UInt64], processes: Int) {
        let registers = arguments.map { UInt32(truncatingIfNeeded: $0) }
        switch call {
        case "shmget":
            self.init(call, key: registers[0], flags: registers[2], bytes: Self.wholePages(arguments[1]))
        case "semget":
            let each = Self.semaphore.addingClamped(UInt64(max(1, processes)).multipliedClamped(by: Self.restoredValue))
            let bytes = Self.least.addingClamped(UInt64(registers[1]).multipliedClamped(by: each))
            self.init(call, key: registers[0], flags: registers[2], bytes: bytes)
        case "msgget": self.init(call, key: registers[0], flags: registers[1], bytes: Self.queue)
        case "shmctl", "msgctl": self.init(command: registers[1])
        case "semctl": self.init(command: registers[2])
        default: return nil
        }
    }

    private init?(_ call: String, key: UInt32, flags: UInt32, bytes: UInt64) {
        let isNew: UInt32 = 0o1000  // IPC_CREAT
        guard key == 0 || flags & isNew != 0 else { return nil }
        self = .make(ObjectBudget.Key(call: call, key: key), bytes: bytes)
    }

    private init?(command: UInt32) {
        // The kernel ignores the bit IPC_64 of a command.
        guard command & ~0x100 == 0 else { return nil }
        self = .remove
    }

    private static let least: UInt64 = 4_096
    /// The bytes of a semaphore, and of one value that the kernel keeps for a process.
    private static let (semaphore, restoredValue): (UInt64, UInt64) = (64, 2)
    /// The most memory of a message queue. A queue holds at most 16,384 messages (`MSGMNB`), also if they are empty. The
    /// kernel takes 64 bytes for an empty message. All messages together have at most 16,384 bytes more.
    private static let queue: UInt64 = 16_384 * 64 + 65_536

    private static func wholePages(_ bytes: UInt64) -> UInt64 {
        max(least, bytes.addingClamped(least - 1) / least * least)
    }
}
