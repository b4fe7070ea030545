internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import Synchronization

/// A stock of extensions that are launched ahead of requests.
///
/// Each is in its sandbox, has said hello and sleeps, so that a request costs one message instead of a launch.
///
/// ```swift
/// let editors = try host.standby(for: "com.example.pictures.editor")
/// let answer = try await editors.request([ExtensionItem(contentText: "hello")])
/// ```
///
/// The stock follows demand. A request that finds no parked extension raises the target by one, up to the upper bound.
/// Extensions that were not needed for half a minute are ended. If fewer are parked than the lower bound, the missing
/// ones are launched. A failed launch is repeated after a pause of at most a minute.
///
/// If the kernel reports that memory is short, all parked extensions are ended. A launch that finds no free instance
/// slot may take a parked extension's slot; launching ahead uses free slots only. A parked extension costs no wake-up.
///
/// A session always gets a process that has served no request before. A single `request` gets such a process too,
/// unless the extension's policy has a `keep-alive`. In that case the request may get a process that has served this
/// host before.
///
/// Releasing the last reference to the standby ends its parked extensions.
public final class Standby: Sendable {
    /// The extension's bundle identifier.
    public let identifier: String
    private let wish: LaunchWish
    private let host: AnnexHost
    private let configure: @Sendable (inout ChannelConfiguration) -> Void
    let keepAlive: Duration
    private let loop: EventLoop
    private let room: Mutex<StandbyPool<ExtensionSession>>
    private let timers = Mutex(Timers())
    private let pressure = Mutex<MemoryPressure?>(nil)

    private struct Timers {
        var period: EventLoop.Timer?
        var filling: (timer: EventLoop.Timer, due: UInt64)?
        var expiry: EventLoop.Timer?
    }

    /// After each period, the extensions that were not needed in it are ended.
    private static let period = Duration.seconds(30)
    /// How long the launch of a replacement is delayed. Thus the launch does not compete for the processor with the
    /// first request to the extension that was just taken.
    private static let rest = Duration.milliseconds(20)

    init(
        _ wish: LaunchWish, keeping bounds: ClosedRange<Int>, keepAlive: Duration, on host: AnnexHost,
        _ configure: @escaping @Sendable (inout ChannelConfiguration) -> Void
    ) throws(SystemError) {
        identifier = wish.identifier
        self.wish = wish
        self.host = host
        self.configure = configure
        self.keepAlive = keepAlive
        loop = try EventLoop.shared()
        room = Mutex(StandbyPool(keeping: bounds, reuses: keepAlive > .zero))
        // Some kernels measure no memory pressure; the stock then follows demand alone.
        let watch = try? MemoryPressure(on: loop) { [weak self] in self?.giveUp(for: .memoryPressure) }
        pressure.withLock { $0 = watch }
        fill(after: .zero)
    }

    deinit {
        timers.withLock { timers in
            timers.period?.cancel()
            timers.filling?.timer.cancel()
            timers.expiry?.cancel()
        }
        for session in room.withLock({ $0.close() }) { session.dismiss() }
    }

    /// How many extensions are parked at this moment.
    public var count: Int { room.withLock { $0.count } }

    /// Ends all parked extensions. The next request then launches a new one. If memory is short, the standby does this
    /// by itself, and the extensions end with the reason `memoryPressure`.
    ///
    /// After such a call, the lower bound does not count for half a minute to a minute. A further call prolongs this
    /// time.
    public func giveUp() {
        giveUp(for: .cancelled)
    }

    /// L8: under memory pressure idle extensions end first, and that is their reason.
    package func giveUp(for dismissal: Dismissal) {
        for session in room.withLock({ $0.empty() }) { session.link.report { $0.dismiss(for: dismissal) } }
        awaitRest()
    }

    // MARK: Taking

    /// A parked extension that has served no request; nil if there is none.
    func popFresh() -> ExtensionSession? { pop { $0.popFresh() } }

    /// A parked extension for a single request, used or not; nil if there is none.
    func popAny() -> ExtensionSession? { pop { $0.popAny() } }

    /// Takes a parked extension, which the caller must then claim. The claim fails if the extension has ended or
    /// another launch has taken its slot. In that case the other parked ones have most likely ended too, so the caller
    /// launches a new one.
    private func pop(_ choose: (inout StandbyPool<ExtensionSession>) -> ExtensionSession?) -> ExtensionSession? {
        defer { fill(after: Self.rest) }
        return room.withLock { choose(&$0) }
    }

    /// Launches an extension.
    nonisolated(nonsending) func launch(
        for purpose: LaunchPurpose = .request
    ) async throws(HostError) -> ExtensionSession {
        watched(try await host.start(wish, for: purpose, configure))
    }

    /// The same for code without Swift concurrency.
    func launchAndWait() throws(HostError) -> ExtensionSession {
        watched(try host.startAndWait(wish, for: .request, configure))
    }

    /// Removes the session from the stock when its extension ends.
    private func watched(_ session: ExtensionSession) -> ExtensionSession {
        session.link.ended.whenReached { [weak self, weak session] _ in
            if let self, let session { forget(session) }
        }
        return session
    }

    private func forget(_ session: ExtensionSession) {
        if room.withLock({ $0.remove(session) }) { refill() }
    }

    /// Parks an extension again that has served a single request, or ends it if it must not be reused.
    func finish(_ session: ExtensionSession) {
        guard keepAlive > .zero, session.termination == nil else {
            lose()
            return session.link.report { $0.dismiss(for: .completed) }
        }
        // The broker must know that the extension is parked before another request can take and claim it.
        session.link.report { $0.park() }
        let until = MonotonicClock.deadline(after: keepAlive)
        guard room.withLock({ $0.putBack(session, until: until) }) else {
            return session.link.report { $0.dismiss(for: .completed) }
        }
        forgetIfEnded(session)
        awaitExpiry()
    }

    /// Records that a single request is over and that its extension does not come back.
    func lose() {
        room.withLock { $0.lost() }
        refill()
    }

    /// Removes an extension that ended before it was in the stock. At its end, `forget` could not find it there.
    private func forgetIfEnded(_ session: ExtensionSession) {
        if session.termination != nil { forget(session) }
    }

    // MARK: Launching ahead

    /// Launches extensions if fewer are parked than the lower bound.
    private func refill() {
        if let pause = room.withLock({ $0.pause }) { fill(after: max(pause, Self.rest)) }
    }

    private func fill(after delay: Duration) {
        let due = MonotonicClock.deadline(after: delay)
        timers.withLock { timers in
            if let (timer, earlier) = timers.filling {
                guard due < earlier else { return }
                timer.cancel()
            }
            let timer = loop.schedule(at: due) { [weak self] in
                self?.timers.withLock { $0.filling = nil }
                // Preparing a launch takes time on its thread, and the event loop's thread serves every channel.
                Task.detached(priority: .utility) { [weak self] in await self?.fill() }
            }
            timers.filling = (timer, due)
        }
    }

    private func fill() async {
        defer { awaitRest() }
        room.withLock { $0.startRound() }
        while room.withLock({ $0.startLaunch() }) {
            do throws(HostError) {
                let session = try await launch(for: .ahead)
                try await session.becomeReady()
                park(session)
            } catch {
                // The failure is not reported here: the next request launches an extension itself and gets the error.
                room.withLock { $0.failed() }
                return refill()
            }
        }
    }

    private func park(_ session: ExtensionSession) {
        session.link.report { $0.park() }
        guard room.withLock({ $0.launched(session) }) else { return session.dismiss() }
        forgetIfEnded(session)
    }

    // MARK: Ending surplus extensions

    /// Sets the timer that ends extensions without demand. No timer is set if a period without requests would change
    /// nothing.
    private func awaitRest() {
        guard room.withLock({ $0.mayShrink }) else { return }
        timers.withLock { timers in
            guard timers.period == nil else { return }
            timers.period = loop.schedule(after: Self.period) { [weak self] in
                guard let self else { return }
                self.timers.withLock { $0.period = nil }
                for session in room.withLock({ $0.shrink() }) { session.dismiss() }
                refill()
                awaitRest()
            }
        }
    }

    /// Sets the timer for the moment at which the first `keep-alive` is over.
    private func awaitExpiry() {
        guard let due = room.withLock({ $0.nextDue }) else { return }
        timers.withLock { timers in
            guard timers.expiry == nil else { return }
            timers.expiry = loop.schedule(at: due) { [weak self] in
                guard let self else { return }
                self.timers.withLock { $0.expiry = nil }
                for session in room.withLock({ $0.expire(at: MonotonicClock.now()) }) { session.dismiss() }
                refill()
                awaitExpiry()
            }
        }
        awaitRest()
    }
}

extension ExtensionSession {
    /// Ends an extension that no request uses.
    fileprivate func dismiss() {
        link.report { $0.dismiss(for: .cancelled) }
    }
}
