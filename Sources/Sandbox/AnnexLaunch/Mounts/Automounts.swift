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
    private static let types: Set<Substring> = ["autofs", "afs"]

    private struct Point {
        let place: [UInt8]
        /// Whether to avoid the mount point itself too, and not only the names beneath it.
        let isAvoidedItself: Bool
    }

    /// The mount points to avoid. If nil, the mounts are unknown, so any path may lead below such a mount point.
    private let points: [Point]?

    /// - Parameter mountinfo: the text of a `mountinfo` file, in the form of `PathText.text`; nil if it could not be
    ///   read completely. A user chooses parts of the text. So it is split at bytes: a space before a combining mark is
    ///   a space for the kernel too.
    init(_ mountinfo: String?) {
        points = mountinfo?.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " ")).map(Substring.init)
            guard fields.count > 4, let dash = fields.firstIndex(of: "-"), fields.count > dash + 1 else { return nil }
            let isForeign = Self.isServedByOthers(fields[(dash + 1)...])
            guard isForeign || Self.types.contains(fields[dash + 1]) else { return nil }
            return Point(place: Self.plain(fields[4]), isAvoidedItself: isForeign)
        }
    }

    /// Whether a program of another user answers each question about the mount's files. Root and this process's own
    /// user are trusted to answer.
    /// - Parameter fields: the fields behind the dash: the type, the source and the options.
    private static func isServedByOthers(_ fields: ArraySlice<Substring>) -> Bool {
        guard let type = fields.first, ["fuse", "fuseblk"].contains(type) || type.hasPrefix("fuse.") else {
            return false
        }
        let user = fields.last?.utf8.split(separator: UInt8(ascii: ",")).map(Substring.init).first {
            $0.hasPrefix("user_id=")
        }
        return user.flatMap { UInt32($0.dropFirst("user_id=".count)) }.map { ![0, geteuid()].contains($0) } ?? true
    }

    /// The mounts of this process.
    static func read() -> Automounts {
        // A list of 1 MiB or more is not examined: its mounts count as unknown.
        Automounts(TextFile.bytes("/proc/self/mountinfo").flatMap { $0.count < 1 << 20 ? PathText.text($0) : nil })
    }

    /// Whether a path, in the form of `PathText.text`, leads below one of these mounts. Except for mounts that a program of another user serves, the
    /// lookup of the mount point itself is safe.
    func lead(to path: String) -> Bool {
        guard let points else { return true }
        let path = Array(path.utf8)
        return points.contains { point in
            let place = point.place
            guard path.count > place.count else { return point.isAvoidedItself && path == place }
            return path.starts(with: place) && (place == [Self.slash] || path[place.count] == Self.slash)
        }
    }

    private static let slash = UInt8(ascii: "/")

    /// Decodes a path of `mountinfo`. This file shows spaces and similar bytes as a backslash and three octal digits.
    private static func plain(_ field: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
