public import AnnexChannel
public import AnnexModel

extension AnnexHost {
    /// Launches a photo-editing extension and lets it start to edit a picture.
    ///
    /// If the picture has adjustment data and the original, the host first asks the extension whether it can continue
    /// the earlier edit. If it can, the extension gets the original with the adjustment data. If it cannot, or if it
    /// takes part in no dialogue, the extension gets the picture with all edits.
    ///
    /// - Parameters:
    ///   - picture: the picture with its earlier edit.
    ///   - identifier: the extension's bundle identifier.
    ///   - point: the extension point that the host expects; nil for any point.
    ///   - largest: the most bytes of the edited picture.
    ///   - service: serves the extension's other requests and notices.
    /// - Throws: the errors of `begin`, and `HostError.cancelled` or `.ended` if the extension cannot start with this
    ///   picture.
    public nonisolated(nonsending) func edit(
        _ picture: EditablePicture, with identifier: String, as point: String? = "com.apple.photo-editing",
        atMost largest: Int = 256 << 20, serving service: HostService = HostService()
    ) async throws(HostError) -> PhotoEditingSession {
        let session = try await begin(identifier, as: point, serving: service)
        let continues = try await Self.open(picture.earlier, in: session)
        let item = picture.item(continues: continues ?? false)
        let editing = PhotoEditingSession(
            Dialogue(session, request: [item], accepting: .sealedMemory(count: 1, bytes: largest)),
            continuesEdit: continues ?? false, isInteractive: continues != nil)
        try await editing.start()
        return editing
    }

    /// - Returns: whether the extension continues the earlier edit. The result is nil if the extension takes part in no
    ///   dialogue.
    private nonisolated(nonsending) static func open(
        _ earlier: AdjustmentData?, in session: ExtensionSession
    ) async throws(HostError) -> Bool? {
        do throws(HostError) {
            return try await session.callWatched(EditingEvent.opened(earlier: earlier)).isAffirmed && earlier != nil
        } catch {
            guard case .unknownMethod = error else { throw error }
            return nil
        }
    }
}
