internal import Glibc

/// The principal object of an extension for the point `com.apple.photo-editing`. The protocol follows
/// `PHContentEditingController`.
///
/// A host holds a dialogue with the extension: start, actions in the extension's view, and then finish or cancel. A
/// host that wants no dialogue sends only the picture. In this case `startContentEditing` and `finishContentEditing`
/// are called one after the other.
///
/// ```swift
/// @main final class Fade: PhotoEditingExtension {
///     private var picture: Pixels?
///     private var strength: UInt32 = 1
///
///     var view: ContentNode? {
///         .choice("Strength", action: "strength", options: ["weak", "strong"], chosen: Int(strength))
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
    /// Whether the extension can continue an earlier edit. If the extension cannot, a host that holds a dialogue
    /// sends the picture with all edits, and no adjustment data. In the same case, a request without a dialogue
    /// fails.
    /// - Parameter adjustmentData: the earlier edit.
    func canHandle(_ adjustmentData: AdjustmentData) -> Bool

    /// Reads the picture and edits it.
    /// - Parameter input: the picture, and the earlier edit that `canHandle` accepted.
    /// - Throws: any error. The error ends the edit, and the host gets the error.
    func startContentEditing(with input: ContentEditingInput) throws

    /// Renders the result. Called once, after `startContentEditing`.
    /// - Returns: the picture and its adjustment data, even if the user changed nothing.
    /// - Throws: any error. The error ends the edit, and the host gets the error.
    func finishContentEditing() throws -> ContentEditingOutput

    /// Called if the host cancelled the edit. Release all memory of the edit here. No other function of this object
    /// is called afterwards.
    func cancelContentEditing()

    /// Whether the user would lose work if the edit were cancelled now. By default, the value is false.
    var shouldShowCancelConfirmation: Bool { get }

    /// The view that the host shows while the user edits. Called after `startContentEditing` and after each of the
    /// user's actions. By default, there is no view.
    var view: ContentNode? { get }

    /// Called when the user pressed a button or picked an option in the view. By default, nothing happens.
    /// - Parameter action: the identifier of the button or choice, and the picked option.
    func perform(_ action: ContentAction)
}

extension PhotoEditingExtension {
    /// By default, no earlier edit can be continued.
    public func canHandle(_ adjustmentData: AdjustmentData) -> Bool { false }
    public func cancelContentEditing() {}
    public var shouldShowCancelConfirmation: Bool { false }
    public var view: ContentNode? { nil }
    public func perform(_ action: ContentAction) {}

    /// Calls `startContentEditing` with the first picture of the request, then `finishContentEditing`, and returns
    /// the result to the host.
    public func beginRequest(with context: ExtensionContext) {
        context.completeRequest {
            try startContentEditing(with: ContentEditingInput(in: context, canHandle: canHandle))
            if context.isCancelled {
                cancelContentEditing()
                throw ExtensionError.userCancelled
            }
            return [try finishContentEditing().item]
        }
    }
}

/// The picture that an extension should edit.
public struct ContentEditingInput: Sendable {
    /// The picture: a read-only file. Its owner may change the file at any time.
    public let picture: ItemProvider
    /// The picture's type as the host knows it, for example `public.jpeg`.
    public let type: TypeIdentifier
    /// A small or coarse picture of the result so far; nil if the host sent none. The extension shows this
    /// placeholder until it has read `picture`.
    public let placeholder: ItemProvider?
    /// The earlier edit of the picture, which the extension can handle; nil if there is no such edit. If there is an
    /// earlier edit, `picture` is the unedited original.
    public let adjustmentData: AdjustmentData?
    /// Further values from the host, for example the name of the edit that the host wants.
    public let userInfo: [String: ItemValue]
    // SAFETY: the closure is called only on the thread that serves the channel.
    private nonisolated(unsafe) let poll: () -> Bool
    private let thread = pthread_self()

    /// Whether the host no longer needs the edit. The value is true under the same conditions as
    /// `ExtensionContext.isCancelled`. Long work must read this property several times within the extension point's
    /// `watchdog` limit. Otherwise the extension is ended as `unresponsive`. Read the property on the extension's
    /// first thread, because on any other thread the value is false. An extension in a sandbox has no other thread.
    public var isCancelled: Bool {
        guard pthread_equal(thread, pthread_self()) != 0 else { return false }
        return unsafe poll()
    }

    /// The path of the app's `Frameworks` directory, as in `ExtensionContext`; nil if the app has no such directory.
    public var frameworksDirectory: String? { ExtensionDirectories.frameworksDirectory }

    /// Reads the picture's bytes into memory of this process. Later changes of the file do not affect these bytes.
    ///
    /// - Parameter limit: the most bytes to read. A longer file is an error.
    /// - Throws: an `ItemFailure` if the host does not send the picture, or if the file changes while it is read.
    public func loadPicture(limit: Int = ItemContents.standardLimit) throws(ItemFailure) -> [UInt8] {
        try picture.contents.load(limit: limit)
    }
}

extension ContentEditingInput {
    /// Uses the first picture among the items of a request.
    /// - Throws: an error if there is no picture, or if the editor cannot handle the adjustment data. In the second
    ///   case the picture is the original, and a new edit of the original would lose the earlier edit.
    init(in context: ExtensionContext, canHandle: (AdjustmentData) -> Bool) throws(ExtensionError) {
        for item in context.inputItems {
            for (place, provider) in item.attachments.enumerated() where place != item.placeholderPlace {
                guard let type = provider.registeredTypeIdentifiers.first(where: { $0.conforms(to: .image) }) else {
                    continue
                }
                adjustmentData = item.userInfo[AdjustmentData.userInfoKey].flatMap(AdjustmentData.init)
                if let adjustmentData, !canHandle(adjustmentData) { throw Self.unknown(adjustmentData) }
                picture = provider
                self.type = type
                placeholder = item.placeholderPlace.map { item.attachments[$0] }
                userInfo = item.userInfo
                unsafe poll = { context.isCancelled }
                return
            }
        }
        throw ExtensionError(.noPicture, text: "The request holds no picture.")
    }

    private static func unknown(_ edit: AdjustmentData) -> ExtensionError {
        ExtensionError(
            .unknownEdit,
            text: "The extension cannot continue an edit of the format \(edit.formatIdentifier) "
                + "\(edit.formatVersion).")
    }
}
