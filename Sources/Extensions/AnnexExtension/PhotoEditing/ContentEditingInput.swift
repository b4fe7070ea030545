/// The picture that an extension is to edit.
public struct ContentEditingInput: Sendable {
    /// The picture: a read-only file. Its owner may change the file at any time.
    public let picture: ItemProvider
    /// The picture's type as the host knows it, for example `public.jpeg`.
    public let type: TypeIdentifier
    /// The earlier edit of the picture; nil if there is none or the extension cannot handle it. If it is set, `picture`
    /// is the unedited original.
    public let adjustmentData: AdjustmentData?
    /// Further values from the host, for example which edit it wants.
    public let userInfo: [String: ItemValue]

    /// Reads the picture's bytes into memory of this process. Later changes of the file do not affect them.
    ///
    /// - Parameter limit: the most bytes to read. A longer file is refused.
    public func loadPicture(limit: Int = ItemContents.standardLimit) throws(ItemFailure) -> [UInt8] {
        try picture.contents.load(limit: limit)
    }
}

extension ContentEditingInput {
    /// Uses the first picture among the items; nil if no item has one.
    init?(_ items: [ExtensionItem], canHandle: (AdjustmentData) -> Bool) {
        for item in items {
            for provider in item.attachments {
                guard let type = provider.registeredTypeIdentifiers.first(where: { $0.conforms(to: .image) }) else {
                    continue
                }
                let earlier = item.userInfo[AdjustmentData.userInfoKey].flatMap(AdjustmentData.init)
                self.init(
                    picture: provider, type: type, adjustmentData: earlier.flatMap { canHandle($0) ? $0 : nil },
                    userInfo: item.userInfo)
                return
            }
        }
        return nil
    }
}
