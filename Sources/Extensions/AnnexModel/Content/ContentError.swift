/// The error that says why an extension's view is refused: the problem, the node, and the remedy.
///
/// The texts of this error contain no text of the view, so they are safe to show.
public struct ContentError: Error, Sendable, Hashable {
    /// The kind of error, for programs.
    public enum Code: String, Sendable, Hashable {
        /// The bytes are not an encoded view.
        case malformed
        /// The encoded view is larger than the limit.
        case tooLong
        /// The view has too many nodes.
        case tooManyNodes
        /// Nodes are nested too deep.
        case tooDeep
        /// A text has too many bytes or lines.
        case textTooLong
        /// A picture is neither PNG nor JPEG, or states no size.
        case notAPicture
        /// A picture has too many bytes or pixels, or all pictures together have too many pixels.
        case pictureTooLarge
        /// A choice has no options, or too many, or its chosen option does not exist.
        case invalidChoice
        /// The identifier of an action is empty or too long, or has characters that are not allowed.
        case invalidAction
        /// The fraction of a progress bar is infinite or not a number.
        case invalidProgress
    }

    /// The kind of error.
    public let code: Code
    /// The problem, with the limit, in one line.
    public let what: String
    /// The place of the node in the view. `view` is the root, and `view/2/5` is the fifth part of the root's second
    /// part.
    public let place: String
    /// The remedy.
    public let remedy: String

    init(_ code: Code, at place: ContentPlace, what: String, remedy: String) {
        self.code = code
        self.what = what
        self.place = place.description
        self.remedy = remedy
    }
}

extension ContentError: CustomStringConvertible {
    public var description: String { "\(place): \(what); \(remedy)" }
}

/// The place of a node in its view.
struct ContentPlace: CustomStringConvertible {
    private var steps: [Int] = []

    /// The place of the root.
    static let root = ContentPlace()

    /// The number of levels from the root to the node, both included.
    var depth: Int { steps.count + 1 }

    /// The place of a part of this node. The first part has the index 0.
    func part(_ index: Int) -> ContentPlace {
        var part = self
        part.steps.append(index + 1)
        return part
    }

    var description: String { (["view"] + steps.map(String.init)).joined(separator: "/") }
}
