internal import AnnexLinux
internal import AnnexMessages
internal import AnnexPortal
internal import Synchronization

/// Coordinates access to the files of an app group among all its members. At any time, an item has many readers or one
/// writer.
///
/// An item is a file, or a folder with everything in it. A call waits until it has access, runs its body, and then
/// releases the access. If a process is killed, its accesses end with it. Apple's counterpart is `NSFileCoordinator`.
///
/// ```swift
/// let coordinator = FileCoordinator(try AppGroup("group.com.example.todo"))
/// let text = try await coordinator.coordinate(readingItemAt: "list.txt") { path in try read(path) }
/// try await coordinator.coordinate(writingItemAt: "list.txt") { path in try write(text + "milk\n", to: path) }
/// ```
///
/// A coordinator does not wait for its own accesses. So inside a body, use the same coordinator for further items. If
/// two coordinators wait for each other's items, the first time limit that passes ends the wait.
///
/// Coordination is an agreement among members. If a member opens files without a coordinator, the member is not
/// stopped, and presenters are not told of its changes.
///
/// `coordinateAndWait` does the same as `coordinate`, for code that cannot await.
public final class FileCoordinator: Sendable {
    /// How long a call waits if it states no time limit.
    public static let patience = Duration.seconds(30)

    let coordination: GroupCoordination
    /// The number of the presenter that is not told of this coordinator's changes; 0 if there is none.
    let presenter: UInt32
    let owner: UInt64
    private let state = Mutex(State())

    private struct State {
        /// The number of calls of this coordinator that have access now.
        var depth = 0
        /// How often `cancel` was called.
        var cancellations = 0
    }

    /// - Parameters:
    ///   - group: the group whose files are coordinated.
    ///   - presenter: the presenter that makes its changes through this coordinator. This presenter is not told of
    ///     these changes.
    public init(_ group: AppGroup, presenter: (any FilePresenter)? = nil) {
        coordination = GroupCoordination.of(group.joined)
        self.presenter = presenter.map { [coordination] in coordination.presenters.number(of: $0) } ?? 0
        owner = coordination.nextOwner()
    }

    /// Ends the waiting of all calls of this coordinator. These calls throw `cancelled`. Bodies that already run are
    /// not affected.
    public func cancel() { state.withLock { $0.cancellations += 1 } }

    /// The item of the group at a path.
    func item(_ path: String) throws(PortalError) -> ItemPath { try ItemPath(path, in: coordination.group.container) }

    func place(of item: ItemPath) -> String {
        let container = coordination.group.container
        return item.text.isEmpty ? container : container + "/" + item.text
    }

    // MARK: Accesses

    /// Runs a body with accesses, and blocks the thread meanwhile.
    /// - Parameter changes: returns the changes to report, which may depend on whether the body returned or threw an
    ///   error.
    func accessAndWait<Result>(
        _ accesses: [ItemAccess], within limit: Duration,
        changing changes: (_ hasReturned: Bool) -> [ItemChange] = { _ in [] }, _ body: () throws -> Result
    ) throws -> Result {
        let turn = try take(accesses, within: limit)
        var hasReturned = false
        defer {
            // If the broker is gone, these requests fail. The failure does no harm, because the other members are
            // gone too, or notice the change by themselves.
            for request in end(turn, changing: changes(hasReturned)) {
                _ = try? ask(request.method, with: request.body)
            }
        }
        let result = try body()
        hasReturned = true
        return result
    }

    /// Runs a body with accesses, and suspends the task meanwhile.
    nonisolated(nonsending) func access<Result>(
        _ accesses: [ItemAccess], within limit: Duration,
        changing changes: (_ hasReturned: Bool) -> [ItemChange] = { _ in [] }, _ body: () async throws -> Result
    ) async throws -> Result {
        let turn = try await takeLater(accesses, within: limit)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        let hasReturned = if case .success = result { true } else { false }
        for request in end(turn, changing: changes(hasReturned)) {
            _ = try? await askLater(request.method, with: request.body)
        }
        return try result.get()
    }

    // MARK: Turns

    /// Takes accesses, and blocks this thread meanwhile.
    func take(_ accesses: [ItemAccess], within limit: Duration) throws(PortalError) -> AccessTurn {
        var turn = turn(accesses, within: limit)
        guard try !turn.attempt() else { return begin(turn) }
        let cancellations = state.withLock { $0.cancellations }
        do throws(PortalError) {
            repeat {
                let answer = try ask(CoordinationMethod.wait, with: turn.question())
                try turn.answered(answer)
                try check(cancellations)
                if try turn.attempt() {
                    turn.stopWaiting()
                    return begin(turn)
                }
            } while !turn.isLate
            throw turn.timeout(try holders(turn.holderQuestions()))
        } catch {
            turn.stopWaiting()
            throw error
        }
    }

    /// Takes accesses, and suspends the task meanwhile.
    nonisolated(nonsending) func takeLater(
        _ accesses: [ItemAccess], within limit: Duration
    ) async throws(PortalError) -> AccessTurn {
        var turn = turn(accesses, within: limit)
        guard try !turn.attempt() else { return begin(turn) }
        let cancellations = state.withLock { $0.cancellations }
        do throws(PortalError) {
            repeat {
                let answer = try await askLater(CoordinationMethod.wait, with: turn.question())
                try turn.answered(answer)
                try check(cancellations)
                if try turn.attempt() {
                    turn.stopWaiting()
                    return begin(turn)
                }
            } while !turn.isLate
            throw turn.timeout(try await holdersLater(turn.holderQuestions()))
        } catch {
            turn.stopWaiting()
            throw error
        }
    }

    private func turn(_ accesses: [ItemAccess], within limit: Duration) -> AccessTurn {
        let isNested = state.withLock { $0.depth > 0 }
        return AccessTurn(accesses, of: owner, isNested: isNested, in: coordination, within: limit)
    }

    private func begin(_ turn: AccessTurn) -> AccessTurn {
        state.withLock { $0.depth += 1 }
        return turn
    }

    /// Ends accesses.
    /// - Returns: the requests that tell other members of the release and the changes. If no other member waits or
    ///   presents, there are no requests. This member waits for the broker's answer to each request, so it cannot send
    ///   requests faster than the broker handles them.
    private func end(_ turn: AccessTurn, changing changes: [ItemChange]) -> [(method: PortalMethod, body: [UInt8])] {
        state.withLock { $0.depth -= 1 }
        // SYNC: this word is read before the release. A presenter that is added after this read reads its item with a
        // coordinator. That read waits for the release, and finds the changes.
        let hasPresenters = !changes.isEmpty && coordination.group.word(GroupWords.presenters) != 0
        var requests: [(method: PortalMethod, body: [UInt8])] = []
        if turn.release() { requests.append((CoordinationMethod.released, [])) }
        if hasPresenters, let body = try? PortalRequest.body(ItemChanges(changes: changes)) {
            requests.append((CoordinationMethod.changed, body))
        }
        return requests
    }

    private func check(_ cancellations: Int) throws(PortalError) {
        guard state.withLock({ $0.cancellations == cancellations }) else {
            throw PortalError(.cancelled, what: "the coordinator was cancelled")
        }
    }

    // MARK: Questions to the broker

    private func ask(_ method: PortalMethod, with body: [UInt8]) throws(PortalError) -> PortalAnswer {
        try coordination.group.portal.call(method, group: coordination.group.identifier, body: body)
    }

    private nonisolated(nonsending) func askLater(
        _ method: PortalMethod, with body: [UInt8]
    ) async throws(PortalError) -> PortalAnswer {
        try await coordination.group.portal.callLater(method, group: coordination.group.identifier, body: body)
    }

    private func holders(_ questions: [[UInt8]]) throws(PortalError) -> [String] {
        for body in questions {
            let names = try ask(CoordinationMethod.holders, with: body).decoded(as: NameList.self).names
            if !names.isEmpty { return names }
        }
        return []
    }

    private nonisolated(nonsending) func holdersLater(_ questions: [[UInt8]]) async throws(PortalError) -> [String] {
        for body in questions {
            let names = try await askLater(CoordinationMethod.holders, with: body).decoded(as: NameList.self).names
            if !names.isEmpty { return names }
        }
        return []
    }
}
