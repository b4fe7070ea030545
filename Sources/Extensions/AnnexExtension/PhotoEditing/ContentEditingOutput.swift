/// The edited picture, in memory that nobody can change any more.
public struct ContentEditingOutput: Sendable {
    /// The edited picture.
    public let renderedContent: ItemContents
    /// Its type.
    public let type: TypeIdentifier
    /// How it was edited.
    public let adjustmentData: AdjustmentData

    /// Writes the picture straight into the memory that is handed over.
    ///
    /// - Parameter write: gets the number of an open file, to be written from its start and not closed.
    public init(
        type: TypeIdentifier, adjustmentData: AdjustmentData, writing write: (_ file: Int32) throws -> Void
    ) throws {
        renderedContent = try .sealing(write)
        self.type = type
        self.adjustmentData = adjustmentData
    }

    /// Copies a picture into the memory that is handed over.
    public init(type: TypeIdentifier, adjustmentData: AdjustmentData, bytes: [UInt8]) throws(ItemFailure) {
        renderedContent = try ItemContents(bytes: bytes)
        self.type = type
        self.adjustmentData = adjustmentData
    }
}

extension ContentEditingOutput {
    /// What the host gets.
    var item: ExtensionItem {
        ExtensionItem(
            attachments: [ItemProvider(contents: renderedContent, types: [type])],
            userInfo: [AdjustmentData.userInfoKey: adjustmentData.itemValue])
    }
}
