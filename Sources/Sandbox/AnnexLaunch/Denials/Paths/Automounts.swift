/// Places of the host at which looking up a name makes the host mount something, or send the name to a server.
///
/// A sandbox without a network could choose such names, and so make the host send its data out.
struct Automounts {
    /// `autofs` mounts the names looked up beneath it; the root of `afs` asks the network for cells by name.
    private static let types: Set<Substring> = ["autofs", "afs"]

    /// The paths of such mounts; nil: the mounts are unknown, so any path may be one.
    private let points: [[UInt8]]?

    /// - Parameter mountinfo: the text of a `mountinfo` file; nil if it could not be read completely.
    init(_ mountinfo: String?) {
        points = mountinfo?.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 4, let dash = fields.firstIndex(of: "-"), fields.count > dash + 1,
                Self.types.contains(fields[dash + 1])
            else { return nil }
            return Self.plain(fields[4])
        }
    }

    /// The mounts of this process.
    static func read() -> Automounts {
        // A text of this length may be truncated.
        Automounts(TextFile.read("/proc/self/mountinfo").flatMap { $0.utf8.count < 1 << 20 ? $0 : nil })
    }

    /// Whether a path leads below such a place. The place itself is safe to look up.
    func lead(to path: String) -> Bool {
        guard let points else { return true }
        let path = Array(path.utf8)
        return points.contains { point in
            path.count > point.count && path.starts(with: point)
                && (point == [Self.slash] || path[point.count] == Self.slash)
        }
    }

    private static let slash = UInt8(ascii: "/")

    /// Decodes a path of `mountinfo`, which writes spaces and similar bytes as a backslash and three octal digits.
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
