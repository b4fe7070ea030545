internal import AnnexPolicy
internal import Glibc

/// Directories of the host that a lookup must avoid, because the lookup of a name there does more than find a file.
///
/// Some make the host mount something or send the name to a server. A sandbox without a network could choose such
/// names, and so make the host send the sandbox's data out. Others belong to a program of another user, which may never
/// answer.
struct Automounts {
    /// `autofs` mounts a file system when a name beneath its mount point is looked up. The root of `afs` asks the
    /// network for cells by name.
    private static let types: Set<String> = ["autofs", "afs"]

    private struct Point {
        let place: [UInt8]
        /// Whether to avoid the mount point itself too, and not only the names beneath it.
        let isAvoidedItself: Bool
    }

    /// The mount points to avoid. If nil, the mounts are unknown, so any path may lead below such a mount point.
    private let points: [Point]?

    /// - Parameter table: the mounts; nil if they could not be read completely.
    init(_ table: MountTable?) {
        points = table?.mounts.compactMap { mount in
            let isForeign = Self.isServedByOthers(mount.system)
            guard isForeign || mount.system.first.map(Self.types.contains) == true else { return nil }
            return Point(place: mount.point, isAvoidedItself: isForeign)
        }
    }

    /// Whether a program of another user answers each question about the mount's files. Root and this process's own
    /// user are trusted to answer.
    /// - Parameter fields: the fields behind the dash: the type, the source and the options.
    private static func isServedByOthers(_ fields: [String]) -> Bool {
        guard let type = fields.first, ["fuse", "fuseblk"].contains(type) || type.hasPrefix("fuse.") else {
            return false
        }
        let user = fields.last?.utf8.split(separator: UInt8(ascii: ",")).map(Substring.init).first {
            $0.hasPrefix("user_id=")
        }
        return user.flatMap { UInt32($0.dropFirst("user_id=".count)) }.map { ![0, geteuid()].contains($0) } ?? true
    }

    /// Whether the mounts could be read.
    var areKnown: Bool { points != nil }

    /// The mounts of this process.
    static func read() -> Automounts { Automounts(.read()) }

    /// Whether a path, in the form of `PathText.text`, leads below one of these mounts. Except for mounts that a program
    /// of another user serves, the lookup of the mount point itself is safe.
    func lead(to path: String) -> Bool {
        guard let points else { return true }
        let path = PathText.bytes(path)
        return points.contains { point in
            MountTable.isPath(path, within: point.place) && (point.isAvoidedItself || path != point.place)
        }
    }
}
