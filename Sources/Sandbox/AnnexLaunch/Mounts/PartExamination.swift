internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// Rejects parts whose files the program could use in another way than by the part's path: by a second name (hard link),
/// by a second mount, or through a named pipe, which a read-only mount does not protect.
struct PartExamination {
    private let parts: [FoundPart]
    private let places: [GrantLayout.Place]
    private let mounts: MountTable
    private let automounts: Automounts

    init(_ parts: [FoundPart], in places: [GrantLayout.Place], mounts: MountTable) {
        (self.parts, self.places, self.mounts) = (parts, places, mounts)
        automounts = Automounts(mounts)
    }

    func run() throws(SandboxError) {
        try rejectSecondMounts()
        var named: [NamedFile.Identity: FoundPart] = [:]
        for part in parts {
            for file in try files(with: part) { named[file] = part }
        }
        if !named.isEmpty { try rejectSecondNames(of: named) }
    }

    // MARK: - Mounts

    /// What the mounts show in the places of the program, with the place.
    private var views: [(place: GrantLayout.Place, view: MountTable.View)] {
        places.flatMap { place in mounts.views(within: Array(place.path.utf8)).map { (place, $0) } }
    }

    private func rejectSecondMounts() throws(SandboxError) {
        let views = views
        for part in parts {
            let own = Array(part.path.utf8)
            guard let files = mounts.view(of: own) else { continue }
            for (place, view) in views where part.kind == .hide || place.rights.contains(.write) {
                guard let other = view.path(showing: files), !MountTable.isPath(other, within: own) else { continue }
                let path = String(decoding: other, as: UTF8.self)
                guard isUsable(path, of: part) else { continue }
                throw SandboxError(
                    "parts",
                    cause: "\(Escaped(part.path)) is also mounted at \(Escaped(path)), where the program could "
                        + Self.use(of: part),
                    remedy: "unmount one of them, hand over less, or \(part.cause.surrender)")
            }
        }
    }

    /// Whether the program can do at a path what the part denies it.
    private func isUsable(_ path: String, of part: FoundPart) -> Bool {
        // What is hidden at one path must be hidden at each.
        if parts.contains(where: { path.isWithin($0.path) && ($0.kind == .hide || part.kind == .protect) }) {
            return false
        }
        let rights = places.last { path.isWithin($0.path) }?.rights ?? []
        return part.kind == .hide ? !rights.isEmpty : rights.contains(.write)
    }

    private static func use(of part: FoundPart) -> String { part.kind == .hide ? "read it" : "change it" }

    // MARK: - Names

    /// The files of a part that have several names.
    private func files(with part: FoundPart) throws(SandboxError) -> [NamedFile.Identity] {
        if !part.isDirectory, part.links == 1, part.kind == .hide { return [] }
        // These places can hold very many files, and their own names are what the list is about.
        if case .credentials = part.cause, part.isDirectory { return [] }
        var named: [NamedFile.Identity] = []
        let remedy = "hide or protect less: " + part.cause.surrender
        var contents = TreeWalk(automounts: automounts, remedy: remedy) { entry in
            entry.kind == .symbolicLink || entry.kind == .regular && entry.links == 1
        }
        let hidden = parts.filter { $0.kind == .hide && !PathText.isSame($0.path, as: part.path) }.map(\.path)
        try contents.walk(part.path, besides: { path in hidden.contains { path.isWithin($0) } }) {
            path, entry throws(SandboxError) in
            if entry.kind == .pipe, part.kind == .protect { throw Self.pipe(path, in: part) }
            if entry.kind != .directory, entry.links > 1, let file = try NamedFile(path) { named.append(file.identity) }
        }
        return named
    }

    private static func pipe(_ path: String, in part: FoundPart) -> SandboxError {
        SandboxError(
            "parts",
            cause:
                "\(Escaped(path)) is a named pipe, which cannot be protected: a read-only mount does not keep it from "
                + "being written to (\(part.cause))",
            remedy: "move the pipe, or \(part.cause.surrender)")
    }

    /// Rejects a file of a part that has another name where the program could use it.
    private func rejectSecondNames(of named: [NamedFile.Identity: FoundPart]) throws(SandboxError) {
        let hidden = parts.filter { $0.kind == .hide }.map(\.path)
        let given = places.filter { $0.isCallers || $0.rights.contains(.write) }.map(\.path)
        let remedy = "copy the files that have several names, so that each name has a file of its own"
        for root in given where !given.contains(where: { $0 != root && root.isWithin($0) }) {
            var surroundings = TreeWalk(automounts: automounts, remedy: remedy) { entry in
                entry.kind == .symbolicLink || entry.kind == .regular && entry.links == 1
            }
            try surroundings.walk(root, besides: { path in hidden.contains { path.isWithin($0) } }) {
                path, entry throws(SandboxError) in
                guard entry.kind != .directory, entry.links > 1, let file = try NamedFile(path),
                    let part = named[file.identity], !path.isWithin(part.path), isUsable(path, of: part)
                else { return }
                throw SandboxError(
                    "parts",
                    cause:
                        "a file of \(Escaped(part.path)) has a second name (a hard link), \(Escaped(path)), by which "
                        + "the program could \(Self.use(of: part))",
                    remedy: "copy the file, so that each name has a file of its own, or \(part.cause.surrender)")
            }
        }
    }
}
