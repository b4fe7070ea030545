/// The sizes that a host accepts for the view of an extension. The extension's own check uses the same limits.
public struct ContentLimits: Sendable, Hashable {
    /// The most bytes of the whole encoded view, with its pictures.
    public let bytes: Int
    /// The most nodes of the whole view.
    public let nodes: Int
    /// The most levels of nodes, at most 64. The root is the first level. This limit keeps the stack small in the
    /// code that reads or draws a view.
    public let depth: Int
    /// The most bytes of one text, title, label or option, in UTF-8.
    public let textBytes: Int
    /// The most lines of one text. All other texts of a view have one line.
    public let textLines: Int
    /// The most options of one choice.
    public let options: Int
    /// The most bytes of an action's identifier.
    public let actionBytes: Int
    /// The most bytes of one picture.
    public let pictureBytes: Int
    /// The longest side of one picture, in pixels; at most 1,048,576.
    public let pictureSide: Int
    /// The most pixels of all pictures of the view together. A decoded pixel takes about four bytes.
    public let pixels: Int

    /// The standard limits. A view has at most 512 KiB, 1,000 nodes and 16 levels. A text has at most 4,096 bytes and
    /// 64 lines, a choice 64 options, and an action 64 bytes. A picture has at most 256 KiB and 2,048 pixels a side,
    /// and all pictures together have at most 8 Mi pixels.
    public static let standard = ContentLimits()

    /// Creates limits. A parameter that is omitted has its standard value. A value above its maximum is replaced by the
    /// maximum.
    public init(
        bytes: Int = 512 << 10, nodes: Int = 1_000, depth: Int = 16, textBytes: Int = 4_096, textLines: Int = 64,
        options: Int = 64, actionBytes: Int = 64, pictureBytes: Int = 256 << 10, pictureSide: Int = 2_048,
        pixels: Int = 8 << 20
    ) {
        // These maximums are far above the needs of a view. They are low enough that no sum or product of two of them
        // can overflow.
        self.nodes = min(max(nodes, 1), 1_000_000)
        self.options = min(max(options, 1), 1_000_000)
        self.depth = min(max(depth, 1), 64)
        self.bytes = max(bytes, 0)
        self.textBytes = max(textBytes, 0)
        self.textLines = max(textLines, 1)
        self.actionBytes = max(actionBytes, 1)
        self.pictureBytes = max(pictureBytes, 0)
        self.pictureSide = min(max(pictureSide, 1), 1 << 20)
        self.pixels = max(pixels, 0)
    }
}
