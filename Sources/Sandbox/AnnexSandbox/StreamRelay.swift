internal import AnnexLaunch
internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Reads bytes from a descriptor on a separate thread and passes them on in order. If the receiver is slow, the
/// remaining bytes wait in the pipe. When the pipe is full, the program that writes into it waits too.
final class StreamRelay: Sendable {
    /// Receives some bytes. Returns nil, or an errno if the receiver accepts no more bytes.
    typealias Sink = @Sendable ([UInt8]) -> Int32?

    private static let piece = 1 << 16

    private let source: Mutex<Descriptor?>
    private let sink: Mutex<Sink?>
    private let thread = Mutex<WorkerThread?>(nil)
    private let ending = Mutex<(isDone: Bool, job: (@Sendable () -> Void)?)>((false, nil))
    /// SYNC: relaxed, because only `finish` reads the value, after it has joined the thread that stores the value.
    private let failure = Atomic<Int32>(0)

    /// - Parameters:
    ///   - source: the descriptor to read. The relay closes it when the source ends, or when the sink accepts no more
    ///     bytes. If the source is a pipe, the pipe's writer gets EPIPE from then on.
    ///   - sink: the receiver. It is released when the relay closes the source.
    init(from source: consuming Descriptor, sink: @escaping Sink) throws(SystemError) {
        self.source = Mutex(consume source)
        self.sink = Mutex(sink)
        var started: WorkerThread? = try WorkerThread("annex-relay") { [self] in carry() }
        thread.withLock { $0 = started.take() }
    }

    /// Makes a relay that writes into another descriptor. At the end of the source, the relay closes that descriptor,
    /// so that the reader of the other descriptor sees the end too.
    /// - Parameter seeing: gets each part of the bytes before that part is written.
    convenience init(
        from source: consuming Descriptor, to target: consuming Descriptor,
        seeing: (@Sendable ([UInt8]) -> Void)? = nil
    ) throws(SystemError) {
        let held = Mutex<Descriptor?>(consume target)
        try self.init(from: source) { bytes in
            seeing?(bytes)
            return held.withLock { target in
                switch target {
                case .some(let target): Self.write(bytes, to: target)
                case .none: EPIPE
                }
            }
        }
    }

    /// Waits until the source has ended and all of its bytes have been passed on, or until the sink accepts no more
    /// bytes.
    /// - Returns: the errno with which the sink refused bytes; nil if the sink accepted all bytes.
    func finish() -> Int32? {
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
        let number = failure.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Whether the relay has ended, so that it passes on no more bytes. If so, `finish` returns without waiting for
    /// bytes.
    var isDone: Bool { ending.withLock { $0.isDone } }

    /// Calls `job` when the relay ends and passes on no more bytes. If the relay has already ended, `job` is called
    /// at once.
    func whenDone(_ job: @escaping @Sendable () -> Void) {
        let isDone = ending.withLock { ending in
            if !ending.isDone { ending.job = job }
            return ending.isDone
        }
        if isDone { job() }
    }

    private func carry() {
        carryAll()
        let job = ending.withLock { ending in
            ending.isDone = true
            return ending.job.take()
        }
        job?()
    }

    private func carryAll() {
        guard let source = source.withLock({ $0.take() }), let sink = sink.withLock({ $0.take() }) else { return }
        while let bytes = Self.read(source), !bytes.isEmpty {
            guard let errno = sink(bytes) else { continue }
            return failure.store(errno, ordering: .relaxed)
        }
    }

    /// The next bytes; empty or nil at the end of the source. A read that fails also counts as the end. For example,
    /// if all descriptors of a terminal's other end are closed, reading the terminal fails with EIO. On EAGAIN, this
    /// function waits for bytes.
    private static func read(_ source: borrowing Descriptor) -> [UInt8]? {
        while true {
            do throws(SystemError) {
                return try source.readSome(atMost: piece)
            } catch {
                guard error.errno == EAGAIN, wait(source, for: POLLIN) else { return nil }
            }
        }
    }

    /// Writes all bytes. Another process may share the target's open file description, and may have made that
    /// description non-blocking. So on EAGAIN, this function waits for room.
    /// - Returns: the errno of the failure; nil if all bytes were written.
    static func write(_ bytes: [UInt8], to target: borrowing Descriptor) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                // SAFETY: write reads no further than the buffer's own count.
                unsafe Glibc.write(target.number, buffer.baseAddress, buffer.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                guard wait(target, for: POLLOUT) else { return EIO }
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    private static func wait(_ descriptor: borrowing Descriptor, for event: Int32) -> Bool {
        var entry = pollfd(fd: descriptor.number, events: Int16(event), revents: 0)
        // SAFETY: there is one entry, and only the call writes to it.
        return unsafe poll(&entry, 1, -1) >= 0 || errno == EINTR
    }
}
