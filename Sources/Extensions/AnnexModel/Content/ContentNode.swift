/// A part of an extension's view. An extension makes a tree of nodes, and its host draws the tree.
///
/// ```swift
/// let view: ContentNode = [
///     "Lisbon",
///     .text("23 °C, sunny", style: .secondary),
///     .progress(0.4, label: "Uploading"),
///     .choice("Category", action: "category", options: ["Holiday", "Work"], chosen: 0),
///     .button("Post", action: "post"),
/// ]
/// ```
///
/// Texts are plain. A host draws markup as ordinary letters. `ContentMessage` carries the tree to the host, and
/// `ContentLimits` states how large the tree may be.
public enum ContentNode: Sendable, Hashable {
    /// A text. It may have several lines.
    case text(String, style: ContentStyle = .primary)
    /// A PNG or JPEG picture. If a host cannot draw the picture, it shows the description.
    case image([UInt8], description: String = "")
    /// A progress bar. The fraction is limited to 0…1. If the fraction is nil, the bar shows that the length of the
    /// work is unknown.
    case progress(Double?, label: String = "")
    /// A title and options, of which the user picks one. The index `chosen` is counted from 0, and is nil if no
    /// option is chosen yet.
    case choice(String, action: String, options: [String], chosen: Int? = nil)
    /// A button with its title.
    case button(String, action: String)
    /// Nodes beside each other. If the nodes do not fit beside each other, the host draws them below each other.
    case row([ContentNode])
    /// Nodes below each other.
    case list([ContentNode])
}

/// The weight of a text in a view.
public enum ContentStyle: UInt8, Sendable, Hashable {
    /// The text that the user reads first.
    case primary = 1
    /// A remark, which a host draws fainter.
    case secondary = 2
}

extension ContentNode: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// A text in primary style.
    public init(stringLiteral value: String) { self = .text(value) }

    /// A list.
    public init(arrayLiteral elements: ContentNode...) { self = .list(elements) }
}
