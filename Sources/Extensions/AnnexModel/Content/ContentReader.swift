internal import AnnexChannel

/// Reads the nodes of a view from untrusted bytes, and checks each node. Any bytes give either a node or an error.
///
/// For each node, the reader decodes only the node's own fields, and leaves the node's parts encoded. So a view that
/// exceeds a limit is refused before the nodes beyond the limit use memory. `ContentLimits.depth` limits how deep the
/// recursion goes, and thereby the stack.
struct ContentReader {
    let limits: ContentLimits
    private var nodesLeft: Int
    private var pixelsLeft: Int

    init(_ limits: ContentLimits) {
        self.limits = limits
        nodesLeft = limits.nodes - 1
        pixelsLeft = limits.pixels
    }

    /// The decoded node; nil if this version does not know the kind of the node.
    mutating func node(_ bytes: [UInt8], at place: ContentPlace = .root) throws(ContentError) -> ContentNode? {
        try place.check(limits)
        let message = try decoded(bytes, at: place)
        guard let kind = NodeMessage.Kind(rawValue: message.kind) else { return nil }
        switch kind {
        case .text:
            let style = message.style.flatMap { ContentStyle(rawValue: $0) } ?? .primary
            return .text(try text(message.text, at: place), style: style)
        case .image:
            try checkPicture(message.picture, at: place)
            return .image(message.picture, description: try line(message.text, at: place))
        case .progress:
            return .progress(try fraction(message.fraction, at: place), label: try line(message.text, at: place))
        case .choice: return try choice(message, at: place)
        case .button:
            try checkAction(message.action, at: place)
            return .button(try line(message.text, at: place), action: message.action)
        case .row: return .row(try nodes(message.parts, at: place))
        case .list: return .list(try nodes(message.parts, at: place))
        }
    }

    private mutating func nodes(_ parts: [[UInt8]], at place: ContentPlace) throws(ContentError) -> [ContentNode] {
        guard parts.count <= nodesLeft else {
            throw ContentError(
                .tooManyNodes, at: place, what: "has parts beyond the \(limits.nodes) nodes of a view",
                remedy: "send fewer nodes")
        }
        nodesLeft -= parts.count
        var nodes: [ContentNode] = []
        for (index, part) in parts.enumerated() {
            if let node = try node(part, at: place.part(index)) { nodes.append(node) }
        }
        return nodes
    }

    private func decoded(_ bytes: [UInt8], at place: ContentPlace) throws(ContentError) -> NodeMessage {
        do throws(DecodingFailure) {
            return try NodeMessage(decoding: bytes, within: limits.ofOneNode)
        } catch {
            switch error.reason {
            case .tooLong(let limit): throw .tooLong(at: place, limit: limit)
            case .tooManyFields(let limit): throw .tooManyFields(at: place, limit: limit)
            default:
                throw ContentError(
                    .malformed, at: place, what: "is no encoded node: \(error)", remedy: "encode it by ContentMessage")
            }
        }
    }
}

// MARK: - Pictures

extension ContentReader {
    private mutating func checkPicture(_ bytes: [UInt8], at place: ContentPlace) throws(ContentError) {
        guard bytes.count <= limits.pictureBytes else {
            throw tooLarge("a picture of more than \(limits.pictureBytes) bytes", at: place)
        }
        guard let header = PictureHeader(bytes) else {
            throw ContentError(
                .notAPicture, at: place, what: "has bytes that are no PNG or JPEG picture", remedy: "convert it to PNG")
        }
        guard header.width <= limits.pictureSide, header.height <= limits.pictureSide else {
            let size = "\(header.width) × \(header.height) pixels"
            throw tooLarge("a picture of \(size), and \(limits.pictureSide) a side are allowed", at: place)
        }
        // The width and the height have at most 21 bits each, so their product cannot overflow.
        let pixels = header.width * header.height
        guard pixels <= pixelsLeft else {
            throw tooLarge("a picture beyond the \(limits.pixels) pixels of a view", at: place)
        }
        pixelsLeft -= pixels
    }

    private func tooLarge(_ what: String, at place: ContentPlace) -> ContentError {
        ContentError(.pictureTooLarge, at: place, what: "has \(what)", remedy: "make the picture smaller")
    }
}
