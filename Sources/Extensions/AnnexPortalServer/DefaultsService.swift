internal import AnnexLinux
internal import AnnexMessages
package import AnnexPortal
internal import Synchronization

/// Shared defaults of groups. The values are in the group's store. The group's members, which are extensions and
/// apps, cannot open the store. So no member can damage the values.
package final class DefaultsService: PortalService {
    private struct Watcher {
        weak var connection: PortalConnection?
        let group: GroupKey
    }

    private let state = Mutex<[Watcher]>([])

    package init() {}

    package var name: PortalServiceName { .defaults }

    package func handle(_ call: PortalCall) {
        call.answer { () throws(PortalError) in
            let group = try call.joinedGroup()
            try follow(group)
            switch call.method {
            case DefaultsMethod.snapshot: return try snapshot(of: group)
            case DefaultsMethod.change: return try apply(call.decoded(within: DefaultsLimits.messages), to: group)
            case DefaultsMethod.watch: return add(call.connection, asWatcherOf: group)
            default: throw .unknownMethod
            }
        }
    }

    package func forget(_ connection: PortalConnection) {
        state.withLock { $0.removeAll { $0.connection === connection || $0.connection == nil } }
    }

    private func snapshot(of group: OpenGroup) throws(PortalError) -> [UInt8] {
        let stored = try group.withStore { (store) throws(StoreError) in try store.snapshot() }
        return try DefaultsSnapshot(entries: stored.entries, generation: stored.generation).answerBody(
            within: DefaultsLimits.messages)
    }

    private func apply(_ change: DefaultsChange, to group: OpenGroup) throws(PortalError) -> [UInt8] {
        let generation = try group.withStore { (store) throws(StoreError) in
            try store.change(change.entries, ifStill: change.generation)
        }
        note(generation, of: group)
        group.announceChange()
        return []
    }

    private func add(_ connection: PortalConnection, asWatcherOf group: OpenGroup) -> [UInt8] {
        state.withLock { watchers in
            let isKnown = watchers.contains { $0.connection === connection && $0.group == group.key }
            if !isKnown { watchers.append(Watcher(connection: connection, group: group.key)) }
        }
        return []
    }

    // MARK: Changes

    /// Starts to notice the changes that other processes make.
    private func follow(_ group: OpenGroup) throws(PortalError) {
        guard group.lastChange(of: name) == nil else { return }
        group.setLastChange(try group.withStore { (store) throws(StoreError) in try store.generation() }, of: name)
        // Members notice a change of the defaults by a shared word in memory. An earlier process may have been killed
        // after its commit and before it changed this word. So the word is changed here.
        group.changeWord(GroupWords.defaults)
        group.follow(name) { [weak self, weak group] in
            guard let group else { return }
            let now = try? group.withStore { (store) throws(StoreError) in try store.generation() }
            if let now { self?.note(now, of: group) }
        }
    }

    /// Tells the members that the values have changed, unless the members have already been told. Runs in the row of
    /// the group.
    private func note(_ generation: UInt64, of group: OpenGroup) {
        guard group.lastChange(of: name) != generation else { return }
        group.setLastChange(generation, of: name)
        // SYNC: the word changes after the commit. Until a member sees the new word, it may use the old values.
        group.changeWord(GroupWords.defaults)
        let watchers = state.withLock { watchers in
            watchers.filter { $0.group == group.key }.compactMap(\.connection)
        }
        for watcher in watchers {
            watcher.paceNews(.defaults, of: group) { $0.sendNews(.defaults, of: group) }
        }
    }
}
