package import AnnexPolicy
internal import Synchronization

/// The extension points of a broker: the shipped points, and the points that a host adds from its own files.
package struct PointLibrary: Sendable {
    /// The library with only the shipped points. Each shipped point is read from its text when it is first needed.
    package static let shipped = PointLibrary(own: [:])

    /// The points from the host's own files, by identifier.
    private let own: [String: ExtensionPoint]

    private init(own: [String: ExtensionPoint]) {
        self.own = own
    }

    /// Creates a library with the shipped points and the points of a directory.
    ///
    /// - Parameter directory: a directory of files `IDENTIFIER.yaml`, each with one point. The directory and each file
    ///   must belong to root or the caller, and must not be writable by every user.
    /// - Throws: the first mistake in a file, with its place. A file for a shipped point must state
    ///   `replaces: shipped`, and a file for another point must not.
    package init(adding directory: String) throws(PolicyError) {
        var library = PointLibrary.shipped
        for (_, source) in try PolicyDirectory(path: directory).texts().sorted(by: { $0.key < $1.key }) {
            library = try library.adding(ExtensionPoint(text: source.text, file: source.file))
        }
        self = library
    }

    /// A copy of this library with one more point.
    ///
    /// - Throws: an error if the library already has a point with this identifier. The comparison ignores the case of
    ///   letters. A shipped point is replaced only if the new point's file says so.
    package func adding(_ point: ExtensionPoint) throws(PolicyError) -> PointLibrary {
        let place = point.places["point"]
        if let other = own.values.first(where: { $0.identifier.isSame(as: point.identifier) }) {
            let first = other.places["point"].map { " in \($0.file)" } ?? ""
            throw PolicyError("\(point.identifier) is already declared\(first)", at: place)
        }
        let shipped = Self.shippedNames.first { $0.isSame(as: point.identifier) }
        if let shipped, shipped != point.identifier || !point.replacesShipped {
            throw PolicyError(
                "\(shipped) is a shipped point: choose another identifier, or state `replaces: shipped`", at: place)
        }
        if shipped == nil, point.replacesShipped {
            throw PolicyError(
                "\(point.identifier) is not a shipped point, so the file replaces nothing",
                at: point.places["replaces"],
                suggestion: NearestPoint.of(point.identifier, among: Self.shippedNames))
        }
        return PointLibrary(own: own.merging([point.identifier: point]) { $1 })
    }

    /// This library without one of the host's own points.
    package func without(_ identifier: String) -> PointLibrary {
        PointLibrary(own: own.filter { $0.key != identifier })
    }

    /// The identifiers of all points, sorted.
    package var names: [String] { Set(own.keys).union(Self.shippedNames).sorted() }

    /// The point with an identifier; nil if no point has this identifier.
    package func point(_ identifier: String) -> ExtensionPoint? { own[identifier] ?? ShippedPoints.point(identifier) }

    /// Whether a point comes from one of the host's own files.
    package func isOwn(_ identifier: String) -> Bool { own[identifier] != nil }

    /// The point that the author of a wrong name probably meant; nil if no name is close.
    package func nearest(to name: String) -> String? { NearestPoint.of(name, among: names) }

    /// Checks that the policy of each of the host's own points exists.
    package func check(policies: PolicyLibrary) throws(PolicyError) {
        let known = policies.names
        for point in own.values.sorted(by: { $0.identifier < $1.identifier }) where !known.contains(point.policy) {
            throw PolicyError(
                "unknown policy `\(point.policy)`", at: point.places["policy"],
                suggestion: NearestName.of(point.policy, among: known))
        }
    }

    private static var shippedNames: Dictionary<String, String>.Keys { ShippedTexts.points.keys }
}

/// The shipped points that have been read from their texts.
private enum ShippedPoints {
    private static let known = Mutex<[String: ExtensionPoint]>([:])

    /// - Returns: nil if the point is unknown or its text cannot be read. So a damaged build does not launch an
    ///   extension.
    static func point(_ identifier: String) -> ExtensionPoint? {
        if let point = known.withLock({ $0[identifier] }) { return point }
        guard let text = ShippedTexts.points[identifier],
            let point = try? ExtensionPoint(text: text, file: identifier + ".yaml")
        else { return nil }
        known.withLock { $0[identifier] = point }
        return point
    }
}

/// Finds the point that the author of a wrong name probably meant.
private enum NearestPoint {
    /// Most names begin with the same two words. So only the remainders of the names are compared.
    static func of(_ name: String, among known: some Sequence<String>) -> String? {
        let groups = Dictionary(grouping: known, by: stem)
        for (stem, names) in groups.sorted(by: { $0.key < $1.key }) {
            let rest = name.hasPrefix(stem) ? String(name.dropFirst(stem.count)) : name
            if let near = NearestName.of(rest, among: names.map { String($0.dropFirst(stem.count)) }) {
                return stem + near
            }
        }
        return nil
    }

    /// The first two words, for example `com.apple.`.
    private static func stem(of name: String) -> String {
        let words = name.split(separator: ".", maxSplits: 2)
        return words.count > 2 ? "\(words[0]).\(words[1])." : ""
    }
}

extension String {
    /// Whether two identifiers are the same apart from the case of their letters. A reader could mistake them for one
    /// point.
    fileprivate func isSame(as other: String) -> Bool { lowercased() == other.lowercased() }
}
