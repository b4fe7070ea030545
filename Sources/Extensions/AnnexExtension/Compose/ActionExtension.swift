internal import AnnexChannel
public import AnnexModel

/// The principal object of an extension for the point `com.apple.ui-services` that has a view of its own.
///
/// The host shows the view, and sends what the user does in it. The extension answers with `completeRequest(returning:)`; a host
/// that lets its content be edited puts these items in the place of its own. An action without a view is an `AppExtension`.
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
    /// What the host shows. Called when the sheet opens, after each of the user's actions, and by `reloadView()`.
    func view(in sheet: ActionSheet) -> ContentNode

    /// The user pressed a button or picked an option.
    /// - Parameters:
    ///   - action: the identifier of the button or choice, and the option.
    ///   - sheet: the view and its request.
    func perform(_ action: ContentAction, in sheet: ActionSheet)

    /// The view has appeared: begin to load the attachments. By default, nothing happens.
    func presentationAnimationDidFinish(in sheet: ActionSheet)

    /// The user gave the action up. By default, the request is cancelled with `ExtensionError.userCancelled`.
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
    /// The request with the items. Its answer closes the view.
    public let context: ExtensionContext
    private let principal: any ActionExtension
    /// The number of the last change that was made for the host.
    private var changes: UInt64 = 0

    init(_ context: ExtensionContext, principal: any ActionExtension) {
        self.context = context
        self.principal = principal
    }

    /// Makes the view anew and shows it, for example when a text has loaded.
    ///
    /// A view of more than about 32 KiB does not fit into a notice. It is shown after the user's next action.
    public func reloadView() {
        guard context.isOpen else { return }
        // Each answer to an event brings the view too. A host that is gone needs none.
        try? context.sendAndWait(change())
    }

    func answer(_ event: ComposeEvent) -> ComposeAnswer {
        switch event {
        case .presented: principal.presentationAnimationDidFinish(in: self)
        case .acted(let action): principal.perform(action, in: self)
        case .cancelled: principal.didSelectCancel(in: self)
        // The view has no text to edit or post, and no settings.
        case .opened, .edited, .tapped, .chose, .posted: break
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
