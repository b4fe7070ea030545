internal import AnnexChannel
public import AnnexModel
public import AnnexPortal

/// A widget on a surface, as the extension sees the widget. A surface is a place that shows widgets, such as the
/// Today view. The object stays for the whole session.
public final class WidgetContext {
    /// The place that the surface gives to the widget.
    public private(set) var placement = WidgetPlacement(width: 0, expandedHeight: 0)
    /// The largest display mode that is useful for the widget (`widgetLargestAvailableDisplayMode`). The host offers
    /// to expand the widget only if this mode is `expanded`.
    public var largestAvailableDisplayMode = WidgetDisplayMode.compact
    /// The height that the widget prefers in the expanded mode, in points (`preferredContentSize`); nil for the
    /// largest height.
    public var preferredHeight: Int?
    /// Whether the widget has something to show. A host hides a widget without content.
    public var hasContent = true

    private let principal: any WidgetExtension
    private let lookout: ExtensionLookout
    /// The number of the last change that this object made for the host.
    private var changes: UInt64 = 0

    init(_ principal: any WidgetExtension, lookout: ExtensionLookout) {
        self.principal = principal
        self.lookout = lookout
    }

    /// The current display mode.
    public var activeDisplayMode: WidgetDisplayMode { placement.activeDisplayMode }

    /// Makes a new view, which the host shows, for example because a shared value has changed.
    ///
    /// A view of more than about 32 KiB does not fit into a notice. The host shows such a view after the next event.
    public func reloadView() {
        // If the notice cannot be sent, the host gets the view later, because each answer to an event carries the
        // view too. If the host is gone, it needs no view.
        if let change = try? change() { try? lookout.sendAndWait(change) }
    }

    /// Shows a new view after each value of a sequence, at most ten times a second. This function starts a task,
    /// which runs until the sequence or the widget ends.
    ///
    /// ```swift
    /// func widgetWillAppear(in widget: WidgetContext) { widget.reloadView(afterEachOf: defaults.changes()) }
    /// ```
    /// - Parameter changes: a sequence, for example the changes of the shared defaults that the view shows.
    public func reloadView<Changes: AsyncSequence & Sendable>(afterEachOf changes: Changes)
    where Changes.Element: Sendable {
        // SAFETY: the task runs on the extension's only thread, like all code that uses this object.
        nonisolated(unsafe) let context = self
        Task {
            // If the sequence throws an error, the sequence has no more values, so the error is ignored.
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

    /// The directory in which the widget keeps data for its next launch, such as its last content; nil if the widget
    /// has no such directory.
    public var privateDirectory: String? { ExtensionDirectories.privateDirectory }

    /// Opens a URL with the app that registers the URL's scheme. Open a URL only after a tap: see `perform(_:in:)`.
    /// In all other respects, this method works like `ExtensionContext.open(_:)`.
    @discardableResult
    public nonisolated(nonsending) func open(_ url: String) async throws(PortalError) -> String {
        try await PortalOpening.open(url)
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
        // If the widget throws an error, the result is `failed`, and the last view stays.
        let result = (try? await principal.widgetPerformUpdate(in: self)) ?? .failed
        return WidgetAnswer(try change(), result: result)
    }

    /// - Throws: `ContentError` if the view exceeds a limit. The author of the extension must see this error.
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
