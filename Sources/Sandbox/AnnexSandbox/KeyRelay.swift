internal import AnnexLaunch
internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Carries the keys of this process's terminal to the sandbox's terminal, on a thread of its own.
///
/// The thread reads keys only while this process is in the foreground. In the background, the keys belong to another
/// program, which is usually the shell.
final class KeyRelay: Sendable {
    enum Readiness {
        case now, later, never
    }

    /// How often a background job checks whether it is in the foreground. Shells send no signal to a running job that
    /// comes to the foreground.
    private static let pause: UInt32 = 200_000
    private static let piece = 4_096

    private let caller: CallersTerminal
    private let target: Descriptor
    private let readiness: @Sendable () -> Readiness
    private let seen: @Sendable ([UInt8]) -> Void

    /// - Parameters:
    ///   - readiness: whether keys are wanted now. The thread calls this closure before each wait for keys, and again
    ///     after the wait.
    ///   - seen: gets the keys before they are passed on.
    private init(
        from caller: CallersTerminal, to target: consuming Descriptor,
        readiness: @escaping @Sendable () -> Readiness, seen: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.caller = caller
        self.target = target
        self.readiness = readiness
        self.seen = seen
    }

    /// Starts to carry keys. The thread ends if the terminal is hung up, or if the program's terminal takes no more
    /// keys.
    static func start(
        from caller: CallersTerminal, to target: consuming Descriptor,
        readiness: @escaping @Sendable () -> Readiness, seen: @escaping @Sendable ([UInt8]) -> Void
    ) throws(SystemError) {
        let relay = KeyRelay(from: caller, to: target, readiness: readiness, seen: seen)
        _ = try WorkerThread("annex-keys") { relay.carry() }
    }

    private func carry() {
        guard let number = caller.keys else { return }
        while !isHungUp(number) {
            switch readiness() {
            case .never: return
            case .later: usleep(Self.pause)
            case .now:
                // After the wait, the keys may belong to another program, or this process may be about to end.
                guard wait(number), readiness() == .now else { continue }
                guard let keys = read(number) else { return }
                if keys.isEmpty { continue }
                seen(keys)
                if StreamRelay.write(keys, to: target) != nil { return }
            }
        }
    }

    /// Waits for keys.
    private func wait(_ number: Int32) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        // SAFETY: there is one entry, and only the call writes to it.
        return unsafe poll(&entry, 1, -1) > 0
    }

    private func isHungUp(_ number: Int32) -> Bool {
        var entry = pollfd(fd: number, events: 0, revents: 0)
        // SAFETY: there is one entry, and only the call writes to it.
        return unsafe poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
    }

    /// The next keys; empty if there are none yet, nil if the terminal will give no more keys.
    private func read(_ number: Int32) -> [UInt8]? {
        var room = [UInt8](repeating: 0, count: Self.piece)
        // SAFETY: read writes at most the array's size.
        let count = unsafe Glibc.read(number, &room, room.count)
        let error = errno
        if count > 0 { return Array(room.prefix(count)) }
        // EIO and a read of zero bytes do not always mean that the terminal is hung up. EIO may also mean that this
        // process was moved to the background just before the read. A key such as Ctrl-D, which ends the input, also
        // causes a read of zero bytes.
        let isOver = isHungUp(number) || (count < 0 && ![EINTR, EAGAIN, EIO].contains(error))
        return isOver ? nil : []
    }
}
