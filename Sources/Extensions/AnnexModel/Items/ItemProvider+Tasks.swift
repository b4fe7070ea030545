// Loads that suspend their task. Meanwhile the extension's thread works on other requests, events and loads.
//
// ```swift
// try await withThrowingTaskGroup(of: [UInt8].self) { group in
//     for picture in pictures { group.addTask { try await picture.loadData(forType: .image) } }
//     for try await bytes in group { show(bytes) }
// }
// ```
//
// In an extension, at most sixteen of these loads of a session are in progress at once. The others wait for their turn,
// in the order in which they began. A wait counts as part of the timeout.
extension ItemProvider {
    /// Loads the first representation that conforms to the type. If the representation is on demand, the call asks
    /// the host for the contents, and suspends the task until they arrive.
    ///
    /// Cancelling the task cancels the load, and the loader in the host. The host refuses the load if it already has
    /// the answer to the request, or if it has withdrawn the item.
    /// - Parameters:
    ///   - type: the wanted type.
    ///   - timeout: how long to wait at most. If this parameter is nil, the time limit of the loader in the host
    ///     applies.
    ///   - progress: gets the loader's progress from 0 to 1, several times a second. If the closure returns false,
    ///     the load is cancelled.
    /// - Returns: open contents.
    /// - Throws: `cancelled` if the task was cancelled; `timedOut`, `withdrawn`, or `failed` with the reason of the host;
    ///   `noSuchType` if no representation conforms to the type.
    public nonisolated(nonsending) func loadItem(
        forType type: TypeIdentifier, timeout: Duration? = nil, progress: @escaping (Double) -> Bool = { _ in true }
    ) async throws(ItemFailure) -> ItemContents {
        let contents = try representation(forType: type).contents
        _ = try await contents.open(suspending: LoadWaiting(timeout: timeout, progress: progress))
        return contents
    }

    /// Loads a representation and copies its bytes. The task is suspended until the contents arrive. Cancelling the
    /// task cancels the load.
    ///
    /// - Parameters:
    ///   - type: the wanted type.
    ///   - limit: the most bytes to load. If the contents are longer, the call throws an error and does not cut them.
    /// - Throws: `tooLong` if the contents exceed the limit; `changedWhileRead`; and the errors of `loadItem`.
    public nonisolated(nonsending) func loadData(
        forType type: TypeIdentifier, limit: Int = ItemContents.standardLimit
    ) async throws(ItemFailure) -> [UInt8] {
        // As in the blocking form, the file is not kept open.
        let opened = try await representation(forType: type).contents.lend(suspending: LoadWaiting())
        return try ItemContents.bytes(of: opened, limit: limit)
    }

    /// Loads a representation, and lends its file, open for reading only, to a closure. The task is suspended until the
    /// contents arrive. Cancelling the task cancels the load.
    ///
    /// - Throws: the errors of `loadItem` and of the closure.
    public nonisolated(nonsending) func loadFile<Result>(
        forType type: TypeIdentifier, _ body: (_ file: CInt) throws -> Result
    ) async throws -> Result {
        try await loadItem(forType: type).withFileDescriptor(body)
    }

    /// Loads a typed object: text, a URL, or a property value. The task is suspended until the contents arrive.
    /// Cancelling the task cancels the load.
    ///
    /// - Parameter limit: the most bytes to load.
    /// - Throws: `noSuchType` if no representation can be such an object; `malformed` if the bytes are not such an
    ///   object; and the errors of `loadData`.
    public nonisolated(nonsending) func loadObject<Object: ItemObject>(
        ofType _: Object.Type = Object.self, limit: Int = ItemContents.standardLimit
    ) async throws(ItemFailure) -> Object {
        try Object(itemData: await loadData(forType: bestType(for: Object.self), limit: limit))
    }
}
