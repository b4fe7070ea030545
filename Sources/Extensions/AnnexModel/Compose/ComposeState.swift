/// What a host shows of a dialogue with an extension: a compose sheet, or the extension's own view.
///
/// If an extension posts the user's text, the host draws the sheet from these properties. If an extension has its own
/// view, `view` is set, and the host draws this view instead of the sheet. The extension's texts were checked: they
/// have no control characters or terminal escapes, and they are within `ComposeLimits`. `contentText` holds the
/// user's own text as the host passed it on.
public struct ComposeState: Sendable, Hashable {
    /// A line of the sheet that the user can set, for example a category.
    public struct ConfigurationItem: Sendable, Hashable {
        /// The name of the setting.
        public let title: String
        /// The current value; empty if there is none.
        public let value: String
        /// Whether the user can pick another value. If so, `ComposeSession.tap(_:)` returns the options.
        public let isTappable: Bool

        package init(title: String, value: String, isTappable: Bool) {
            self.title = title
            self.value = value
            self.isTappable = isTappable
        }
    }

    /// The faint text that an empty sheet shows.
    public package(set) var placeholder = ""
    /// The user's text. An extension may replace it.
    public package(set) var contentText = ""
    /// How many characters the user may still write; negative if the text has too many characters; nil if the
    /// extension does not count.
    public package(set) var charactersRemaining: Int?
    /// Whether the extension accepts the text, so that the user can post it.
    public package(set) var isContentValid = true
    /// The settings below the text, in order.
    public package(set) var configurationItems: [ConfigurationItem] = []
    /// The extension's own view, which the host draws instead of the sheet; nil if the extension has no view.
    public package(set) var view: ContentTree?

    package init() {}
}

/// The options of a setting in a compose sheet, of which the user picks one.
public struct ComposeOptions: Sendable, Hashable {
    /// The options, in order.
    public let titles: [String]
    /// The index of the current option, counted from 0; nil if no option is chosen.
    public let chosen: Int?

    package init(titles: [String], chosen: Int?) {
        self.titles = titles
        self.chosen = chosen
    }
}

/// The limits of the contents that an extension may put into a compose sheet. An extension that exceeds a limit is
/// ended.
public enum ComposeLimits {
    /// The most bytes of a placeholder, a title, a value, or an option.
    public static let label = 512
    /// The most bytes of the user's text, and of the text with which an extension replaces it.
    public static let text = 256 << 10
    /// The most settings of a sheet.
    public static let items = 32
    /// The most options of a setting.
    public static let options = 512
}
