internal import AnnexLinux
internal import Glibc

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
        let parts: [String]
        let group: String
        let isFile: Bool
        /// The paths that were there when the launch began.
        var before: Set<String> = []
    }

    package init() {}

    /// The directories whose entries could not be listed when the launch began. The caller knows of them.
    var unlistable: Set<String> = []

    /// What changed since the launch began.
    package struct Changes: Sendable {
        /// The parts that are there now and were not.
        package var made: [Protected] = []
        /// The directories whose entries could be listed, and now cannot. There may be more parts in them.
        package var unlistable: [String] = []
    }

    /// What changed since the launch began. No link is followed. Behind a link that the program made, and in a directory
    /// that the program closed, anything may be. So such a part counts as made.
    package var changes: Changes {
        var directories: [String: [String]?] = [:]
        let more = listed.flatMap { one in
            one.paths(in: &directories).filter { !one.before.contains($0) }.map {
                Protected(path: $0, group: one.group, isFile: one.isFile)
            }
        }
        let made = (absent + more).filter { part in
            do throws(SystemError) {
                let flags = Descriptor.pathOnly | O_NOFOLLOW
                let kind = try Descriptor.open(withoutLinks: part.path, flags).status().kind
                return !part.isFile || kind != .directory
            } catch {
                return error.errno != ENOENT && error.errno != ENOTDIR
            }
        }
        let now = directories.filter { $0.value == nil && !unlistable.contains($0.key) }.keys
        return Changes(made: made, unlistable: now.sorted())
    }
}

extension PartFacts.Listed {
    /// The most entries of a directory. A program could make any number.
    private static let mostEntries = 4_096

    /// The paths for which this one stands now.
    /// - Parameter directories: the names of the directories in each directory that was listed already; nil for one that
    ///   cannot be listed.
    fileprivate func paths(in directories: inout [String: [String]?]) -> [String] {
        var paths = [root]
        for part in parts {
            guard part == "*" else {
                paths = paths.map { $0 + "/" + part }
                continue
            }
            paths = paths.flatMap { path in
                let names = directories[path] ?? Self.directories(in: path)
                directories[path] = .some(names)
                return (names ?? []).map { path + "/" + $0 }
            }
        }
        return paths
    }

    private static func directories(in path: String) -> [String]? {
        do throws(SystemError) {
            let directory = try Descriptor.open(withoutLinks: path, O_RDONLY | O_DIRECTORY)
            return try directory.entries(atMost: mostEntries).filter(\.isDirectory).compactMap(\.name)
        } catch {
            // Behind a link lies no directory of this path, and its target has a path of its own.
            return [ENOENT, ENOTDIR, ELOOP].contains(error.errno) ? [] : nil
        }
    }
}
