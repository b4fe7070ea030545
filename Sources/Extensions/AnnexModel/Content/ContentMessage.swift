public import AnnexChannel

/// A view that an extension sends to its host, as a message or as a field of another message.
///
/// The message holds bytes that have not been checked. A host gets the nodes from ``tree(within:)``, which checks the
/// bytes.
public struct ContentMessage: Message, Hashable {
    private let bytes: [UInt8]

    /// Encodes a view, and checks the view in the same way as the host will.
    ///
    /// - Parameters:
    ///   - root: the view, usually a list.
    ///   - limits: the limits of the host.
    /// - Throws: an error for the first limit that the view exceeds. The error names the place of the node.
    public init(_ root: ContentNode, within limits: ContentLimits = .standard) throws(ContentError) {
        bytes = try ContentWriter(limits: limits).bytes(of: root)
        _ = try tree(within: limits)
    }

    /// Decodes and checks the view.
    ///
    /// - Throws: an error for the first limit that the view exceeds, or `malformed`. Either error names the place of
    ///   the node.
    public func tree(within limits: ContentLimits = .standard) throws(ContentError) -> ContentTree {
        var reader = ContentReader(limits)
        return ContentTree(root: try reader.node(bytes) ?? .list([]))
    }

    public func encode(into encoder: inout MessageEncoder) {
        encoder.encode(bytes, as: 1)
    }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        bytes = try decoder.decode(1)
    }
}

/// A view that was checked. A host can draw every part of it.
///
/// - The view was within all ``ContentLimits`` when it arrived. Then each character that is not safe to draw was
///   replaced by a character of three bytes. So a text may now be up to three times as long as its limit.
/// - Texts have no control characters, terminal escapes, bidirectional overrides or invisible characters. Texts are
///   plain text, so a host that draws with HTML must escape them for HTML.
/// - Only the headers of pictures were read. Decode pictures in a sandbox.
/// - Nodes of kinds that this version does not know are left out.
public struct ContentTree: Sendable, Hashable {
    /// The whole view.
    public let root: ContentNode

    init(root: ContentNode) {
        self.root = root
    }
}

/// A user's action in a view: the user pressed a button, or picked an option. The host sends the action to the
/// extension.
public struct ContentAction: Message, Hashable {
    /// The identifier that the extension gave to the button or choice.
    public let identifier: String
    /// The index of the picked option of a choice, counted from 0; nil for a button.
    public let option: UInt32?

    public init(identifier: String, option: UInt32? = nil) {
        self.identifier = identifier
        self.option = option
    }

    public func encode(into encoder: inout MessageEncoder) {
        encoder.encode(identifier, as: 1)
        encoder.encode(option, as: 2)
    }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        identifier = try decoder.decode(1)
        option = try decoder.decodeIfPresent(2)
    }
}
