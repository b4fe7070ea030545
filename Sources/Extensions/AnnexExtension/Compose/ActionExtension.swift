internal import AnnexChannel
public import AnnexModel

/// The principal object of an extension for the point `com.apple.ui-services`, if the extension has its own view.
///
/// The host shows this view. When the user presses a button or picks an option in the view, the host sends this
/// action to the extension. The extension answers with `completeRequest(returning:)`. If the host's content can be
/// edited, the host replaces its own items by the items of the answer. The principal object of an action without a
/// view is an `AppExtension`.
///
/// ```swift
/// @main final class Shorten: ActionExtension {
///     func view(in sheet: ActionSheet) -> ContentNode {
///         [.text(sheet.context.inputItems.first?.contentText ?? ""), .button("Shorten", action: "shorten")]
///     }
///
///     func perform(_ action: ContentAction, in sheet: ActionSheet) {
///         let text = sheet.context.inputItems.first?.contentText ?? ""
///         sheet.context.completeRequest(returning: [ExtensionItem(contentText: String(text.prefix(100)))])
///     }
/// }
/// ```
public protocol ActionExtension: SessionExtension {
    /// The view that the host shows. Annex calls this function when the sheet opens, after each of the user's
    /// actions, and in `reloadView()`.
    func view(in sheet: ActionSheet) -> ContentNode

    /// Called when the user pressed a button or picked an option.
    /// - Parameters:
    ///   - action: the identifier of the button or choice, and the picked option.
    ///   - sheet: the view and its request.
    func perform(_ action: ContentAction, in sheet: ActionSheet)

    /// Called in a task when the view has appeared. Load the attachments here. By default, nothing happens.
    ///
    /// While the function awaits, the other functions of this protocol are called. When the request has its answer, the
    /// task is cancelled. The function need not be `async`, but a function that blocks delays all other functions.
    func presentationAnimationDidFinish(in sheet: ActionSheet) async

    /// Called when the user cancelled the action. By default, the request is cancelled with
    /// `ExtensionError.userCancelled`.
    func didSelectCancel(in sheet: ActionSheet)
}

extension ActionExtension {
    public func presentationAnimationDidFinish(in sheet: ActionSheet) {}

    public func didSelectCancel(in sheet: ActionSheet) {
        sheet.context.cancelRequest(with: ExtensionError.userCancelled)
    }
}

/// The view that the host shows for an `ActionExtension`, as the extension sees it.
public final class ActionSheet: DialogueSheet {
    /// The request with the items. The answer to the request closes the view.
    public let context: ExtensionContext
    private let principal: any ActionExtension
    /// The number of the last `ComposeChange` that this object made for the host.
    private var changes: UInt64 = 0

    init(_ context: ExtensionContext, principal: any ActionExtension) {
        self.context = context
        self.principal = principal
    }

    /// Makes a new view, which the host shows, for example when a text has loaded.
    ///
    /// A view of more than about 32 KiB does not fit into a notice. The host shows such a view after the user's next
    /// action.
    public func reloadView() {
        guard context.isOpen else { return }
        // If the notice cannot be sent, the host gets the view later, because each answer to an event carries the
        // view too. If the host is gone, it needs no view.
        try? context.sendAndWait(change())
    }

    func presentationAnimationDidFinish() async { await principal.presentationAnimationDidFinish(in: self) }

    func answer(_ event: ComposeEvent) -> ComposeAnswer {
        switch event {
        case .acted(let action): principal.perform(action, in: self)
        case .cancelled: principal.didSelectCancel(in: self)
        // The view has no text to edit or post, and no settings.
        case .opened, .presented, .edited, .tapped, .chose, .posted: break
        }
        return ComposeAnswer(change())
    }

    private func change() -> ComposeChange {
        changes += 1
        var change = ComposeChange(number: changes)
        change.isContentValid = false
        if context.isOpen { change.view = context.viewToShow(principal.view(in: self)) }
        return change
    }
}
