internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc
internal import Synchronization

/// Decides about a call that makes or removes an object of System V. The call passes unless the objects of its sandbox
/// could take too much memory (`ObjectBudget`).
struct ObjectHandler: CallBoundHandler {
    /// The kernel gives this errno if a namespace has as many objects as it may have.
    static let withoutThread = CallStep.deny(errno: ENOSPC)

    let objects: SandboxObjects

    func handle(_ call: HeldCall, on listener: borrowing Descriptor) -> CallStep {
        objects.admits(call) ? .proceed : .deny(errno: ENOSPC)
    }
}

/// The budget of one sandbox.
final class SandboxObjects: Sendable {
    private let budget: Mutex<ObjectBudget?>
    private let processes: Int

    /// - Parameter isMemoryEnforced: whether a control group counts all memory of the sandbox. If so, there is no budget.
    init(_ limits: PolicyLimits, isMemoryEnforced: Bool) {
        budget = Mutex(isMemoryEnforced ? nil : ObjectBudget(limits))
        processes = limits.processes
    }

    func admits(_ call: HeldCall) -> Bool {
        guard let name = SystemCall(number: call.number)?.name,
            let request = ObjectBudget.Request(name, arguments: call.arguments, processes: processes)
        else { return true }
        return budget.withLock { $0?.admits(request) ?? true }
    }
}

/// How much memory one sandbox may still request for shared memory, semaphores and message queues of System V.
///
/// These objects belong to no process, so neither a limit of a process nor the broker's watch of memory counts them.
/// The kernel performs a call some time after this budget has admitted it, and a hostile program chooses the order of
/// its calls. So the charges are sufficient for every order:
///
/// - An object without a key is new. Each call that makes one is charged.
/// - A key has at most one object at a time. The first call with the key is charged. A later call is charged only if
///   its object may be larger than all earlier objects of the key, and only for the difference.
/// - Each removal lets some key make one more object. So a removal is charged with the largest object of all keys of
///   its kind.
struct ObjectBudget: Sendable {
    /// A call that makes an object, or removes one.
    enum Request: Hashable {
        case make(Kind, key: UInt32, bytes: UInt64)
        case remove(Kind)
    }

    /// The kinds of objects. Each kind has its own keys.
    enum Kind: Hashable {
        case segment, semaphores, queue
    }

    /// The keys of one kind.
    private struct Keys {
        var charged: [UInt32: UInt64] = [:]
        var largest: UInt64 = 0
        var removals: UInt64 = 0
    }

    private var left: UInt64
    private var keys: [Kind: Keys] = [:]

    /// - Parameter limits: the sandbox's limits. All its objects together may take as much memory as `limits.memory`.
    init(_ limits: PolicyLimits) { left = limits.memory }

    /// Charges a request.
    /// - Returns: whether the sandbox may make the call.
    mutating func admits(_ request: Request) -> Bool {
        switch request {
        // `IPC_PRIVATE`
        case .make(_, key: 0, let bytes): return charge(bytes)
        case .make(let kind, let key, let bytes): return make(kind, key: key, bytes: bytes)
        case .remove(let kind):
            guard charge(keys[kind]?.largest ?? 0) else { return false }
            keys[kind, default: Keys()].removals += 1
            return true
        }
    }

    private mutating func make(_ kind: Kind, key: UInt32, bytes: UInt64) -> Bool {
        var own = keys[kind] ?? Keys()
        let before = own.charged[key] ?? 0
        if bytes <= before { return true }
        // If this is the largest object of all keys, each earlier removal may have made room for an object of this
        // size. So each of these removals is charged again, for the difference.
        let growth = bytes > own.largest ? (bytes - own.largest).multipliedClamped(by: own.removals) : 0
        guard charge((bytes - before).addingClamped(growth)) else { return false }
        own.charged[key] = bytes
        own.largest = max(own.largest, bytes)
        keys[kind] = own
        return true
    }

    private mutating func charge(_ bytes: UInt64) -> Bool {
        guard bytes <= left else { return false }
        left -= bytes
        return true
    }
}

extension ObjectBudget.Request {
    /// Reads a call from its registers.
    /// - Parameter processes: how many processes the sandbox may have. For each process, the kernel can keep one
    ///   value per semaphore. With these values, the kernel restores the semaphores at the end of the process
    ///   (`SEM_UNDO`).
    /// - Returns: nil if the call neither makes nor removes an object.
    init?(_ call: String, arguments: [UInt64], processes: Int) {
        let registers = arguments.map { UInt32(truncatingIfNeeded: $0) }
        switch call {
        case "shmget":
            self.init(.segment, key: registers[0], flags: registers[2], bytes: Self.wholePages(arguments[1]))
        case "semget":
            let bytes = Self.semaphores(UInt64(registers[1]), processes: UInt64(max(1, processes)))
            self.init(.semaphores, key: registers[0], flags: registers[2], bytes: bytes)
        case "msgget": self.init(.queue, key: registers[0], flags: registers[1], bytes: Self.queue)
        case "shmctl": self.init(.segment, command: registers[1])
        case "semctl": self.init(.semaphores, command: registers[2])
        case "msgctl": self.init(.queue, command: registers[1])
        default: return nil
        }
    }

    private init?(_ kind: ObjectBudget.Kind, key: UInt32, flags: UInt32, bytes: UInt64) {
        let isNew: UInt32 = 0o1000  // IPC_CREAT
        guard key == 0 || flags & isNew != 0 else { return nil }
        self = .make(kind, key: key, bytes: bytes)
    }

    private init?(_ kind: ObjectBudget.Kind, command: UInt32) {
        // IPC_RMID. The kernel ignores the bit IPC_64 of a command.
        guard command & ~0x100 == 0 else { return nil }
        self = .remove(kind)
    }

    /// The most bytes that the kernel's own structures take for one object.
    private static let least: UInt64 = 4_096
    /// The most memory of a message queue. A queue holds at most 16,384 messages (`MSGMNB`), even if they are empty.
    /// The kernel takes 64 bytes for an empty message. The contents of all messages together have at most 16,384
    /// bytes. 65,536 bytes are charged for them.
    private static let queue: UInt64 = 16_384 * 64 + 65_536

    private static func wholePages(_ bytes: UInt64) -> UInt64 {
        max(least, bytes.addingClamped(least - 1) / least * least)
    }

    /// A semaphore takes 64 bytes. For each process, the kernel keeps 96 bytes, plus 2 bytes per semaphore.
    private static func semaphores(_ count: UInt64, processes: UInt64) -> UInt64 {
        let restored = count.multipliedClamped(by: 2).addingClamped(96).multipliedClamped(by: processes)
        return least.addingClamped(count.multipliedClamped(by: 64)).addingClamped(restored)
    }
}
