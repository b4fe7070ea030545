/// What a host shows of a dialogue with an extension: a compose sheet, or a view of the extension's own.
///
/// An extension that posts the user's text fills in the sheet. An extension with a view of its own has a `view`, and a host
/// draws it instead. The extension's texts were checked: they have no control characters or terminal escapes, and
/// `ComposeLimits` bounds them. The user's own text stands in `contentText` as the host passed it on.
public struct ComposeState: Sendable, Hashable {
    /// A line of the sheet that the user can set, for example a category.
    public struct ConfigurationItem: Sendable, Hashable {
        /// The name of the setting.
        public let title: String
        /// The present value; empty if there is none.
        public let value: String
        /// Whether the user can pick another value: `ComposeSession.tap(_:)` then brings the options.
        public let isTappable: Bool

        package init(title: String, value: String, isTappable: Bool) {
            self.title = title
            self.value = value
            self.isTappable = isTappable
        }
    }

    /// The text that stands faintly in an empty sheet.
    public package(set) var placeholder = ""
    /// The user's text. An extension may replace it.
    public package(set) var contentText = ""
    /// How many characters the user may still write; negative if there are too many. Nil if the extension does not count.
    public package(set) var charactersRemaining: Int?
    /// Whether the extension accepts the text, so that the user can post it.
    public package(set) var isContentValid = true
    /// The settings below the text, in order.
    public package(set) var configurationItems: [ConfigurationItem] = []
    /// The extension's own view, to be drawn instead of the sheet; nil if it has none.
    public package(set) var view: ContentTree?

    package init() {}
}

/// The options of a setting in a compose sheet, of which the user picks one.
public struct ComposeOptions: Sendable, Hashable {
    /// The options, in order.
    public let titles: [String]
    /// The present option, counted from 0; nil if none is chosen.
    public let chosen: Int?

    package init(titles: [String], chosen: Int?) {
        self.titles = titles
        self.chosen = chosen
    }
}

/// The most that an extension may put into a compose sheet. More ends the extension.
public enum ComposeLimits {
    /// Bytes of a placeholder, a title, a value, or an option.
    public static let label = 512
    /// Bytes of the user's text, and of the text that an extension puts in its place.
    public static let text = 256 << 10
    /// Settings of a sheet.
    public static let items = 32
    /// Options of a setting.
    public static let options = 512
}
