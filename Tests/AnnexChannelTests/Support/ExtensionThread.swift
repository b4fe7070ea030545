import AnnexChannel
import AnnexLinux
import Glibc
import Synchronization

/// The extension's end of a channel on a thread of this process. It runs the same code as in a separate process.
final class ExtensionThread: Sendable {
    /// Asks an extension of these tests to end its loop.
    static let endMethod: UInt16 = 0xFFFF

    private let thread = Mutex<pthread_t?>(nil)
    private let body: Mutex<(@Sendable () -> Void)?>

    /// Runs `body` with the extension's end on a separate thread.
    init(
        _ descriptors: consuming ExtensionDescriptors, waiting: WaitingStyle = .adaptive,
        _ body: @escaping @Sendable (borrowing ExtensionEndpoint) throws -> Void
    ) {
        let held = Mutex<ExtensionDescriptors?>(descriptors)
        let box = Box(held)
        self.body = Mutex {
            guard let descriptors = box.value.withLock({ $0.take() }) else { return }
            do {
                let endpoint = try ExtensionEndpoint(descriptors, waiting: waiting)
                try body(endpoint)
            } catch {
                print("extension thread ended: \(error)")
            }
        }
        start()
    }

    /// An honest extension that answers every request with its own bytes.
    static func echoing(
        _ descriptors: consuming ExtensionDescriptors, waiting: WaitingStyle = .adaptive, features: UInt64 = 0
    ) -> ExtensionThread {
        ExtensionThread(descriptors, waiting: waiting) { endpoint in
            try endpoint.sayHello(features: features)
            try endpoint.serve { request in
                let payload = request.payload
                try request.reply(payload)
            }
        }
    }

    /// A thread that acts as a peer without the library.
    init(raw body: @escaping @Sendable () -> Void) {
        self.body = Mutex(body)
        start()
    }

    func join() {
        guard let handle = thread.withLock({ $0.take() }) else { return }
        pthread_join(handle, nil)
    }

    private func start() {
        var handle = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        pthread_create(
            &handle, nil,
            { context in
                guard let context else { return nil }
                let me = Unmanaged<ExtensionThread>.fromOpaque(context).takeRetainedValue()
                me.body.withLock { $0.take() }?()
                return nil
            }, context)
        thread.withLock { $0 = handle }
    }
}

/// Holds a value that cannot be copied, so that a closure can pass it to another thread.
final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Mutex<Value?>

    init(_ value: consuming Mutex<Value?>) {
        self.value = value
    }
}

extension ExtensionEndpoint {
    /// Answers requests until the host sends the event that ends the extensions of these tests.
    borrowing func serve(_ answer: (consuming IncomingRequest) throws -> Void) throws {
        while let incoming = try next() {
            switch consume incoming {
            case .request(let request): try answer(request)
            case .event(let event): if event.method == ExtensionThread.endMethod { return }
            }
        }
    }
}

extension HostEndpoint {
    /// Makes the extension of a test return from `serve`, and waits for it.
    func finish(_ thread: ExtensionThread) {
        try? sendAndWait(ChannelEvent(method: ExtensionThread.endMethod, payload: []))
        thread.join()
        end(with: "the test is over")
    }
}
