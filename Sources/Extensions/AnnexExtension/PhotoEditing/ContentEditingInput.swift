/// The picture to edit.
public struct ContentEditingInput: Sendable {
    /// The picture: a file that can only be read, and that its owner may change at any time.
    public let picture: ItemProvider
    /// The picture's type as the host knows it, for example `public.jpeg`.
    public let type: TypeIdentifier
    /// How the picture was edited before, where the extension can handle that; then the picture is the original.
    public let adjustmentData: AdjustmentData?
    /// What else the host said, for example which edit it wants.
    public let userInfo: [String: ItemValue]

    /// The picture's bytes, read once into memory of this process: whatever happens to the file, they stay.
    ///
    /// - Parameter limit: most bytes; a longer file is refused.
    public func loadPicture(limit: Int = ItemContents.standardLimit) throws(ItemFailure) -> [UInt8] {
        try picture.contents.load(limit: limit)
    }
}

extension ContentEditingInput {
    /// The first picture among the items.
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
