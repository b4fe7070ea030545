internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import Synchronization

/// A stock of extensions that are launched ahead of requests.
///
/// Each extension is in its sandbox, has said hello and sleeps. So a request needs only one message, and no launch.
///
/// ```swift
/// let editors = try await host.standby(for: "com.example.pictures.editor")
/// let answer = try await editors.request([ExtensionItem(contentText: "hello")])
/// ```
///
/// The stock follows demand. Its target is the number of extensions that should be parked. A request that finds no
/// parked extension raises the target by one, up to the upper bound. Extensions that were not needed for half a minute
/// are ended. If fewer extensions are parked than the lower bound, the missing extensions are launched. A failed launch
/// is repeated after a pause of at most a minute.
///
/// If the kernel reports that memory is short, all parked extensions are ended. A launch that finds no free instance
/// slot may take a parked extension's slot. A launch ahead of requests uses only a free slot. A parked extension causes
/// no wake-ups.
///
/// A session always gets a process that has served no request before. A single `request` also gets a process that has
/// served no request, unless the extension's policy has a `keep-alive`. With `keep-alive`, the request may get a
/// process that has served this host before.
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

    /// The length of a period. At the end of a period, the extensions that were not needed during the period are ended.
    private static let period = Duration.seconds(30)
    /// The delay before the launch of a replacement. Because of this delay, the launch does not compete for the
    /// processor with the first request to the extension that was just taken.
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
        // Some kernels do not measure memory pressure. In that case, the stock follows only the demand.
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

    /// Ends all parked extensions. The next request launches a new extension. If memory is short, the standby itself
    /// ends all parked extensions, and they end with the reason `memoryPressure`.
    ///
    /// After such a call, the standby waits between half a minute and a minute. Then it launches extensions up to the
    /// lower bound again. A further call extends this wait.
    public func giveUp() {
        giveUp(for: .cancelled)
    }

    /// L8 in `Docs/SPECIFICATION.md`: under memory pressure, idle extensions end first, and memory pressure is the
    /// reason of their end.
    package func giveUp(for dismissal: Dismissal) {
        for session in room.withLock({ $0.empty() }) { session.link.report { $0.dismiss(for: dismissal) } }
        awaitRest()
    }

    // MARK: Taking

    /// A parked extension that has served no request; nil if there is none.
    func popFresh() -> ExtensionSession? { pop { $0.popFresh() } }

    /// A parked extension for a single request. It may have served requests before. The result is nil if no extension
    /// is parked.
    func popAny() -> ExtensionSession? { pop { $0.popAny() } }

    /// Takes a parked extension, which the caller must then claim. The claim fails if the extension has ended or
    /// another launch has taken its slot. In that case, the other parked extensions have most likely ended too, so the
    /// caller launches a new extension.
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

    /// Does the same as `launch`, for code without Swift concurrency.
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

    /// Parks an extension that has served a single request. If the extension must not be reused, it is ended.
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

    /// Records that a single request is over and that its extension does not return to the stock.
    func lose() {
        room.withLock { $0.lost() }
        refill()
    }

    /// Removes an extension that ended before it was in the stock. When the extension ended, `forget` did not find it
    /// in the stock.
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
                // Preparing a launch keeps its thread busy. The event loop's thread serves every channel, so a task
                // prepares the launch.
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
                // The failure is not reported here. The next request launches an extension itself and gets the error.
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

    /// Sets the timer that ends extensions that no request needed. If a period without requests would change nothing,
    /// no timer is set.
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
