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
    /// that the program closed, anything may be. So such a part counts as made. The program made nothing below a mount
    /// that appeared meanwhile, because the sandbox does not show it.
    package var changes: Changes {
        var listings = Listings(automounts: .read())
        let more = listed.flatMap { one in
            one.paths(in: &listings).filter { !one.before.contains($0) }.map {
                Protected(path: $0, group: one.group, isFile: one.isFile)
            }
        }
        let made = (absent + more).filter { part in
            if listings.automounts.lead(to: part.path) { return false }
            do throws(SystemError) {
                let flags = Descriptor.pathOnly | O_NOFOLLOW
                let kind = try Descriptor.open(withoutLinks: part.path, flags).status().kind
                return !part.isFile || kind != .directory
            } catch {
                return error.errno != ENOENT && error.errno != ENOTDIR
            }
        }
        return Changes(made: made, unlistable: listings.unlistable.subtracting(unlistable).sorted())
    }

    /// Directories that were listed after the run.
    fileprivate struct Listings {
        /// What stands at the place of a directory.
        enum Listing {
            case directory([NamedKind])
            case link
        }

        /// The most entries of a directory. A program could make any number.
        private static let mostEntries = 4_096

        let automounts: Automounts
        private var known: [String: Listing] = [:]
        /// The directories that cannot be listed completely.
        private(set) var unlistable: Set<String> = []

        init(automounts: Automounts) { self.automounts = automounts }

        mutating func list(_ path: String) -> Listing {
            if let listing = known[path] { return listing }
            let listing = look(at: path)
            known[path] = listing
            return listing
        }

        /// The names that `*` stands for in a directory.
        /// - Parameter takesLinks: whether links count too.
        mutating func names(in path: String, among entries: [NamedKind], takesLinks: Bool) -> [String] {
            let inside = entries.filter { $0.isDirectory || takesLinks && $0.isSymbolicLink }
            if inside.contains(where: { $0.name == nil }) { unlistable.insert(path) }
            return inside.compactMap(\.name)
        }

        private mutating func look(at path: String) -> Listing {
            if automounts.lead(to: path) { return .directory([]) }
            do throws(SystemError) {
                let directory = try Descriptor.open(withoutLinks: path, O_RDONLY | O_DIRECTORY)
                return .directory(try directory.kinds(atMost: Self.mostEntries))
            } catch {
                if error.errno == ELOOP { return .link }
                if ![ENOENT, ENOTDIR].contains(error.errno) { unlistable.insert(path) }
                return .directory([])
            }
        }
    }
}

extension PartFacts.Listed {
    /// The paths for which this one stands now. As at the launch, links count but at the top.
    fileprivate func paths(in listings: inout PartFacts.Listings) -> [String] {
        var paths = [root]
        for part in parts {
            guard part == "*" else {
                paths = paths.map { $0 + "/" + part }
                continue
            }
            paths = paths.flatMap { path -> [String] in
                switch listings.list(path) {
                case .link: return path == root ? [] : [path + "/" + part]
                case .directory(let entries):
                    return listings.names(in: path, among: entries, takesLinks: path != root).map { path + "/" + $0 }
                }
            }
        }
        return paths
    }
}
