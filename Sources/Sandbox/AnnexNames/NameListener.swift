package import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Answers the questions for names that the program in a sandbox asks over TCP. A program that may send no datagrams
/// asks in this way.
package final class NameListener: Sendable {
    /// The most connections at once. If there is one more, the oldest one ends.
    static let most = 16

    private let socket: Descriptor
    private let hosts: NamedHosts
    private let loop: EventLoop
    private let watch = Mutex<EventLoop.Watch?>(nil)
    private let connections = Mutex<[NameConnection]>([])

    /// Begins to answer.
    /// - Parameters:
    ///   - socket: a listening socket that does not block.
    ///   - loop: the event loop that reads the questions.
    package init(
        _ socket: consuming Descriptor, of hosts: NamedHosts, on loop: EventLoop
    ) throws(SystemError) {
        self.socket = socket
        (self.hosts, self.loop) = (hosts, loop)
        try listen()
    }

    deinit { watch.withLock { $0.take() }?.cancel() }

    private func listen() throws(SystemError) {
        let watch = try loop.watch(socket.number) { [weak self] _ in self?.accept() }
        self.watch.withLock { $0 = watch }
    }

    private func accept() {
        for _ in 0..<Self.most {
            let taken = annex_local_accept(socket.number)
            guard taken >= 0 else {
                if taken != -EAGAIN { pause() }
                return
            }
            add(Descriptor(owning: taken))
        }
    }

    private func add(_ descriptor: consuming Descriptor) {
        let made = NameConnection(descriptor, of: hosts) { [weak self] over in
            self?.connections.withLock { all in all.removeAll { $0 === over } }
        }
        let oldest = connections.withLock { all -> NameConnection? in
            all.append(made)
            return all.count > Self.most ? all.removeFirst() : nil
        }
        oldest?.end()
        made.begin(on: loop)
    }

    /// Looks at the socket again a moment later, for example if this process has no descriptor left.
    private func pause() {
        watch.withLock { $0.take() }?.cancel()
        loop.schedule(after: .milliseconds(100)) { [weak self] in try? self?.listen() }
    }
}

/// One connection of a program to its resolver. Before each question and each answer comes its size, in two bytes.
final class NameConnection: Sendable {
    /// The longest question, in bytes, and the most questions that wait for their answers. A program that asks more
    /// loses the connection.
    fileprivate static let (longest, mostOpen) = (1_232, 64)

    fileprivate struct State {
        var watch: EventLoop.Watch?
        /// The beginning of the next question.
        var held: [UInt8] = []
        var open = 0
        /// Whether the program has said that it asks no more.
        var hasAskedAll = false
        var isOver = false
    }

    private let socket: Descriptor
    private let hosts: NamedHosts
    private let ended: @Sendable (NameConnection) -> Void
    private let state = Mutex(State())

    /// - Parameter ended: called once, when the connection is over.
    init(
        _ socket: consuming Descriptor, of hosts: NamedHosts, ended: @escaping @Sendable (NameConnection) -> Void
    ) {
        self.socket = socket
        (self.hosts, self.ended) = (hosts, ended)
    }

    deinit { state.withLock { $0.watch.take() }?.cancel() }

    func begin(on loop: EventLoop) {
        do throws(SystemError) {
            let watch = try loop.watch(socket.number) { [weak self] _ in self?.receive() }
            let isOver = state.withLock { state in
                if !state.isOver { state.watch = watch }
                return state.isOver
            }
            if isOver { watch.cancel() }
        } catch {
            end()
        }
    }

    func end() {
        let watch = state.withLock { state -> EventLoop.Watch?? in
            if state.isOver { return .none }
            state.isOver = true
            return .some(state.watch.take())
        }
        guard let watch else { return }
        watch?.cancel()
        _ = shutdown(socket.number, Int32(SHUT_RDWR))
        ended(self)
    }

    private func receive() {
        do throws(SystemError) {
            // A turn of the loop takes about as many questions here as of datagrams.
            let bytes = try socket.readSome(atMost: 512)
            if bytes.isEmpty { return endReading() }
            guard let questions = state.withLock({ $0.take(bytes) }) else { return end() }
            for question in questions where !state.withLock({ $0.isOver }) { answer(question) }
        } catch {
            if error.errno != EAGAIN { end() }
        }
    }

    /// Reads no more. The program gets the answers to its questions all the same.
    private func endReading() {
        let (watch, isLast) = state.withLock { state in
            state.hasAskedAll = true
            return (state.watch.take(), state.open == 0)
        }
        watch?.cancel()
        if isLast { end() }
    }

    private func answer(_ question: [UInt8]) {
        do throws(NameQuery.Mistake) {
            let query = try NameQuery(question)
            let isTooMuch = state.withLock { state in
                state.open += 1
                return state.open > Self.mostOpen
            }
            if isTooMuch { return end() }
            hosts.answer(query) { [weak self] answer in
                guard let self else { return }
                send(query.message(answer))
                let isLast = state.withLock { state in
                    state.open -= 1
                    return state.hasAskedAll && state.open == 0
                }
                if isLast { end() }
            }
        } catch {
            if case .unreadable(let answer) = error { send(answer) } else { end() }
        }
    }

    /// Sends an answer. A program that does not read its answers loses the connection.
    private func send(_ message: [UInt8]) {
        let bytes = [UInt8(message.count >> 8 & 0xFF), UInt8(message.count & 0xFF)] + message
        // SAFETY: the kernel reads the bytes, and keeps none.
        let sent = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(
                socket.number, bytes.baseAddress, bytes.count,
                Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        if sent != bytes.count { end() }
    }
}

extension NameConnection.State {
    /// The questions that are whole now; nil if one is too long.
    fileprivate mutating func take(_ bytes: [UInt8]) -> [[UInt8]]? {
        held += bytes
        var questions: [[UInt8]] = []
        while held.count >= 2 {
            let size = Int(held[0]) << 8 | Int(held[1])
            guard size <= NameConnection.longest else { return nil }
            guard held.count >= 2 + size else { break }
            questions.append(Array(held[2..<(2 + size)]))
            held.removeFirst(2 + size)
        }
        return questions
    }
}
