internal import AnnexPortal

/// What the body of a `coordinate` call does with the item that it may write.
public enum WritingPurpose: Sendable, Hashable {
    /// The body writes or replaces the item, or items in it.
    case changing
    /// The body deletes the item.
    case deleting
}

/// Each call throws the errors of its body, and these errors of `PortalError`:
/// - `timedOut`, with the members that hold the item, if the call did not get access within the time limit.
/// - `cancelled` if the coordinator or the task was cancelled.
/// - `invalid` if the path is not in the container.
/// - `gone` if the call must wait and the broker has ended.
///
/// A path is relative to the container, or absolute. The body gets absolute paths. While the call waits, the task is
/// suspended. If the task is cancelled meanwhile, the call throws `cancelled`.
extension FileCoordinator {
    /// Reads an item. Other readers may read it at the same time, and no coordinator writes it.
    public nonisolated(nonsending) func coordinate<Result>(
        readingItemAt path: String, within limit: Duration = patience, _ body: (_ path: String) async throws -> Result
    ) async throws -> Result {
        let item = try item(path)
        return try await access([ItemAccess(item, isWriting: false)], within: limit) {
            try await body(place(of: item))
        }
    }

    /// Writes or deletes an item. No other coordinator reads or writes it at the same time.
    public nonisolated(nonsending) func coordinate<Result>(
        writingItemAt path: String, for purpose: WritingPurpose = .changing, within limit: Duration = patience,
        _ body: (_ path: String) async throws -> Result
    ) async throws -> Result {
        let item = try item(path)
        let changes = [change(item, by: purpose)]
        return try await access([ItemAccess(item, isWriting: true)], within: limit, changing: { _ in changes }) {
            try await body(place(of: item))
        }
    }

    /// Reads one item and writes another.
    public nonisolated(nonsending) func coordinate<Result>(
        readingItemAt source: String, writingItemAt target: String, within limit: Duration = patience,
        _ body: (_ source: String, _ target: String) async throws -> Result
    ) async throws -> Result {
        let (source, target) = (try item(source), try item(target))
        let accesses = [ItemAccess(source, isWriting: false), ItemAccess(target, isWriting: true)]
        let changes = [change(target, by: .changing)]
        return try await access(accesses, within: limit, changing: { _ in changes }) {
            try await body(place(of: source), place(of: target))
        }
    }

    /// Moves an item. The body must rename the item. If the body throws, no presenter is told of a move.
    public nonisolated(nonsending) func coordinate<Result>(
        movingItemAt source: String, to target: String, within limit: Duration = patience,
        _ body: (_ source: String, _ target: String) async throws -> Result
    ) async throws -> Result {
        let (source, target) = (try item(source), try item(target))
        let accesses = [ItemAccess(source, isWriting: true), ItemAccess(target, isWriting: true)]
        let changes = [move(source, to: target)]
        return try await access(accesses, within: limit, changing: { $0 ? changes : [] }) {
            try await body(place(of: source), place(of: target))
        }
    }
}

/// The same calls for code that cannot await. The calls block the thread while they wait for access. An extension has
/// only one thread, so none of its other tasks runs meanwhile.
extension FileCoordinator {
    /// Reads an item. Other readers may read it at the same time, and no coordinator writes it.
    public func coordinateAndWait<Result>(
        readingItemAt path: String, within limit: Duration = patience, _ body: (_ path: String) throws -> Result
    ) throws -> Result {
        let item = try item(path)
        return try accessAndWait([ItemAccess(item, isWriting: false)], within: limit) { try body(place(of: item)) }
    }

    /// Writes or deletes an item. No other coordinator reads or writes it at the same time.
    public func coordinateAndWait<Result>(
        writingItemAt path: String, for purpose: WritingPurpose = .changing, within limit: Duration = patience,
        _ body: (_ path: String) throws -> Result
    ) throws -> Result {
        let item = try item(path)
        let changes = [change(item, by: purpose)]
        return try accessAndWait([ItemAccess(item, isWriting: true)], within: limit, changing: { _ in changes }) {
            try body(place(of: item))
        }
    }

    /// Reads one item and writes another.
    public func coordinateAndWait<Result>(
        readingItemAt source: String, writingItemAt target: String, within limit: Duration = patience,
        _ body: (_ source: String, _ target: String) throws -> Result
    ) throws -> Result {
        let (source, target) = (try item(source), try item(target))
        let accesses = [ItemAccess(source, isWriting: false), ItemAccess(target, isWriting: true)]
        let changes = [change(target, by: .changing)]
        return try accessAndWait(accesses, within: limit, changing: { _ in changes }) {
            try body(place(of: source), place(of: target))
        }
    }

    /// Moves an item. The body must rename the item. If the body throws, no presenter is told of a move.
    public func coordinateAndWait<Result>(
        movingItemAt source: String, to target: String, within limit: Duration = patience,
        _ body: (_ source: String, _ target: String) throws -> Result
    ) throws -> Result {
        let (source, target) = (try item(source), try item(target))
        let accesses = [ItemAccess(source, isWriting: true), ItemAccess(target, isWriting: true)]
        let changes = [move(source, to: target)]
        return try accessAndWait(accesses, within: limit, changing: { $0 ? changes : [] }) {
            try body(place(of: source), place(of: target))
        }
    }
}

extension FileCoordinator {
    private func change(_ item: ItemPath, by purpose: WritingPurpose) -> ItemChange {
        ItemChange(purpose == .deleting ? .deleted : .changed, path: item.text, presenter: presenter)
    }

    private func move(_ source: ItemPath, to target: ItemPath) -> ItemChange {
        ItemChange(.moved, path: source.text, target: target.text, presenter: presenter)
    }
}
