package import AnnexLinux
internal import AnnexMessages
package import AnnexModel

/// The last state of a widget, kept from one Today view to the next.
package struct WidgetSnapshot: Sendable, Hashable {
    /// The build of the widget that drew this state. A state that another build drew is not shown.
    package let instance: String
    package let date: WallClock
    package let state: WidgetState

    package init(of instance: String, at date: WallClock, state: WidgetState) {
        self.instance = instance
        self.date = date
        self.state = state
    }
}

/// The contents of a snapshot's file. They are checked as strictly as a message of the widget.
struct SnapshotMessage: Message {
    let snapshot: WidgetSnapshot

    /// The check of a view may replace characters by characters of three bytes. So a checked view may be larger than
    /// the view that the widget sent.
    private static let limits = ContentLimits(bytes: bytes, textBytes: 3 * ContentLimits.standard.textBytes)
    static let bytes = 3 << 20
    private static let day: Int64 = 86_400_000_000

    init(_ snapshot: WidgetSnapshot) { self.snapshot = snapshot }

    func encode(into encoder: inout MessageEncoder) {
        let state = snapshot.state
        encoder.encode(snapshot.instance, as: 1)
        encoder.encode(snapshot.date.microseconds, as: 2)
        // If the view cannot be encoded, the snapshot has no view.
        encoder.encode(state.view.flatMap { try? ContentMessage($0.root, within: Self.limits) }, as: 3)
        encoder.encode(state.hasContent, as: 4)
        encoder.encode(state.largestAvailableDisplayMode.rawValue, as: 5)
        encoder.encode(state.preferredHeight.map { UInt32(clamping: $0) }, as: 6)
        encoder.encode(state.marginInsets, as: 7)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let instance: String = try decoder.decode(1)
        let date = WallClock(microseconds: try decoder.decode(2))
        // A date must be in a range that calendars can show. A date up to one day in the future is accepted, because
        // the clock may have been set back a little.
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
