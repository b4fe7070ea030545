internal import AnnexLinux
internal import AnnexPolicy

/// The mounts by which a launch hides and protects the parts that were found.
///
/// A part gets a mount of its own. The kernel refuses to rename, remove or replace a mount point. It does not refuse this
/// for the directories above the mount point, so each directory between the part and the writable place around it gets a
/// mount too.
struct PartLayout {
    private let places: [GrantLayout.Place]
    /// The places without the directories that are only held in their places.
    private let stated: [GrantLayout.Place]
    /// The parts, sorted by path. A part comes before the parts in it.
    private(set) var mounts: [LaunchPlan.Part] = []
    private(set) var facts = PartFacts()
    /// The parts that nothing protects, because the launch has neither Landlock nor a root of its own.
    private var open: [String] = []

    /// What the caller should know of parts that nothing protects; nil if there are none.
    var warning: String? {
        guard let first = open.first else { return nil }
        let others = open.count > 1 ? " and \(open.count - 1) more" : ""
        return "without the layers root and landlock, nothing protects \(PathText.shown(first, limit: 500))\(others) "
            + "from the program"
    }

    /// - Parameters:
    ///   - places: all places of the launch, sorted by path.
    ///   - stated: the same, without the directories that are only held in their places.
    ///   - mounts: the mounts of the host; nil if they are unknown.
    init(
        _ found: [FoundPart], absent: [PartFacts.Protected], listed: [PartFacts.Listed], in places: [GrantLayout.Place],
        stated: [GrantLayout.Place], layers: SandboxLayers, mounts: MountTable?
    ) throws(SandboxError) {
        (self.places, self.stated) = (places, stated)
        let parts = try effective(found)
        try Self.rejectWithoutRoot(parts, layers: layers)
        facts.listed = listed
        facts.absent = absent.filter { one in place(showing: one.path)?.rights.contains(.write) == true }
        // Without Landlock and without a root of its own, the program is trusted with all files of the calling user.
        guard layers.contains(.root) else {
            open = parts.map(\.path)
            return
        }
        if !parts.isEmpty {
            guard let mounts else {
                throw SandboxError(
                    "parts", cause: "\(Escaped(parts[0].path)) cannot be examined: the list of mounts is unreadable",
                    remedy: "give up what is hidden and protected (--unprotect all)")
            }
            try PartExamination(parts, in: places, mounts: mounts).run()
        }
        for part in parts {
            let kind: LaunchPlan.Part.Kind = part.kind == .hide ? .hidden : .protected
            self.mounts.append(LaunchPlan.Part(kind, at: part.path, device: part.device, inode: part.inode))
        }
        try hold(parts)
        self.mounts.sort { PathText.isPath($0.target, before: $1.target) }
        facts.hidden = parts.filter { $0.kind == .hide }.map(\.path)
        facts.protected = parts.filter { $0.kind == .protect }.map {
            PartFacts.Protected(path: $0.path, group: $0.group)
        }
    }

    private func place(showing path: String) -> GrantLayout.Place? { places.last { path.isWithin($0.path) } }

    /// The parts that need a mount. They lie in a place, and not in a hidden part.
    private func effective(_ found: [FoundPart]) throws(SandboxError) -> [FoundPart] {
        var kept: [FoundPart] = []
        let hidden = found.filter { $0.kind == .hide }.sorted { PathText.isPath($0.path, before: $1.path) }
        let protected = found.filter { $0.kind == .protect }.sorted { PathText.isPath($0.path, before: $1.path) }
        for part in hidden + protected {
            if kept.contains(where: { part.path.isWithin($0.path) && ($0.kind == .hide || part.kind == .protect) }) {
                continue
            }
            guard let place = place(showing: part.path) else { continue }
            try rejectContradiction(of: part)
            if part.kind == .protect, !place.rights.contains(.write) || Self.isNamed(place, by: part) { continue }
            kept.append(part)
        }
        return kept
    }

    /// Whether the caller names a part of the shipped list by itself, to let the program change it.
    private static func isNamed(_ place: GrantLayout.Place, by part: FoundPart) -> Bool {
        part.group != nil && place.isCallers && PathText.isSame(place.path, as: part.path)
    }

    /// Rejects a part in which a place lies to which the program shall have more rights.
    private func rejectContradiction(of part: FoundPart) throws(SandboxError) {
        let inner = stated.first { place in
            guard place.path.isWithin(part.path), !Self.isNamed(place, by: part) else { return false }
            return part.kind == .hide || place.rights.contains(.write)
        }
        guard let inner else { return }
        throw Self.contradiction(of: part.cause, at: part.path, place: inner.path)
    }

    static func contradiction(of cause: FoundPart.Cause, at path: String, place: String) -> SandboxError {
        SandboxError(
            "parts",
            cause: "\(Escaped(place)) is handed over or granted, and \(cause) takes it away again at \(Escaped(path))",
            remedy: "do not hand it over, or \(cause.surrender)")
    }

    /// Without a root of its own, a launch has no mounts. Landlock alone cannot take a right away from a part: its rules
    /// hold for a directory and everything below it.
    private static func rejectWithoutRoot(_ parts: [FoundPart], layers: SandboxLayers) throws(SandboxError) {
        guard !layers.contains(.root), let first = parts.first(where: { layers.contains(.landlock) || $0.isCallers })
        else { return }
        let state = first.kind == .hide ? "hidden" : "protected"
        throw SandboxError(
            "parts", cause: "without the layer root, \(Escaped(first.path)) cannot be \(state) (\(first.cause))",
            remedy: "\(first.cause.surrender), or use a machine that has the layer")
    }

    // MARK: - Directories above

    /// Holds the directories between a part and the outermost writable place around it.
    private mutating func hold(_ parts: [FoundPart]) throws(SandboxError) {
        var held: Set<[UInt8]> = []
        let protected = parts.filter { $0.kind == .protect }.map(\.path)
        for part in parts {
            guard let outer = places.first(where: { $0.rights.contains(.write) && part.path.isWithin($0.path) }) else {
                continue
            }
            for path in Self.between(outer.path, and: part.path) where held.insert(Array(path.utf8)).inserted {
                let isStated = places.contains { PathText.isSame($0.path, as: path) }
                let isWritable = place(showing: path)?.rights.contains(.write) == true
                guard !isStated, isWritable, !protected.contains(where: { path.isWithin($0) }) else { continue }
                mounts.append(try Self.held(path))
            }
        }
    }

    private static func between(_ outer: String, and inner: String) -> [String] {
        let parts = PathText.parts(inner)
        let first = PathText.parts(outer).count + 1
        return (first..<max(first, parts.count)).map { "/" + parts[..<$0].joined(separator: "/") }
    }

    private static func held(_ path: String) throws(SandboxError) -> LaunchPlan.Part {
        try SandboxError.step("parts") { () throws(SystemError) in
            let status = try HostPath.resolve(withoutLinks: path).object.status()
            return LaunchPlan.Part(.held, at: path, device: status.device, inode: status.inode)
        }
    }
}

extension FoundPart {
    /// Whether the caller named the part, and not a policy or a shipped list.
    fileprivate var isCallers: Bool {
        switch cause {
        case .pattern(let part): part.isCallers
        case .group: false
        case .credentials: true
        }
    }
}
