public import AnnexModel

/// The principal object of an extension for the point `com.apple.share-services`. An extension for this point posts
/// what the user selected.
///
/// The host shows a compose sheet, and the functions of this protocol are called while the user works in the sheet.
/// The functions follow `SLComposeServiceViewController`.
///
/// ```swift
/// @main final class Post: ShareExtension {
///     let placeholder = "Say something about the pictures"
///
///     func isContentValid(in sheet: ComposeSheet) -> Bool {
///         sheet.charactersRemaining = 200 - sheet.contentText.count
///         return sheet.contentText.count <= 200
///     }
///
///     func didSelectPost(in sheet: ComposeSheet) {
///         sheet.context.completeRequest(returning: [ExtensionItem(contentText: sheet.contentText)])
///     }
/// }
/// ```
public protocol ShareExtension: SessionExtension {
    /// The faint text that an empty sheet shows. By default, there is no such text.
    var placeholder: String { get }

    /// Whether the user may post the sheet's text. Called when the sheet opens, when the text changes, and at each
    /// other event in the sheet. The function may set `charactersRemaining`. By default, every text is accepted.
    func isContentValid(in sheet: ComposeSheet) -> Bool

    /// The settings below the text. Called when the sheet opens, after the user has chosen an option, and by
    /// `reloadConfigurationItems()`. By default, there are no settings.
    func configurationItems(in sheet: ComposeSheet) -> [ConfigurationItem]

    /// Called in a task when the sheet has appeared. Load the attachments here. By default, nothing happens.
    ///
    /// While the function awaits, the user can type, and the other functions of this protocol are called. When the
    /// request has its answer, the task is cancelled. So a cancelled sheet also cancels the loads. The function need not
    /// be `async`, but a function that blocks delays all other functions.
    func presentationAnimationDidFinish(in sheet: ComposeSheet) async

    /// Called when the user wants to post and the text is valid. The function must end the request with
    /// `completeRequest(returning:)`, at once or later.
    func didSelectPost(in sheet: ComposeSheet)

    /// Called when the user cancelled the sheet. By default, the request is cancelled with
    /// `ExtensionError.userCancelled`.
    func didSelectCancel(in sheet: ComposeSheet)

    /// The extension's own view, which the host draws instead of the sheet. Called when the sheet opens and after
    /// each of the user's actions. By default, there is no view.
    func view(in sheet: ComposeSheet) -> ContentNode?

    /// Called when the user pressed a button or picked an option in the extension's own view. By default, nothing
    /// happens.
    func perform(_ action: ContentAction, in sheet: ComposeSheet)
}

extension ShareExtension {
    public var placeholder: String { "" }
    public func isContentValid(in sheet: ComposeSheet) -> Bool { true }
    public func configurationItems(in sheet: ComposeSheet) -> [ConfigurationItem] { [] }
    public func presentationAnimationDidFinish(in sheet: ComposeSheet) {}
    public func view(in sheet: ComposeSheet) -> ContentNode? { nil }
    public func perform(_ action: ContentAction, in sheet: ComposeSheet) {}

    public func didSelectCancel(in sheet: ComposeSheet) {
        sheet.context.cancelRequest(with: ExtensionError.userCancelled)
    }
}

/// A setting in a compose sheet, such as a category.
public struct ConfigurationItem {
    /// The name of the setting.
    public let title: String
    /// The current value; empty if there is none.
    public let value: String
    /// Makes the options when the user taps the setting.
    let options: (() -> [String])?
    /// Receives the index of the option that the user picked, counted from 0.
    let choose: (Int) -> Void

    /// Creates a line that the user can only read.
    public init(title: String, value: String) {
        self.title = title
        self.value = value
        options = nil
        choose = { _ in }
    }

    /// Creates a setting with options. The sheet shows the options as a list when the user taps the setting.
    /// - Parameters:
    ///   - title: the name of the setting.
    ///   - value: the current value; empty if there is none.
    ///   - options: makes the list of options. The list may have at most `ComposeLimits.options` entries.
    ///   - choose: receives the index of the option that the user picked. After this call, the sheet asks for all
    ///     settings again.
    public init(
        title: String, value: String, options: @escaping () -> [String], choose: @escaping (_ option: Int) -> Void
    ) {
        self.title = title
        self.value = value
        self.options = options
        self.choose = choose
    }
}
