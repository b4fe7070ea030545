/// The principal object of an extension for the point `com.apple.photo-editing`.
public protocol PhotoEditingExtension: AppExtension {
    /// Whether the extension can take up an earlier edit; otherwise it gets the picture as it was rendered.
    func canHandle(_ adjustmentData: AdjustmentData) -> Bool

    /// Takes the picture in and edits it.
    func startContentEditing(with input: ContentEditingInput) throws

    /// Renders the result. Called once, after `startContentEditing`.
    func finishContentEditing() throws -> ContentEditingOutput

    /// The host gave up: lets go of everything. No call follows.
    func cancelContentEditing()

    /// Whether a user would lose work by cancelling now.
    var shouldShowCancelConfirmation: Bool { get }
}

extension PhotoEditingExtension {
    public func canHandle(_ adjustmentData: AdjustmentData) -> Bool { false }
    public func cancelContentEditing() {}
    public var shouldShowCancelConfirmation: Bool { false }

    /// Takes the first picture of the request through start and finish, and hands the result back.
    public func beginRequest(with context: ExtensionContext) {
        context.completeRequest {
            guard let input = ContentEditingInput(context.inputItems, canHandle: canHandle) else {
                throw ExtensionError(.noPicture, "The request holds no picture.")
            }
            try startContentEditing(with: input)
            if context.isCancelled {
                cancelContentEditing()
                throw ExtensionError.userCancelled
            }
            return [try finishContentEditing().item]
        }
    }
}
