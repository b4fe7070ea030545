internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import Synchronization

/// Extensions launched ahead: each in its sandbox, past its hello, asleep, so that a request costs one message.
///
/// ```swift
/// let editors = try host.standby(for: "com.example.pictures.editor")
/// let answer = try await editors.request([ExtensionItem(contentText: "hello")])
/// ```
///
/// It is sized by demand: who finds nobody parked makes it keep one more, up to its upper bound, and those that were not
/// needed for half a minute are ended. It gives everything up where the kernel says that memory is short, and a parked
/// extension's place goes to whoever finds none; it takes none from others itself. What its lower bound lacks is launched
/// as soon as that succeeds, a minute after the last try at the latest. A parked extension costs no wake-up.
///
/// A session gets a process that has seen no other, always. A single `request` may get one that has served this host
/// before, where the extension's policy has a `keep-alive`; otherwise each has a process of its own.
///
/// When the last reference goes, so do those that are parked.
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

    /// After which those that were not needed go.
    private static let period = Duration.seconds(30)
    /// Who was just taken shall have the processor for his first request.
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
        // A kernel that measures no pressure leaves the demand alone to size it.
        let watch = try? MemoryPressure(on: loop) { [weak self] in self?.giveUp() }
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

    /// How many wait to be taken at this moment.
    public var count: Int { room.withLock { $0.count } }

    /// Ends everybody who is parked; the next request launches anew. Happens by itself where memory is short. After half a
    /// minute to a minute without another one, the lower bound counts again.
    public func giveUp() {
        for session in room.withLock({ $0.empty() }) { session.dismiss() }
        awaitRest()
    }

    // MARK: Taking

    /// A parked extension that was not used yet, or nil.
    func takeFresh() -> ExtensionSession? { take { $0.takeFresh() } }

    /// A parked extension that may be used for a single request, or nil.
    func takeAny() -> ExtensionSession? { take { $0.takeAny() } }

    /// What is taken is still to be claimed: its place may just have been given to another, or it has ended. Then so have
    /// the others, most likely.
    private func take(_ choose: (inout StandbyPool<ExtensionSession>) -> ExtensionSession?) -> ExtensionSession? {
        defer { fill(after: Self.rest) }
        return room.withLock { choose(&$0) }
    }

    /// Launches one.
    nonisolated(nonsending) func launch(
        for purpose: LaunchPurpose = .request
    ) async throws(HostError) -> ExtensionSession {
        noted(try await host.start(wish, for: purpose, configure))
    }

    /// The same for code without Swift concurrency.
    func launchAndWait() throws(HostError) -> ExtensionSession {
        noted(try host.startAndWait(wish, for: .request, configure))
    }

    /// One that ends, parked or not, is not kept.
    private func noted(_ session: ExtensionSession) -> ExtensionSession {
        session.link.ended.whenReached { [weak self, weak session] _ in
            if let self, let session { forget(session) }
        }
        return session
    }

    private func forget(_ session: ExtensionSession) {
        if room.withLock({ $0.remove(session) }) { refill() }
    }

    /// One that has served a single request: parked once more, or done.
    func finish(_ session: ExtensionSession) {
        guard keepAlive > .zero, session.termination == nil else {
            lose()
            return session.link.tell { $0.dismiss(completed: true) }
        }
        // First: whoever takes it claims it.
        session.link.tell { $0.park() }
        let until = MonotonicClock.deadline(after: keepAlive)
        guard room.withLock({ $0.putBack(session, until: until) }) else {
            return session.link.tell { $0.dismiss(completed: true) }
        }
        forgetIfEnded(session)
        awaitExpiry()
    }

    /// A single request is over, and nobody comes back from it.
    func lose() {
        room.withLock { $0.lost() }
        refill()
    }

    /// Its end may have been told before it was parked, when there was nobody to be taken out.
    private func forgetIfEnded(_ session: ExtensionSession) {
        if session.termination != nil { forget(session) }
    }

    // MARK: Launching ahead

    /// What the lower bound lacks comes by itself.
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
                // A launch is prepared on the thread that asks for it, and this one serves every channel.
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
                // Told to whoever asks next: he launches himself.
                room.withLock { $0.failed() }
                return refill()
            }
        }
    }

    private func park(_ session: ExtensionSession) {
        session.link.tell { $0.park() }
        guard room.withLock({ $0.launched(session) }) else { return session.dismiss() }
        forgetIfEnded(session)
    }

    // MARK: Letting go

    /// Sets the timer after which those that were not needed go, where there is anybody who may.
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

    /// Sets the timer after which the longest used one has waited for as long as it may.
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
    /// Nobody has asked it anything.
    fileprivate func dismiss() {
        link.tell { $0.dismiss(completed: false) }
    }
}
