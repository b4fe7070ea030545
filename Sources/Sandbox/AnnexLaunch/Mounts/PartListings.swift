internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The directories that are listed to find for what `*` stands in the paths of the shipped lists. Each is listed once.
struct PartListings {
    /// The most entries of a directory, and the most entries that are looked at for one path with `*`. A program could make
    /// any number.
    private static let (mostEntries, mostLooks) = (4_096, 8_192)
    /// The most directories that are noted one by one for one path with `*`.
    private static let mostNotes = 16

    let automounts: Automounts
    /// Called with one line about each directory that cannot be listed completely.
    private let note: (String) -> Void
    // For the kernel, names are bytes. As keys, texts would be compared by Unicode equivalence.
    private var known: [[UInt8]: [NamedKind]?] = [:]
    /// The directories that are links instead.
    private var linked: Set<[UInt8]> = []
    /// The directories that cannot be listed completely, by the bytes of their paths.
    private(set) var unlistable: [[UInt8]: PartFacts.Lack] = [:]

    init(automounts: Automounts, note: @escaping (String) -> Void = { _ in }) {
        (self.automounts, self.note) = (automounts, note)
    }

    /// - Returns: nil if the directory cannot be listed. A directory that does not exist has no entries.
    mutating func entries(of path: String) -> [NamedKind]? {
        let key = Array(path.utf8)
        if let known = known[key] { return known }
        if automounts.lead(to: path) { return nil }
        var entries: [NamedKind]?
        do throws(SystemError) {
            let directory = try Descriptor.open(withoutLinks: path, O_RDONLY | O_DIRECTORY)
            entries = try directory.kinds(atMost: Self.mostEntries)
        } catch {
            switch error.errno {
            case ENOENT, ENOTDIR: entries = []
            case ELOOP:
                entries = []
                linked.insert(key)
            case EFBIG: noteUnlisted(path, lacking: .all, reason: "has more than \(Self.mostEntries) entries")
            default: noteUnlisted(path, lacking: .all, reason: "cannot be listed (\(Errno.name(error.errno)))")
            }
        }
        known[key] = .some(entries)
        return entries
    }

    /// The paths for which a path with `*` stands, from a directory.
    /// - Parameter skipsLinks: whether a link in place of a directory is left out. It leads to what has a name of its own.
    ///   Otherwise, only links at the top are left out: in a repository, a link leads around the protection.
    mutating func names(_ parts: [Substring], in root: String, besidesLinks skipsLinks: Bool) -> [String] {
        var names = [""]
        var looks = 0
        let noted = unlistable.count
        for part in parts {
            guard part.contains("*") else {
                names = names.map { $0.isEmpty ? String(part) : $0 + "/" + part }
                continue
            }
            var next: [String] = []
            for name in names {
                guard looks <= Self.mostLooks, unlistable.count - noted < Self.mostNotes else {
                    noteUnlisted(
                        Self.start(of: parts, in: root), lacking: .rest,
                        reason: "has too many entries in its directories")
                    break
                }
                var directory = name.isEmpty ? root : (root == "/" ? "" : root) + "/" + name
                if skipsLinks { directory = (try? HostPath.leading(directory).place) ?? directory }
                let takesLinks = !skipsLinks && !name.isEmpty
                looks += entries(of: directory)?.count ?? Self.looks(at: unlistable[Array(directory.utf8)])
                for own in self.names(part, in: directory, takesLinks: takesLinks) {
                    next.append(name.isEmpty ? own : name + "/" + own)
                }
                if takesLinks, linked.contains(Array(directory.utf8)) { next.append(name + "/" + part) }
            }
            names = next
        }
        return names
    }

    /// The directory at which the first `*` of a path stands.
    private static func start(of parts: [Substring], in root: String) -> String {
        let names = PathText.parts(root) + parts.prefix { !$0.contains("*") }
        return "/" + names.joined(separator: "/")
    }

    private mutating func names(_ pattern: Substring, in directory: String, takesLinks: Bool) -> [String] {
        let entries = (entries(of: directory) ?? []).filter {
            pattern != "*" || $0.isDirectory || takesLinks && $0.isSymbolicLink && mayLead($0, in: directory)
        }
        if entries.contains(where: { $0.name == nil }) {
            noteUnlisted(directory, lacking: .names, reason: "has directories whose names are not UTF-8")
        }
        let glob = Array(pattern.utf8)
        return entries.compactMap(\.name).filter { PathPattern.glob(glob, name: Array($0.utf8)) }
    }

    /// Whether a link leads to a directory, or to nothing where one may appear. Git has links to files of its own.
    private func mayLead(_ link: NamedKind, in directory: String) -> Bool {
        guard let name = link.name, let place = try? HostPath.leading(directory + "/" + name).place else { return true }
        if automounts.lead(to: place) { return true }
        let kind = try? Descriptor.open(withoutLinks: place, Descriptor.pathOnly).status().kind
        return kind == nil || kind == .directory
    }

    /// How many looks a directory counts for that cannot be listed.
    private static func looks(at lack: PartFacts.Lack?) -> Int { lack == .all ? mostEntries : 0 }

    private mutating func noteUnlisted(_ path: String, lacking lack: PartFacts.Lack, reason: String) {
        let key = Array(path.utf8)
        if let noted = unlistable[key], noted >= lack { return }
        unlistable[key] = lack
        let place =
            switch lack {
            case .names: "in these"
            case .rest: "in the rest"
            case .all: "in its directories"
            }
        note("\(PathText.shown(path, limit: 500)) \(reason): nothing is looked for \(place)")
    }
}
