package import AnnexChannel

/// The changes that an extension makes to the sheet or view that its host shows. A part that is not in the message
/// stays unchanged, except `isContentValid` and `charactersRemaining`: each message sets these two.
package struct ComposeChange: ChannelNotice, PointMessage, Hashable {
    /// The method number of the notice. The extension sends this notice when it changes the dialogue without an event
    /// from the host.
    package static let method = ReservedMethods.first + 0x10

    /// The number of the change. Later changes have higher numbers. The host needs the numbers, because its threads
    /// may handle a notice and an answer in the wrong order. A change without a number has the number 0.
    package let number: UInt64
    package var placeholder: String?
    /// The text that replaces the user's text.
    package var contentText: String?
    package var isContentValid = true
    package var charactersRemaining: Int?
    package var configurationItems: [ComposeState.ConfigurationItem]?
    package var view: ContentMessage?
    /// The checked view, which exists only on the host's side.
    private var tree: ContentTree?

    private enum Tag {
        static let placeholder: UInt16 = 1
        static let text: UInt16 = 2
        static let isInvalid: UInt16 = 3
        static let remaining: UInt16 = 4
        static let hasItems: UInt16 = 5
        static let item: UInt16 = 6
        static let view: UInt16 = 7
        static let number: UInt16 = 8
    }

    package init(number: UInt64 = 0) {
        self.number = number
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(placeholder, as: Tag.placeholder)
        encoder.encode(contentText, as: Tag.text)
        if !isContentValid { encoder.encode(true, as: Tag.isInvalid) }
        encoder.encode(charactersRemaining.map { Int64($0) }, as: Tag.remaining)
        if let configurationItems {
            encoder.encode(true, as: Tag.hasItems)
            encoder.encode(list: configurationItems.map(SettingMessage.init), as: Tag.item)
        }
        encoder.encode(view, as: Tag.view)
        if number > 0 { encoder.encode(number, as: Tag.number) }
    }

    /// Accepts only messages that an honest extension can send. Texts are made safe to draw.
    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        number = try decoder.decode(Tag.number, default: 0)
        if let text = try decoder.decodeIfPresent(Tag.placeholder, as: String.self) {
            placeholder = try Self.label(text, tag: Tag.placeholder, in: decoder)
        }
        contentText = try decoder.decodeIfPresent(Tag.text, as: String.self)
        if let text = contentText {
            guard text.utf8.count <= ComposeLimits.text else {
                throw decoder.failure(Tag.text, reason: .rejected("a text that is too long for a compose sheet"))
            }
            contentText = ShownText.harmless(text, hasLines: true)
        }
        isContentValid = try !decoder.decode(Tag.isInvalid, default: false)
        charactersRemaining = try decoder.decodeIfPresent(Tag.remaining, as: Int64.self).map { Int(clamping: $0) }
        if try decoder.decode(Tag.hasItems, default: false) {
            let items: [SettingMessage] = try decoder.decodeList(Tag.item)
            guard items.count <= ComposeLimits.items else {
                throw decoder.failure(Tag.item, reason: .rejected("too many settings in a compose sheet"))
            }
            configurationItems = items.map(\.item)
        }
        view = try decoder.decodeIfPresent(Tag.view)
        do throws(ContentError) {
            tree = try view?.tree()
        } catch {
            throw decoder.failure(Tag.view, reason: .rejected("a view that breaks a limit"))
        }
    }

    static func label(
        _ text: String, tag: UInt16, in decoder: borrowing MessageDecoder
    ) throws(DecodingFailure) -> String {
        guard text.utf8.count <= ComposeLimits.label else {
            throw decoder.failure(tag, reason: .rejected("a label that is too long for a compose sheet"))
        }
        return ShownText.harmless(text, hasLines: false)
    }
}

/// For each part of the sheet, the number of the newest change that a host has applied. The part `verdict` is
/// `isContentValid` together with `charactersRemaining`.
package struct AppliedChanges: Sendable {
    fileprivate var placeholder: UInt64 = 0
    fileprivate var text: UInt64 = 0
    fileprivate var verdict: UInt64 = 0
    fileprivate var items: UInt64 = 0
    fileprivate var view: UInt64 = 0

    package init() {}
}

extension ComposeState {
    /// Applies the extension's changes. If a newer change was already applied to a part of the sheet, this part stays
    /// as it is.
    package mutating func apply(_ change: ComposeChange, after applied: inout AppliedChanges) {
        func isNews(_ newest: inout UInt64) -> Bool {
            guard change.number >= newest else { return false }
            newest = change.number
            return true
        }
        if let text = change.placeholder, isNews(&applied.placeholder) { placeholder = text }
        if let text = change.contentText, isNews(&applied.text) { contentText = text }
        if let items = change.configurationItems, isNews(&applied.items) { configurationItems = items }
        if let tree = change.checkedView, isNews(&applied.view) { view = tree }
        guard isNews(&applied.verdict) else { return }
        isContentValid = change.isContentValid
        charactersRemaining = change.charactersRemaining
    }
}

extension ComposeChange {
    fileprivate var checkedView: ContentTree? { tree }
}

/// A setting of a compose sheet, encoded as a message.
private struct SettingMessage: Message {
    let item: ComposeState.ConfigurationItem

    init(_ item: ComposeState.ConfigurationItem) {
        self.item = item
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(item.title, as: 1)
        if !item.value.isEmpty { encoder.encode(item.value, as: 2) }
        if item.isTappable { encoder.encode(true, as: 3) }
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let title: String = try decoder.decode(1)
        let value = try decoder.decode(2, default: "")
        let isTappable = try decoder.decode(3, default: false)
        item = ComposeState.ConfigurationItem(
            title: try ComposeChange.label(title, tag: 1, in: decoder),
            value: try ComposeChange.label(value, tag: 2, in: decoder), isTappable: isTappable)
    }
}
