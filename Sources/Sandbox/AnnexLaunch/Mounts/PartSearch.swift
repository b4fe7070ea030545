internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// Finds the parts of the handed-over directories that a launch hides and protects.
///
/// Plain paths are looked up, and only patterns with `*`, `?` or without a slash make a search. The search opens no file,
/// follows no link, and stays out of mounts that may never answer.
struct PartSearch {
    /// The most parts of one launch. The warden takes some more, for the directories above the parts.
    static let most = 512

    private let places: [GrantLayout.Place]
    /// The directories that the caller handed over, and those that the policy grants outside the system's own.
    private let roots: [String]
    private let rules: PartRules
    private let mounts: MountTable?
    private var automounts: Automounts { listings.automounts }
    private(set) var listings: PartListings
    private var known: Set<[UInt8]> = []

    private(set) var found: [FoundPart] = []
    /// The places at which nothing is that the shipped list would protect.
    private(set) var absent: [PartFacts.Protected] = []
    /// The paths with `*` of the shipped list, in each place for writing.
    private(set) var listed: [PartFacts.Listed] = []
    /// The places for writing that are no repository without a working tree.
    private(set) var bare: [PartFacts.Bare] = []

    /// - Parameter places: the places that are handed over and granted, sorted by path.
    /// - Parameter mounts: the mounts of the host; nil if they are unknown.
    init(places: [GrantLayout.Place], rules: PartRules, mounts: MountTable?) {
        (self.places, self.rules, self.mounts) = (places, rules, mounts)
        listings = PartListings(automounts: Automounts(mounts)) { rules.note?($0) }
        roots = places.filter { $0.isDirectory && ($0.isCallers || !PathText.isOfTheSystem($0.path)) }.map(\.path)
    }

    mutating func run(_ patterns: [PathPart]) throws(SandboxError) {
        for place in places where place.isCallers && place.isDirectory && place.rights.contains(.write) {
            try findProtected(in: place.path)
        }
        for directory in rules.allBut { try findCredentials(in: directory) }
        for part in patterns { try rejectPlaces(matching: part) }
        var unmatched: [PathPart] = []
        for part in patterns where try !findPlain(part) { unmatched.append(part) }
        let searched = try search(for: unmatched.filter(\.pattern.needsSearch))
        unmatched.removeAll { searched.contains($0) }
        for part in unmatched where part.isCallers {
            rules.note?("--\(part.kind.rawValue) \(PathText.shown(part.pattern.text, limit: 500)) matches nothing now")
        }
    }

    // MARK: - Objects

    private enum Look {
        case missing
        /// There is a link at this path.
        case link(String)
        case found(isDirectory: Bool, FileStatus)
    }

    private func look(at path: String) throws(SandboxError) -> Look {
        ExaminationTrail.enter(path)
        if automounts.lead(to: path) {
            throw Self.unexamined(
                path, reason: "it lies in an automount or another user's FUSE mount, or the mounts are unknown")
        }
        do throws(SystemError) {
            let host = try HostPath.resolve(withoutLinks: path)
            return .found(isDirectory: host.isDirectory, try host.object.status())
        } catch {
            switch error.errno {
            case ENOENT, ENOTDIR: return .missing
            case ELOOP: return .link(error.path ?? path)
            case EACCES where !Self.isOpenToProgram(path): return .missing
            case EACCES:
                throw SandboxError(
                    "parts", cause: "\(Escaped(path)) cannot be examined: a directory above it is closed to its owner",
                    remedy: "open the directory (chmod u+rwx), or give up what is hidden and protected in it "
                        + "(--unprotect all)")
            default: throw SandboxError("parts", error: error)
            }
        }
    }

    /// Whether the program could look behind a directory that this user may not enter. The directory's owner can give
    /// the right back.
    static func isOpenToProgram(_ path: String) -> Bool {
        var directory = path
        var status = stat()
        repeat {
            directory = directory.parentPath
            // SAFETY: the call fills the structure that it is given and keeps nothing.
            if unsafe lstat(directory, &status) == 0 { return status.st_uid == geteuid() }
        } while directory != "/"
        return true
    }

    private static func unexamined(_ path: String, reason: String) -> SandboxError {
        SandboxError(
            "parts", cause: "\(Escaped(path)) cannot be examined: \(reason)",
            remedy: "hand over another directory, or give up what is hidden and protected in it (--unprotect all)")
    }

    /// Adds what lies at a path.
    /// - Returns: whether anything lies there.
    private mutating func add(
        _ kind: PathPart.Kind, at path: String, cause: FoundPart.Cause, onlyDirectory: Bool = false
    ) throws(SandboxError) -> Bool {
        switch try look(at: path) {
        case .missing: return false
        case .link(let link): return try follow(link, from: path, for: kind, cause: cause, onlyDirectory: onlyDirectory)
        case .found(let isDirectory, let status):
            guard isDirectory || !onlyDirectory else { return false }
            try append(kind, at: path, isDirectory: isDirectory, status: status, cause: cause)
            return true
        }
    }

    private mutating func append(
        _ kind: PathPart.Kind, at path: String, isDirectory: Bool, status: FileStatus, cause: FoundPart.Cause
    ) throws(SandboxError) {
        guard known.insert(Array((kind.rawValue + path).utf8)).inserted else { return }
        guard found.count < Self.most else {
            throw SandboxError(
                "parts",
                cause: "more than \(Self.most) files and directories match \(cause) and the patterns before it",
                remedy: "name the directory that holds them, such as `secrets/`, or a narrower pattern")
        }
        found.append(
            FoundPart(
                kind: kind, cause: cause, path: path, isDirectory: isDirectory, links: status.links,
                device: status.device, inode: status.inode))
    }

    /// A link cannot be covered. To hide what it leads to, its target is hidden. A program that may write beside the link
    /// could replace it, so nothing can be protected by such a link's name.
    private mutating func follow(
        _ link: String, from path: String, for kind: PathPart.Kind, cause: FoundPart.Cause, onlyDirectory: Bool
    ) throws(SandboxError) -> Bool {
        let holder = places.last { link.parentPath.isWithin($0.path) }
        if kind == .protect, holder?.rights.contains(.write) == true {
            throw SandboxError(
                "parts",
                cause:
                    "\(Escaped(path)) cannot be protected: \(Escaped(link)) is a link, and the program could replace it"
                    + " (\(cause))",
                remedy: "put the file or directory itself there, or \(cause.surrender)")
        }
        guard let target = try? HostPath.leading(path).place, !PathText.isSame(target, as: path),
            places.contains(where: { target.isWithin($0.path) })
        else { return true }
        switch try look(at: target) {
        case .missing: return true
        case .link: throw Self.unexamined(path, reason: "a link on it changes")
        case .found(let isDirectory, let status):
            guard isDirectory || !onlyDirectory else { return false }
            try append(kind, at: target, isDirectory: isDirectory, status: status, cause: cause)
            return true
        }
    }

    // MARK: - Patterns

    /// Rejects a pattern that hides what the caller names by itself.
    private func rejectPlaces(matching part: PathPart) throws(SandboxError) {
        guard part.kind == .hide, case .name(let name) = part.pattern.form else { return }
        for place in places where place.isCallers && (place.isDirectory || !part.pattern.matchesDirectoriesOnly) {
            guard let last = PathText.parts(place.path).last, PathPattern.glob(name, name: Array(last.utf8)) else {
                continue
            }
            throw PartLayout.contradiction(of: .pattern(part), at: place.path, place: place.path)
        }
    }

    /// Looks up a pattern that needs no search.
    private mutating func findPlain(_ part: PathPart) throws(SandboxError) -> Bool {
        let paths: [String]
        if case .place(let path) = part.pattern.form {
            paths = [path]
        } else if let path = part.pattern.plainPath {
            paths = roots.map { ($0 == "/" ? "" : $0) + "/" + path }
        } else {
            return false
        }
        var isMatched = false
        for path in paths {
            let before = found.count
            let isThere = try add(
                part.kind, at: path, cause: .pattern(part), onlyDirectory: part.pattern.matchesDirectoriesOnly)
            if !isThere, part.kind == .protect { absent.append(PartFacts.Protected(path: path, group: nil)) }
            // The host may have something there that nobody handed over.
            let paths = [path] + found[before...].map(\.path)
            let isShown = paths.contains { path in places.contains { path.isWithin($0.path) } }
            if isThere, isShown { isMatched = true }
        }
        return isMatched
    }

    /// Searches the handed-over directories.
    /// - Returns: the patterns that match anything.
    private mutating func search(for patterns: [PathPart]) throws(SandboxError) -> Set<PathPart> {
        guard !patterns.isEmpty else { return [] }
        let outermost = roots.filter { root in !roots.contains { $0 != root && root.isWithin($0) } }
        var matches: [(path: String, part: PathPart)] = []
        for root in outermost { matches += try search(below: root, for: patterns) }
        for match in matches {
            _ = try add(
                match.part.kind, at: match.path, cause: .pattern(match.part),
                onlyDirectory: match.part.pattern.matchesDirectoriesOnly)
        }
        return Set(matches.map(\.part))
    }

    private func search(
        below root: String, for patterns: [PathPart]
    ) throws(SandboxError) -> [(path: String, part: PathPart)] {
        var matches: [(path: String, part: PathPart)] = []
        // What lies in a hidden directory is hidden with it.
        var hidden: String?
        // A name that is not UTF-8 cannot be compared with `*` and `?`.
        let isWild = patterns.contains { $0.pattern.text.contains { $0 == "*" || $0 == "?" } }
        var walk = TreeWalk(
            automounts: automounts,
            remedy: "hide or protect by plain paths, such as config/key.pem, or hand over a smaller directory"
        ) { entry in !isWild && entry.kind != .directory }
        try walk.walk(root, besides: { path in hidden.map { path.isWithin($0) } ?? false }) {
            path, entry throws(SandboxError) in
            let isDirectory = entry.kind == .directory
            for part in patterns
            where self.matches(part.pattern, path: path, isDirectory: isDirectory, kind: entry.kind) {
                guard matches.count < Self.most else {
                    throw SandboxError(
                        "parts", cause: "more than \(Self.most) files and directories match the patterns",
                        remedy: "name the directory that holds them, such as `secrets/`, or a narrower pattern")
                }
                matches.append((path, part))
                if part.kind == .hide, isDirectory { hidden = path }
            }
        }
        return matches
    }

    private func matches(
        _ pattern: PathPattern, path: String, isDirectory: Bool, kind: FileStatus.Kind
    ) -> Bool {
        if pattern.matchesDirectoriesOnly, !isDirectory, kind != .symbolicLink { return false }
        let parts = PathText.parts(path).map { Array($0.utf8) }
        return roots.contains { root in
            let count = PathText.parts(root).count
            return parts.count > count && path.isWithin(root) && pattern.matches(Array(parts[count...]))
        }
    }

    // MARK: - Shipped lists

    private mutating func findProtected(in root: String) throws(SandboxError) {
        guard !rules.protected.isEmpty else { return }
        ExaminationTrail.enter(root)
        if automounts.lead(to: root) {
            throw Self.unexamined(
                root, reason: "it lies in an automount or another user's FUSE mount, or the mounts are unknown")
        }
        let directory = try SandboxError.step("parts") { () throws(SystemError) in
            try Descriptor.open(root, Descriptor.pathOnly | O_DIRECTORY | O_NOFOLLOW)
        }
        // Most of the list's paths begin with a name that the directory does not have.
        let names = listings.entries(of: root).map { entries in Set(entries.compactMap(\.name)) }
        let isRepository = PartChanges.isRepository(root)
        if !isRepository { bare.append(PartFacts.Bare(root: root)) }
        try rejectCommonDirectory(of: root, directory)
        for part in rules.protected {
            // A repository without a working tree has its files at the top.
            let isOfRepository = part.parts.first == ".git" && part.parts.count > 1
            let isTop = isRepository && isOfRepository
            if !isRepository, isOfRepository, !part.path.contains("*") {
                let path = root + "/" + part.parts.dropFirst().joined(separator: "/")
                bare[bare.count - 1].parts.append(
                    PartFacts.Protected(path: path, group: part.group, isFile: part.isFile))
            }
            for parts in [part.parts] + (isTop ? [Array(part.parts.dropFirst())] : []) {
                let isListed = parts.contains("*")
                if isListed {
                    listed.append(
                        PartFacts.Listed(
                            root: root, parts: parts, group: part.group, isFile: part.isFile))
                }
                if let names, let first = parts.first, first != "*", !names.contains(String(first)) {
                    if !isListed { note(part, absentAt: root + "/" + parts.joined(separator: "/")) }
                    continue
                }
                for name in listings.names(parts, in: root, besidesLinks: false) {
                    try findProtected(part, at: name, in: root, directory: directory, isListed: isListed)
                }
            }
        }
    }

    /// Rejects a repository that takes its hooks and its configuration from elsewhere. Nothing would be protected where the
    /// file leads. Git makes such a file only in its own directory of a worktree.
    private func rejectCommonDirectory(of root: String, _ directory: borrowing Descriptor) throws(SandboxError) {
        let isOfWorktree = PathText.parts(root).dropLast().last == "worktrees"
        guard !isOfWorktree, rules.protected.contains(where: { $0.path == ".git/commondir" }) else { return }
        for name in ["commondir", ".git/commondir"] where Self.find(name, in: directory) == 0 {
            if name == "commondir", Self.find("HEAD", in: directory) == ENOENT { continue }
            throw SandboxError(
                "parts",
                cause: "\(Escaped(root + "/" + name)) leads git to hooks and a configuration that are not protected",
                remedy: "remove it, or give up what is protected of repositories (--unprotect git)")
        }
    }

    private mutating func note(_ part: ShippedPart, absentAt path: String) {
        absent.append(PartFacts.Protected(path: path, group: part.group, isFile: part.isFile))
    }

    private mutating func findProtected(
        _ part: ShippedPart, at name: String, in root: String, directory: borrowing Descriptor, isListed: Bool
    ) throws(SandboxError) {
        let path = root + "/" + name
        switch Self.find(name, in: directory) {
        case ENOENT, ENOTDIR:
            if !isListed { note(part, absentAt: path) }
        // The program can put its own directory in the place of the closed one.
        case EACCES where !Self.isOpenToProgram(path):
            if !isListed { note(part, absentAt: path) }
        default:
            if part.isFile, case .found(isDirectory: true, _) = try look(at: path) {
                if !isListed { note(part, absentAt: path) }
                return
            }
            if isListed { listed[listed.count - 1].before.insert(Array(path.utf8)) }
            _ = try add(.protect, at: path, cause: .group(part.group))
        }
    }

    /// The errno of a lookup; 0 if there is something at the path, and no link on it.
    static func find(_ name: String, in directory: borrowing Descriptor) -> Int32 {
        do throws(SystemError) {
            _ = try directory.openBeneath(name, Descriptor.pathOnly)
            return 0
        } catch {
            return error.errno
        }
    }

    private mutating func findCredentials(in directory: String) throws(SandboxError) {
        let home = UserEnvironment.path("HOME").flatMap { try? HostPath.leading($0).place }
        for part in rules.credentials {
            var parts = part.parts
            if parts.first == "~" {
                guard let home else { continue }
                parts = PathText.parts(home) + parts.dropFirst()
            }
            for name in listings.names(parts, in: "/", besidesLinks: true) {
                let path = "/" + name
                // The caller's own home stays, also if it lies in a place of the list.
                if let home, home.isWithin(path) { continue }
                guard let place = try? HostPath.leading(path).place else { continue }
                if place.isWithin(directory) || path.isWithin(directory) || directory.isWithin(place) {
                    try hideCredentials(at: path, leadingTo: place)
                }
                // A mount can show the place in the directory too.
                for other in names(of: place) where other.isWithin(directory) {
                    try hideCredentials(at: other, leadingTo: other)
                }
            }
        }
    }

    private mutating func hideCredentials(at path: String, leadingTo place: String) throws(SandboxError) {
        // What the caller names by itself is handed over.
        let isNamed = places.contains { $0.isCallers && PathText.isSame($0.path, as: place) }
        if !isNamed { _ = try add(.hide, at: path, cause: .credentials) }
    }

    /// The other paths at which the mounts show what they show at this path, or a part of it.
    private func names(of place: String) -> [String] {
        (mounts?.places(showing: Array(place.utf8)) ?? []).map { PathText.text($0) }
    }
}
