internal import AnnexLinux
internal import AnnexPolicy

/// The paths of a recording as grants. Several files of a system directory become one grant of the directory, if that
/// does not reveal anything. A home directory, or a directory that many programs share, is never granted as a whole.
struct ProposedPaths: Sendable {
    /// The rights by path.
    private(set) var grants: [String: PathRights] = [:]
    private(set) var devices: [PolicyDevice] = []
    private(set) var wantsProcessFiles = false
    /// Whether files were created directly in /tmp or in /dev/shm. If so, the sandbox gets its own directories instead.
    private(set) var wantsScratch = false
    /// The paths that are not proposed, each with the reason.
    private(set) var withheld: [String: String] = [:]

    /// If at least this many files of a system directory are used, the directory is granted as a whole.
    private static let many = 3

    init(_ recording: Recording) {
        // A sandbox with named hosts has files of its own about names.
        let written = recording.network == .hosts ? EtcFile.ofHosts.map(\.path) : []
        for (path, use) in recording.paths.sorted(by: { $0.key < $1.key }) where use.exists || use.makesEntry {
            if !written.contains(where: { PathText.isSame($0, as: path) }) { add(path, use: use) }
        }
        for path in recording.programs.keys.sorted() { grant(path, rights: [.read, .execute]) }
        // Only the dynamic loader opens these files. It looks for /etc/ld.so.preload, and then for libraries (`.so`).
        if recording.paths.keys.contains(where: { $0.hasPrefix("/etc/ld.so.") || $0.contains(".so") }) {
            grant(Self.loader(recording.architecture), rights: [.read, .execute])
        }
        gather()
        allowCode()
        grants = grants.filter { path, rights in
            !grants.contains {
                PathText.isPath(path, within: $0.key) && path != $0.key && rights.isSubset(of: $0.value)
            }
        }
    }

    private mutating func add(_ path: String, use: Recording.Use) {
        if let device = PolicyDevice.allCases.first(where: { $0.path == path }) {
            if !devices.contains(device) { devices.append(device) }
        } else if PathText.isPath(path, within: "/proc") {
            if use.rights.contains(.write) {
                withheld[path] = "no policy may grant `write` in /proc"
            } else {
                wantsProcessFiles = true
            }
        } else if PathText.isPath(path, within: PolicyPaths.sharedMemoryPath) {
            wantsScratch = true
            // A sandbox without devices has no `/dev`.
            if !devices.contains(.null) { devices.append(.null) }
        } else if use.makesEntry, use.rights.contains(.write) || !use.exists {
            addNew(path)
        } else {
            let rights = use.rights.union(.read)
            // A directory such as a home is never granted. The sandbox has such a directory anyway if a path below it
            // is granted.
            if use.rights.isEmpty, isNeverGranted(path) { return }
            grant(path, rights: rights)
        }
    }

    private func isNeverGranted(_ path: String) -> Bool { PathText.danger(path, rights: .read) != nil }

    /// Adds a created file. Creating a file needs a right on the directory of the file.
    private mutating func addNew(_ path: String) {
        let directory = "/" + PathText.parts(path).dropLast().joined(separator: "/")
        if directory == "/tmp" {
            wantsScratch = true
        } else {
            grant(directory, rights: [.read, .write])
        }
    }

    private mutating func grant(_ path: String, rights: PathRights) {
        if let reason = Self.barrier(path, rights: rights) {
            withheld[path] = reason
        } else {
            grants[path, default: []].formUnion(rights)
        }
    }

    /// Why a path is not proposed; nil if it may be proposed.
    private static func barrier(_ path: String, rights: PathRights) -> String? {
        if let reason = PathText.misspelling(path) ?? PathText.danger(path, rights: rights) { return reason }
        if ["/etc", "/tmp", "/var", "/run", "/var/tmp", "/mnt", "/media", "/srv", "/opt"].contains(path) {
            return "many programs share this directory: name the directories in it that are needed"
        }
        let secret = DangerousCalls.paths.first { danger in
            let isNear = PathText.isPath(path, within: danger.path) || PathText.isPath(danger.path, within: path)
            return isNear && (!danger.isOnlyWritten || rights.contains(.write))
        }
        return secret?.why
    }
}

extension ProposedPaths {
    /// Replaces the files of a directory by the directory if there are many of them. Files that are written are not
    /// replaced.
    private mutating func gather() {
        var below: [String: [String]] = [:]
        for (path, rights) in grants where !rights.contains(.write) {
            for directory in Self.parents(path) where Self.mayStandForAll(directory) {
                below[directory, default: []].append(path)
            }
        }
        for (directory, paths) in below.sorted(by: { $0.key < $1.key }) where paths.count >= Self.many {
            let own = paths.filter { grants[$0] != nil }
            guard own.count >= Self.many else { continue }
            let rights = own.reduce(PathRights()) { $0.union(grants[$1] ?? []) }
            guard Self.barrier(directory, rights: rights) == nil else { continue }
            for path in own { grants[path] = nil }
            grants[directory, default: []].formUnion(rights)
        }
    }

    /// Gives libraries the right `execute`. On a mount without this right, libraries cannot be mapped as code. A
    /// mapping does not name a path, so the recording does not show it.
    private mutating func allowCode() {
        for (path, rights) in grants where !rights.contains(.write) {
            let name = PathText.parts(path).last ?? ""
            let isLibrary = name.hasSuffix(".so") || name.contains(".so.") && !name.hasPrefix("ld.so.")
            let isOfLibraries = ["/lib", "/lib32", "/lib64", "/libx32"].contains { directory in
                PathText.isPath(path, within: directory) || PathText.isPath(path, within: "/usr" + directory)
            }
            if isLibrary || isOfLibraries { grants[path]?.formUnion([.read, .execute]) }
        }
    }

    /// The path of the dynamic loader. The kernel itself opens this file.
    private static func loader(_ architecture: Architecture) -> String {
        switch architecture {
        case .x86: "/lib64/ld-linux-x86-64.so.2"
        case .arm: "/lib/ld-linux-aarch64.so.1"
        }
    }

    /// The directories above a path, from the top down.
    private static func parents(_ path: String) -> [String] {
        let parts = PathText.parts(path)
        return (1..<max(parts.count, 1)).map { "/" + parts[..<$0].joined(separator: "/") }
    }

    /// Whether a directory may be granted in place of its files. Only directories of the system's programs, libraries
    /// and data may be granted in this way, because every user may read them.
    private static func mayStandForAll(_ directory: String) -> Bool {
        let parts = PathText.parts(directory)
        guard let first = parts.first, !parts.contains(where: { $0.hasPrefix(".") }) else { return false }
        switch first {
        case "lib", "lib32", "lib64", "libx32", "bin", "sbin": return true
        case "usr": return parts.count >= 2
        case "etc": return parts.count >= 2
        default: return false
        }
    }
}
