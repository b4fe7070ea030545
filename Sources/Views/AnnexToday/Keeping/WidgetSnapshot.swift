package import AnnexLinux
internal import AnnexMessages
package import AnnexModel

/// The last state of a widget, kept between two views.
package struct WidgetSnapshot: Sendable, Hashable {
    /// The build of the widget that drew it. Another build's state is not shown.
    package let instance: String
    package let date: WallClock
    package let state: WidgetState

    package init(of instance: String, at date: WallClock, state: WidgetState) {
        self.instance = instance
        self.date = date
        self.state = state
    }
}

/// The file's contents. They are read with the same suspicion as a message of the widget.
struct SnapshotMessage: Message {
    let snapshot: WidgetSnapshot

    /// Replaced characters take three bytes, so a checked view may be larger than the view that came.
    private static let limits = ContentLimits(bytes: bytes, textBytes: 3 * ContentLimits.standard.textBytes)
    static let bytes = 3 << 20
    private static let day: Int64 = 86_400_000_000

    init(_ snapshot: WidgetSnapshot) { self.snapshot = snapshot }

    func encode(into encoder: inout MessageEncoder) {
        let state = snapshot.state
        encoder.encode(snapshot.instance, as: 1)
        encoder.encode(snapshot.date.microseconds, as: 2)
        // A view that cannot be encoded is left out.
        encoder.encode(state.view.flatMap { try? ContentMessage($0.root, within: Self.limits) }, as: 3)
        encoder.encode(state.hasContent, as: 4)
        encoder.encode(state.largestAvailableDisplayMode.rawValue, as: 5)
        encoder.encode(state.preferredHeight.map { UInt32(clamping: $0) }, as: 6)
        encoder.encode(state.marginInsets, as: 7)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let instance: String = try decoder.decode(1)
        let date = WallClock(microseconds: try decoder.decode(2))
        // No calendar has room for every number. A clock that was set back a little is no fault.
        guard (0...WallClock.now().microseconds + Self.day).contains(date.microseconds) else {
            throw decoder.failure(2, reason: .rejected("is in the future, or before 1970"))
        }
        var state = WidgetState()
        let view: ContentMessage? = try decoder.decodeIfPresent(3)
        do throws(ContentError) {
            state.view = try view?.tree(within: Self.limits)
        } catch {
            throw decoder.failure(3, reason: .rejected("a view that breaks a limit"))
        }
        state.hasContent = try decoder.decode(4)
        guard let mode = WidgetDisplayMode(rawValue: try decoder.decode(5)) else {
            throw decoder.failure(5, reason: .rejected("is no display mode"))
        }
        state.largestAvailableDisplayMode = mode
        state.preferredHeight = try decoder.decodeIfPresent(6, as: UInt32.self).map { min(Int($0), WidgetSize.most) }
        state.marginInsets = try decoder.decodeIfPresent(7)
        snapshot = WidgetSnapshot(of: instance, at: date, state: state)
    }
}
