/// A picture that a host lets an extension edit, together with the picture's earlier edit.
///
/// A host that keeps edited pictures keeps three things: the original, the edited picture, and the adjustment data.
/// An extension that can handle the adjustment data gets the original, so it can undo the earlier edit. Any other
/// extension gets the edited picture.
public struct EditablePicture: Sendable {
    /// The picture as the user sees it now, with all edits.
    public var picture: ItemProvider
    /// The picture before the edit that `adjustmentData` describes; nil if the host has not kept the original.
    public var original: ItemProvider?
    /// The edit that changed `original` to `picture`; nil if there was no edit.
    public var adjustmentData: AdjustmentData?
    /// A small or coarse picture. The extension shows this placeholder until it has read `picture`.
    public var placeholder: ItemProvider?
    /// Further values for the extension, for example the name of the edit that the host wants. Annex itself uses the
    /// keys `adjustmentData` and `placeholder`.
    public var userInfo: [String: ItemValue] = [:]

    /// A picture that has no earlier edit.
    /// - Parameter picture: the picture as the user sees it.
    public init(_ picture: ItemProvider) {
        self.picture = picture
    }
}

extension EditablePicture {
    /// The edit that an extension is asked to continue; nil if the original is missing, because an extension
    /// continues an edit from the original.
    package var earlier: AdjustmentData? { original == nil ? nil : adjustmentData }

    /// The item for the extension.
    /// - Parameter continues: whether the extension continues the earlier edit.
    package func item(continues: Bool) -> ExtensionItem {
        var userInfo = userInfo
        userInfo[AdjustmentData.userInfoKey] = continues ? earlier?.itemValue : nil
        let picture = continues ? original ?? picture : picture
        guard let placeholder else { return ExtensionItem(attachments: [picture], userInfo: userInfo) }
        userInfo[ExtensionItem.placeholderKey] = 1
        return ExtensionItem(attachments: [picture, placeholder], userInfo: userInfo)
    }
}

extension ExtensionItem {
    /// The key in the user info whose value is the index of the placeholder among the attachments.
    fileprivate static let placeholderKey = "placeholder"

    /// The index of the attachment that is the placeholder of the picture; nil if there is no placeholder.
    package var placeholderPlace: Int? {
        guard let place = userInfo[Self.placeholderKey]?.integer, place > 0, place < attachments.count
        else { return nil }
        return Int(place)
    }
}
