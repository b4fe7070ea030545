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

    /// The parts that are there now and were not when the launch began. No link is followed. Behind a link that the program
    /// made, anything may be, so such a part counts.
    package var made: [Protected] {
        var directories: [String: [String]] = [:]
        let more = listed.flatMap { one in
            one.paths(in: &directories).filter { !one.before.contains($0) }.map {
                Protected(path: $0, group: one.group, isFile: one.isFile)
            }
        }
        return (absent + more).filter { part in
            do throws(SystemError) {
                let flags = Descriptor.pathOnly | O_NOFOLLOW
                let kind = try Descriptor.open(withoutLinks: part.path, flags).status().kind
                return !part.isFile || kind != .directory
            } catch {
                return error.errno == ELOOP
            }
        }
    }
}

extension PartFacts.Listed {
    /// The most entries of a directory. A program could make any number.
    private static let mostEntries = 4_096

    /// The paths for which this one stands now.
    /// - Parameter directories: the names of the directories in each directory that was listed already.
    fileprivate func paths(in directories: inout [String: [String]]) -> [String] {
        var paths = [root]
        for part in parts {
            guard part == "*" else {
                paths = paths.map { $0 + "/" + part }
                continue
            }
            paths = paths.flatMap { path in
                let names = directories[path] ?? Self.directories(in: path)
                directories[path] = names
                return names.map { path + "/" + $0 }
            }
        }
        return paths
    }

    private static func directories(in path: String) -> [String] {
        let directory = try? Descriptor.open(withoutLinks: path, O_RDONLY | O_DIRECTORY)
        guard let directory, let entries = try? directory.entries(atMost: mostEntries) else { return [] }
        return entries.filter(\.isDirectory).compactMap(\.name)
    }
}
