/// The principal object of an extension for the point `com.apple.photo-editing`.
public protocol PhotoEditingExtension: AppExtension {
    /// Whether the extension can continue an earlier edit. If not, it gets the rendered picture without the edit data.
    func canHandle(_ adjustmentData: AdjustmentData) -> Bool

    /// Reads the picture and edits it.
    func startContentEditing(with input: ContentEditingInput) throws

    /// Renders the result. Called once, after `startContentEditing`.
    func finishContentEditing() throws -> ContentEditingOutput

    /// Called if the host cancelled: release everything. No other call follows.
    func cancelContentEditing()

    /// Whether a user would lose work by cancelling now.
    var shouldShowCancelConfirmation: Bool { get }
}

extension PhotoEditingExtension {
    /// By default, no earlier edit can be continued.
    public func canHandle(_ adjustmentData: AdjustmentData) -> Bool { false }
    public func cancelContentEditing() {}
    public var shouldShowCancelConfirmation: Bool { false }

    /// Passes the first picture of the request through start and finish, and returns the result to the host.
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
