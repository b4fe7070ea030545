internal import AnnexMessages
public import AnnexModel
public import AnnexPortal
internal import Synchronization

/// Small values that all members of an app group share: settings, counters, the state of a view.
///
/// The broker keeps the values. A change is atomic and durable. After the call has returned, the change survives a
/// power failure, and each later read in any process returns the new value. If the values have not changed, a read
/// makes no system call. Apple's counterpart is `UserDefaults(suiteName:)`.
///
/// ```swift
/// let defaults = try SharedDefaults(suiteName: "group.com.example.todo")
/// defaults.register(["sorted": true])
/// try defaults.set(.integer(3), forKey: "open")
/// for await keys in defaults.changes() where keys.contains("open") { show(defaults.integer(forKey: "open")) }
/// ```
///
/// A group may have 4,096 keys. The limits are 256 bytes for a key, 64 KiB for a value, and 1 MiB for all keys and
/// values. A change that would exceed a limit fails with `full`, and changes nothing.
public final class SharedDefaults: Sendable {
    private struct State {
        /// The shared word that changes with each change of the defaults. This property holds the word as it was
        /// before the values were read; nil before the first read.
        var word: UInt32?
        var values: [String: ItemValue] = [:]
        var registered: [String: ItemValue] = [:]
    }

    let group: JoinedGroup
    private let state = Mutex(State())

    /// Opens the shared defaults of an app group.
    /// - Throws: `unavailable` or `notMember`, as `AppGroup` does.
    public convenience init(suiteName: String) throws(PortalError) {
        self.init(try AppGroup(suiteName))
    }

    /// Opens the shared defaults of an app group.
    public init(_ group: AppGroup) {
        self.group = group.joined
    }

    // MARK: Reading

    /// Sets default values for keys that have no shared value. These defaults are kept in this process only. A second
    /// call adds to the first.
    public func register(_ defaults: [String: ItemValue]) {
        state.withLock { $0.registered.merge(defaults) { $1 } }
    }

    /// The value of a key: the shared value if there is one, otherwise the registered value; nil if the key has
    /// neither value.
    ///
    /// If the values have changed and the broker does not answer, the result is the last value that was read.
    public func value(forKey key: String) -> ItemValue? {
        refreshIfChanged()
        return state.withLock { $0.values[key] ?? $0.registered[key] }
    }

    /// All shared values, without the registered values.
    public var values: [String: ItemValue] {
        refreshIfChanged()
        return state.withLock { $0.values }
    }

    /// If the values have changed since the last read, reads them now, and does not wait for the next use.
    /// - Throws: `gone` or `timedOut` if the broker does not answer; `damaged` if the store on disk cannot be read.
    public func refresh() throws(PortalError) {
        let word = group.word(GroupWords.defaults)
        guard state.withLock({ $0.word != word }) else { return }
        keep(try Self.values(of: group), readAfter: word)
    }

    private func refreshIfChanged() { try? refresh() }

    private func keep(_ values: [String: ItemValue], readAfter word: UInt32) {
        state.withLock { state in
            state.values = values
            state.word = word
        }
    }

    private static func values(of group: JoinedGroup) throws(PortalError) -> [String: ItemValue] {
        try snapshot(of: group).values
    }

    private static func snapshot(of group: JoinedGroup) throws(PortalError) -> DefaultsSnapshot {
        try snapshot(in: group.portal.call(DefaultsMethod.snapshot, group: group.identifier))
    }

    static func snapshot(in answer: PortalAnswer) throws(PortalError) -> DefaultsSnapshot {
        try answer.decoded(within: DefaultsLimits.messages)
    }

    // MARK: Writing

    /// Sets the value of a key, or removes it.
    /// - Parameters:
    ///   - value: the new value. Nil removes the present value.
    ///   - key: a text of 1 to 256 bytes.
    /// - Throws: `full` if a limit of the group would be exceeded; `invalid` if the key is empty or too long.
    public func set(_ value: ItemValue?, forKey key: String) throws(PortalError) {
        try set([key: value])
    }

    /// Sets and removes values of several keys together. Every process sees all of these changes or none.
    /// - Parameter values: the new values by key. If a value is nil, its key is removed.
    public func set(_ values: [String: ItemValue?]) throws(PortalError) {
        try send(values, ifStill: nil)
    }

    /// Changes values, such as a counter, starting from the current values. If another process changes the values
    /// meanwhile, the body runs again with the new values. So no change is lost.
    /// - Parameter body: gets all values, and returns the values to set. If a returned value is nil, its key is
    ///   removed.
    public func update(_ body: (_ values: [String: ItemValue]) -> [String: ItemValue?]) throws(PortalError) {
        while true {
            let snapshot = try Self.snapshot(of: group)
            let changes = body(snapshot.values)
            guard !changes.isEmpty else { return }
            do throws(PortalError) {
                return try send(changes, ifStill: snapshot.generation)
            } catch {
                guard error.code == .changed else { throw error }
            }
        }
    }

    private func send(_ values: [String: ItemValue?], ifStill generation: UInt64?) throws(PortalError) {
        var entries: [DefaultsEntry] = []
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            let bytes = try value.map { (value) throws(PortalError) in try Self.encoded(value, forKey: key) }
            entries.append(DefaultsEntry(key: key, value: bytes))
        }
        _ = try group.ask(DefaultsMethod.change, with: DefaultsChange(entries: entries, generation: generation))
    }

    /// Removes the value of a key. After that, reads return the registered value if there is one.
    public func removeValue(forKey key: String) throws(PortalError) { try set(nil, forKey: key) }

    private static func encoded(_ value: ItemValue, forKey key: String) throws(PortalError) -> [UInt8] {
        do throws(EncodingFailure) {
            return try value.encoded(within: MessageLimits(bytes: DefaultsLimits.valueBytes, fields: 4096, depth: 16))
        } catch {
            throw PortalError(
                .full, what: "the value of \(key) is too large: \(error)",
                remedy:
                    "keep it in a file of the container: a value has at most \(ByteCount(DefaultsLimits.valueBytes))"
            )
        }
    }
}

extension DefaultsSnapshot {
    /// The values by key. A value that this version of Annex cannot decode is omitted, because a newer version may
    /// have written it.
    var values: [String: ItemValue] {
        var values: [String: ItemValue] = [:]
        for entry in entries {
            guard let bytes = entry.value, let value = try? ItemValue(decoding: bytes) else { continue }
            values[entry.key] = value
        }
        return values
    }
}
