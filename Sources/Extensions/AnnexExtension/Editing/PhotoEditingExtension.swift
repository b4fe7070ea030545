/// The principal object of an extension for the point `com.apple.photo-editing`. It follows
/// `PHContentEditingController`.
///
/// A host holds a dialogue with it: start, actions in the extension's view, and then finish or cancel. A host that wants no
/// dialogue sends only the picture. `startContentEditing` and `finishContentEditing` are then called one after the other.
///
/// ```swift
/// @main final class Fade: PhotoEditingExtension {
///     private var picture: Pixels?
///     private var strength: UInt32 = 1
///
///     var view: ContentNode? {
///         .choice("strength", title: "Strength", options: ["weak", "strong"], selected: strength)
///     }
///
///     func startContentEditing(with input: ContentEditingInput) throws { picture = try Pixels(input.loadPicture()) }
///
///     func perform(_ action: ContentAction) { strength = action.option ?? strength }
///
///     func finishContentEditing() throws -> ContentEditingOutput { try fade(picture, by: strength) }
/// }
/// ```
public protocol PhotoEditingExtension: AppExtension {
    /// Whether the extension can continue an earlier edit. If not, it gets the rendered picture without the edit data.
    func canHandle(_ adjustmentData: AdjustmentData) -> Bool

    /// Reads the picture and edits it.
    func startContentEditing(with input: ContentEditingInput) throws

    /// Renders the result. Called once, after `startContentEditing`.
    func finishContentEditing() throws -> ContentEditingOutput

    /// Called if the host cancelled: release everything. No other call follows.
    func cancelContentEditing()

    /// Whether the user would lose work if the edit were cancelled now. By default, the user would not.
    var shouldShowCancelConfirmation: Bool { get }

    /// What the host shows while the user edits. Called after `startContentEditing` and after each of the user's actions. By
    /// default, there is no view.
    var view: ContentNode? { get }

    /// The user pressed a button or picked an option in the view. By default, nothing happens.
    func perform(_ action: ContentAction)
}

extension PhotoEditingExtension {
    /// By default, no earlier edit can be continued.
    public func canHandle(_ adjustmentData: AdjustmentData) -> Bool { false }
    public func cancelContentEditing() {}
    public var shouldShowCancelConfirmation: Bool { false }
    public var view: ContentNode? { nil }
    public func perform(_ action: ContentAction) {}

    /// Passes the first picture of the request through start and finish, and returns the result to the host.
    public func beginRequest(with context: ExtensionContext) {
        context.completeRequest {
            try startContentEditing(with: ContentEditingInput(context.inputItems, canHandle: canHandle))
            if context.isCancelled {
                cancelContentEditing()
                throw ExtensionError.userCancelled
            }
            return [try finishContentEditing().item]
        }
    }
}

/// The picture that an extension is to edit.
public struct ContentEditingInput: Sendable {
    /// The picture: a read-only file. Its owner may change the file at any time.
    public let picture: ItemProvider
    /// The picture's type as the host knows it, for example `public.jpeg`.
    public let type: TypeIdentifier
    /// A small or coarse picture of the result so far, to show until the extension has read `picture`; nil if the host sent
    /// none.
    public let placeholder: ItemProvider?
    /// The earlier edit of the picture; nil if there is none or the extension cannot handle it. If it is set, `picture`
    /// is the unedited original.
    public let adjustmentData: AdjustmentData?
    /// Further values from the host, for example the name of the edit that it wants.
    public let userInfo: [String: ItemValue]

    /// The path of the app's `Frameworks`, as in `ExtensionContext`; nil if the app has none.
    public var frameworksDirectory: String? { Surroundings.frameworksDirectory }

    /// Reads the picture's bytes into memory of this process. Later changes of the file do not affect them.
    ///
    /// - Parameter limit: the most bytes to read. A longer file is an error.
    public func loadPicture(limit: Int = ItemContents.standardLimit) throws(ItemFailure) -> [UInt8] {
        try picture.contents.load(limit: limit)
    }
}

extension ContentEditingInput {
    /// Uses the first picture among the items.
    init(_ items: [ExtensionItem], canHandle: (AdjustmentData) -> Bool) throws(ExtensionError) {
        for item in items {
            for provider in item.attachments {
                guard let type = provider.registeredTypeIdentifiers.first(where: { $0.conforms(to: .image) }) else {
                    continue
                }
                let earlier = item.userInfo[AdjustmentData.userInfoKey].flatMap(AdjustmentData.init)
                picture = provider
                self.type = type
                placeholder = item.placeholder
                adjustmentData = earlier.flatMap { canHandle($0) ? $0 : nil }
                userInfo = item.userInfo
                return
            }
        }
        throw ExtensionError(.noPicture, text: "The request holds no picture.")
    }
}
