package import AnnexLinux
internal import Glibc
internal import Synchronization

/// Answers the questions for names that the program in a sandbox asks. The socket is in the sandbox's own network, so
/// nobody else can ask.
package final class NameServer: Sendable {
    /// The most questions that are read in one turn of the loop.
    private static let turn = 16

    private let socket: Descriptor
    private let hosts: NamedHosts
    private let watch = Mutex<EventLoop.Watch?>(nil)

    /// Begins to answer.
    /// - Parameters:
    ///   - socket: a bound datagram socket that does not block.
    ///   - loop: the event loop that reads the questions.
    package init(
        _ socket: consuming Descriptor, of hosts: NamedHosts, on loop: EventLoop
    ) throws(SystemError) {
        self.socket = socket
        self.hosts = hosts
        let watch = try loop.watch(self.socket.number) { [weak self] _ in self?.receive() }
        self.watch.withLock { $0 = watch }
    }

    deinit { watch.withLock { $0.take() }?.cancel() }

    private func receive() {
        for _ in 0..<Self.turn {
            guard let (message, sender) = next() else { return }
            do throws(NameQuery.Mistake) {
                let query = try NameQuery(message)
                hosts.answer(query) { [weak self] answer in self?.send(query.message(answer), to: sender) }
            } catch {
                if case .unreadable(let answer) = error { send(answer, to: sender) }
            }
        }
    }

    /// The next question and the address of its sender; nil if none waits.
    private func next() -> (message: [UInt8], sender: [UInt8])? {
        var message = [UInt8](repeating: 0, count: 2_048)
        var sender = [UInt8](repeating: 0, count: 28)
        var size = socklen_t(sender.count)
        // SAFETY: the kernel writes at most the sizes of both arrays.
        let count = unsafe message.withUnsafeMutableBytes { room in
            unsafe sender.withUnsafeMutableBytes { address in
                unsafe recvfrom(
                    socket.number, room.baseAddress, room.count, Int32(MSG_DONTWAIT),
                    address.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
            }
        }
        guard count >= 0 else { return nil }
        return (Array(message.prefix(count)), Array(sender.prefix(Int(size))))
    }

    /// Sends an answer. If there is no room for it, the program asks again.
    private func send(_ message: [UInt8], to receiver: [UInt8]) {
        // SAFETY: the kernel reads the bytes of both arrays, and keeps none.
        _ = unsafe message.withUnsafeBytes { bytes in
            unsafe receiver.withUnsafeBytes { address in
                unsafe sendto(
                    socket.number, bytes.baseAddress, bytes.count,
                    Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL),
                    address.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(address.count))
            }
        }
    }
}
