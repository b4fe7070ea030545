/// What is known of the hidden and protected parts of a launch.
package struct PartFacts: Sendable, Hashable {
    /// A protected part, or a path at which a part would be protected.
    package struct Protected: Sendable, Hashable {
        package let path: String
        /// The group of the shipped list; nil if a pattern names the part.
        package let group: String?
        /// Whether a directory at the path is no such part.
        package var isFile = false
    }

    /// The paths of the hidden parts.
    package var hidden: [String] = []
    package var protected: [Protected] = []
    /// The paths at which nothing was that could be protected.
    package var absent: [Protected] = []

    /// The paths with `*` of the shipped list.
    package var listed: [Listed] = []

    /// A path of the shipped list in which `*` stands for each directory at its place.
    package struct Listed: Sendable, Hashable {
        /// The directory that was handed over.
        let root: String
        let parts: [Substring]
        let group: String
        let isFile: Bool
        /// The bytes of the paths that were there when the launch began.
        var before: Set<[UInt8]> = []
    }

    /// The directories that were handed over for writing, and in which protected parts were looked for.
    var roots: Set<String> { Set(listed.map(\.root)) }

    /// The directories that were no repository, with the paths in them that would then be protected.
    var bare: [Bare] = []

    /// A directory in which the program could make a repository without a working tree.
    struct Bare: Sendable, Hashable {
        let root: String
        var parts: [Protected] = []
    }

    /// What is missing of a directory's entries, from little to much.
    enum Lack: Int, Comparable {
        /// The directories whose names are not UTF-8.
        case names
        /// The directories beyond the bound of one path with `*`.
        case rest
        case all

        static func < (one: Lack, other: Lack) -> Bool { one.rawValue < other.rawValue }
    }

    /// The directories whose entries could not be listed when the launch began. The caller knows of them.
    var unlistable: [[UInt8]: Lack] = [:]

    package init() {}
}
