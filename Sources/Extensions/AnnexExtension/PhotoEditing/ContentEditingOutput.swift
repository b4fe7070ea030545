/// The edited picture, in sealed memory that no process can change any more.
public struct ContentEditingOutput: Sendable {
    /// The edited picture.
    public let renderedContent: ItemContents
    /// The type of the edited picture.
    public let type: TypeIdentifier
    /// How the picture was edited.
    public let adjustmentData: AdjustmentData

    /// Writes the picture straight into the memory that the host will get.
    ///
    /// - Parameter write: receives the number of an open file. Write to it from its start, and do not close it.
    public init(
        type: TypeIdentifier, adjustmentData: AdjustmentData, writing write: (_ file: Int32) throws -> Void
    ) throws {
        renderedContent = try .sealing(write)
        self.type = type
        self.adjustmentData = adjustmentData
    }

    /// Copies a picture into the memory that the host will get.
    public init(type: TypeIdentifier, adjustmentData: AdjustmentData, bytes: [UInt8]) throws(ItemFailure) {
        renderedContent = try ItemContents(bytes: bytes)
        self.type = type
        self.adjustmentData = adjustmentData
    }
}

extension ContentEditingOutput {
    /// The item to send to the host.
    var item: ExtensionItem {
        ExtensionItem(
            attachments: [ItemProvider(contents: renderedContent, types: [type])],
            userInfo: [AdjustmentData.userInfoKey: adjustmentData.itemValue])
    }
}
