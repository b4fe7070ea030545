internal import AnnexChannel
public import AnnexModel
public import AnnexPortal

/// A widget on its surface, as the extension sees it. It stays for the whole session.
public final class WidgetContext {
    /// The place that the surface gives to the widget.
    public private(set) var placement = WidgetPlacement(width: 0, expandedHeight: 0)
    /// The largest display mode that the widget has a use for (`widgetLargestAvailableDisplayMode`). The host offers to expand the
    /// widget only if it is `expanded`.
    public var largestAvailableDisplayMode = WidgetDisplayMode.compact
    /// The height that the widget prefers in the expanded mode, in points (`preferredContentSize`); nil for the largest.
    public var preferredHeight: Int?
    /// Whether the widget has something to show. A host hides a widget without content.
    public var hasContent = true

    private let principal: any WidgetExtension
    private let lookout: ExtensionLookout
    /// The number of the last change that was made for the host.
    private var changes: UInt64 = 0

    init(_ principal: any WidgetExtension, lookout: ExtensionLookout) {
        self.principal = principal
        self.lookout = lookout
    }

    /// The present display mode.
    public var activeDisplayMode: WidgetDisplayMode { placement.activeDisplayMode }

    /// Makes the view anew and shows it, for example because a shared value has changed.
    ///
    /// A view of more than about 32 KiB does not fit into a notice. It is shown after the next event.
    public func reloadView() {
        // Each answer to an event brings the view too. A host that is gone needs none.
        if let change = try? change() { try? lookout.sendAndWait(change) }
    }

    /// Shows the view anew after each value of a sequence, until the sequence or the widget ends, and at most ten times a second.
    ///
    /// ```swift
    /// func widgetWillAppear(in widget: WidgetContext) { widget.reloadView(afterEachOf: defaults.changes()) }
    /// ```
    /// - Parameter changes: such as the changes of shared defaults that the view shows.
    public func reloadView<Changes: AsyncSequence & Sendable>(afterEachOf changes: Changes)
    where Changes.Element: Sendable {
        // SAFETY: the task runs on the extension's only thread, as all code that uses this object.
        nonisolated(unsafe) let context = self
        Task {
            // A sequence that fails has no more values.
            _ = try? await Self.forEach(of: changes) { unsafe context.reloadView() }
        }
    }

    private static let betweenReloads = Duration.milliseconds(100)

    private static func forEach<Changes: AsyncSequence>(of changes: Changes, _ body: () -> Void) async throws {
        for try await _ in changes {
            body()
            try await Task.sleep(for: betweenReloads)
        }
    }

    /// The directory where the widget keeps what its next launch needs, such as its last content; nil if it has none.
    public var privateDirectory: String? { Surroundings.privateDirectory }

    /// Opens a URL with the app that registers its scheme. Open one only after a tap: see `perform(_:in:)`. Otherwise as
    /// `ExtensionContext.open(_:)`.
    @discardableResult
    public nonisolated(nonsending) func open(_ url: String) async throws(PortalError) -> String {
        try await URLOpening.open(url)
    }

    // MARK: Events

    func register(in service: inout ChannelService) {
        service.serve(WidgetEvent.self) { [self] (event: WidgetEvent, _: CallContext) async throws in
            try await answer(event)
        }
    }

    private func answer(_ event: WidgetEvent) async throws -> WidgetAnswer {
        switch event {
        case .willAppear(let placement):
            self.placement = placement
            principal.widgetWillAppear(in: self)
        case .performUpdate: return try await update()
        case .placementChanged(let placement):
            self.placement = placement
            let mode = placement.activeDisplayMode
            principal.widgetActiveDisplayModeDidChange(mode, maximumSize: placement.maximumSize(for: mode), in: self)
        case .acted(let action): try await principal.perform(action, in: self)
        case .didDisappear: principal.widgetDidDisappear(in: self)
        }
        return WidgetAnswer(try change())
    }

    private func update() async throws -> WidgetAnswer {
        // An error of the widget is a result, and its last view stays.
        let result = (try? await principal.widgetPerformUpdate(in: self)) ?? .failed
        return WidgetAnswer(try change(), result: result)
    }

    /// - Throws: `ContentError` if the view breaks a limit, which its author must see.
    private func change() throws -> WidgetChange {
        let view = try ContentMessage(principal.view(in: self))
        changes += 1
        var change = WidgetChange(number: changes)
        change.view = view
        change.hasContent = hasContent
        change.largestAvailableDisplayMode = largestAvailableDisplayMode
        change.preferredHeight = preferredHeight.map { min(max($0, 0), WidgetSize.most) }
        change.marginInsets = principal.widgetMarginInsets(forProposedMarginInsets: placement.proposedMarginInsets)
        return change
    }
}
