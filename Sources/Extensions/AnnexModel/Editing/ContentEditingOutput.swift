/// The edited picture, and a description of how it was edited. The type follows `PHContentEditingOutput`.
public struct ContentEditingOutput: Sendable {
    /// The edited picture, in sealed memory that no process can change any more.
    public let renderedContent: ItemContents
    /// The type of the edited picture.
    public let type: TypeIdentifier
    /// How the picture was edited.
    public let adjustmentData: AdjustmentData

    /// Writes the picture directly into the memory that the host will get.
    ///
    /// - Parameters:
    ///   - type: the type of the edited picture.
    ///   - adjustmentData: how the picture was edited.
    ///   - write: receives the descriptor of an open file. Write to the file from its start, and do not close the
    ///     descriptor.
    /// - Throws: the errors of `write`, and a `SystemError` if there is no memory.
    public init(
        type: TypeIdentifier, adjustmentData: AdjustmentData, writing write: (_ file: Int32) throws -> Void
    ) throws {
        renderedContent = try .sealing(write)
        self.type = type
        self.adjustmentData = adjustmentData
    }

    /// Copies a picture into the memory that the host will get.
    ///
    /// - Parameters:
    ///   - type: the type of the edited picture.
    ///   - adjustmentData: how the picture was edited.
    ///   - bytes: the file of the edited picture.
    /// - Throws: an `ItemFailure` if there is no memory.
    public init(type: TypeIdentifier, adjustmentData: AdjustmentData, bytes: [UInt8]) throws(ItemFailure) {
        renderedContent = try ItemContents(bytes: bytes)
        self.type = type
        self.adjustmentData = adjustmentData
    }
}

extension ContentEditingOutput {
    /// The item that carries the edit to the host.
    package var item: ExtensionItem {
        ExtensionItem(
            attachments: [ItemProvider(contents: renderedContent, types: [type])],
            userInfo: [AdjustmentData.userInfoKey: adjustmentData.itemValue])
    }

    /// Reads an extension's answer; nil if the answer is not exactly one picture with adjustment data.
    package init?(_ items: [ExtensionItem]) {
        guard items.count == 1, items[0].attachments.count == 1,
            let adjustmentData = items[0].userInfo[AdjustmentData.userInfoKey].flatMap(AdjustmentData.init)
        else { return nil }
        guard let picture = try? items[0].attachments[0].representation(forType: .image),
            let type = picture.types.first(where: { $0.conforms(to: .image) })
        else { return nil }
        renderedContent = picture.contents
        self.type = type
        self.adjustmentData = adjustmentData
    }
}
