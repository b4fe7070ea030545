internal import AnnexModel
internal import AnnexPortal
internal import Synchronization

extension SharedDefaults {
    /// A stream of the keys whose values change from now on, in this process or in another one. Changes that follow one
    /// another closely may arrive together.
    ///
    /// The stream ends if the broker ends. If the caller is slow, the sets of keys wait in the stream, so no key is
    /// lost.
    public func changes() -> AsyncStream<Set<String>> {
        let (stream, continuation) = AsyncStream.makeStream(of: Set<String>.self)
        let watch = DefaultsWatch(of: self, reportingTo: continuation)
        let number = DefaultsWatches.add(watch, through: group.portal)
        continuation.onTermination = { _ in DefaultsWatches.remove(number) }
        watch.start()
        return stream
    }
}

/// One stream of changes. This object compares the values at two moments, to find the keys whose values have changed.
final class DefaultsWatch: Sendable {
    let defaults: SharedDefaults
    private let continuation: AsyncStream<Set<String>>.Continuation
    private let comparison = CatchUp()
    private let last: Mutex<[String: ItemValue]>

    init(of defaults: SharedDefaults, reportingTo continuation: AsyncStream<Set<String>>.Continuation) {
        self.defaults = defaults
        self.continuation = continuation
        last = Mutex(defaults.values)
    }

    /// Asks the broker for news of changes, and compares the values at once. This comparison finds changes that were
    /// made before the broker handled the request.
    func start() {
        let group = defaults.group
        do throws(PortalError) {
            try group.portal.tell(DefaultsMethod.watch, group: group.identifier)
            compare()
        } catch {
            continuation.finish()
        }
    }

    /// Ends the stream.
    func finish() { continuation.finish() }

    func compare() { comparison.ask { [self] in await compareOnce() } }

    private func compareOnce() async {
        let group = defaults.group
        do throws(PortalError) {
            let answer = try await group.portal.callLater(
                DefaultsMethod.snapshot, group: group.identifier)
            report(try SharedDefaults.snapshot(in: answer).values)
        } catch {
            if error.code == .gone { continuation.finish() }
        }
    }

    private func report(_ values: [String: ItemValue]) {
        let keys = last.withLock { last in
            let old = last
            last = values
            return Set(values.keys.filter { values[$0] != old[$0] }).union(old.keys.filter { values[$0] == nil })
        }
        if !keys.isEmpty { continuation.yield(keys) }
    }
}

/// The open streams of this process.
enum DefaultsWatches {
    private struct State {
        var watches: [UInt64: DefaultsWatch] = [:]
        var last: UInt64 = 0
    }

    private static let state = Mutex(State())

    static func add(_ watch: DefaultsWatch, through portal: PortalClient) -> UInt64 {
        portal.handle(.defaults) { [weak portal] in
            for watch in all where watch.defaults.group.portal === portal { watch.finish() }
        } with: { group, _ in
            for watch in all where watch.defaults.group.identifier == group { watch.compare() }
        }
        return state.withLock { state in
            state.last += 1
            state.watches[state.last] = watch
            return state.last
        }
    }

    static func remove(_ number: UInt64) {
        let removed = state.withLock { $0.watches.removeValue(forKey: number) }
        withExtendedLifetime(removed) {}
    }

    private static var all: [DefaultsWatch] { state.withLock { Array($0.watches.values) } }
}
