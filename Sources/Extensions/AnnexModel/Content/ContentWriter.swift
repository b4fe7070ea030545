internal import AnnexChannel

/// Encodes the nodes of a view.
struct ContentWriter {
    let limits: ContentLimits

    /// The encoding of a node with its parts.
    /// - Throws: `tooDeep` or `tooLong`. The reader of the view checks all other limits.
    func bytes(of node: ContentNode, at place: ContentPlace = .root) throws(ContentError) -> [UInt8] {
        try place.check(limits)
        let message = try message(of: node, at: place)
        do throws(EncodingFailure) {
            return try message.encoded(within: limits.ofOneNode)
        } catch {
            throw ContentError(failure: error, at: place)
        }
    }

    private func message(of node: ContentNode, at place: ContentPlace) throws(ContentError) -> NodeMessage {
        switch node {
        case .text(let text, let style):
            var message = NodeMessage(.text, text: text)
            message.style = style.rawValue
            return message
        case .image(let bytes, let description):
            var message = NodeMessage(.image, text: description)
            message.picture = bytes
            return message
        case .progress(let fraction, let label):
            var message = NodeMessage(.progress, text: label)
            message.fraction = fraction
            return message
        case .choice(let title, let action, let options, let chosen):
            var message = NodeMessage(.choice, text: title, action: action)
            message.options = options
            // An index that does not fit into 32 bits becomes the largest 32-bit number. No list of options has that
            // many options, so the reader refuses the view.
            message.chosen = chosen.map { UInt32(exactly: $0) ?? .max }
            return message
        case .button(let title, let action): return NodeMessage(.button, text: title, action: action)
        case .row(let nodes): return try message(.row, of: nodes, at: place)
        case .list(let nodes): return try message(.list, of: nodes, at: place)
        }
    }

    private func message(
        _ kind: NodeMessage.Kind, of nodes: [ContentNode], at place: ContentPlace
    ) throws(ContentError) -> NodeMessage {
        var message = NodeMessage(kind)
        message.parts.reserveCapacity(nodes.count)
        for (index, node) in nodes.enumerated() { message.parts.append(try bytes(of: node, at: place.part(index))) }
        return message
    }
}

extension NodeMessage {
    fileprivate init(_ kind: Kind, text: String, action: String = "") {
        self.init(kind)
        self.text = text
        self.action = action
    }
}

extension ContentPlace {
    /// - Throws: `tooDeep`.
    func check(_ limits: ContentLimits) throws(ContentError) {
        guard depth <= limits.depth else {
            throw ContentError(
                .tooDeep, at: self, what: "lies deeper than \(limits.depth) levels",
                remedy: "nest rows and lists less deep")
        }
    }
}

extension ContentError {
    fileprivate init(failure: EncodingFailure, at place: ContentPlace) {
        switch failure {
        case .tooManyFields(let limit): self = .tooManyFields(at: place, limit: limit)
        case .tooLong(let limit): self = .tooLong(at: place, limit: limit)
        case .tooDeep:
            self.init(.malformed, at: place, what: "cannot be encoded: \(failure)", remedy: "make it simpler")
        }
    }

    static func tooLong(at place: ContentPlace, limit: Int) -> ContentError {
        ContentError(
            .tooLong, at: place, what: "has more than \(limit) bytes", remedy: "use smaller pictures or fewer nodes")
    }

    static func tooManyFields(at place: ContentPlace, limit: Int) -> ContentError {
        ContentError(
            .tooManyNodes, at: place, what: "has more than \(limit) parts or options", remedy: "send fewer of them")
    }
}
