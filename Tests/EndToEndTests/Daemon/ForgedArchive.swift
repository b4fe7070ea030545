import AnnexBrokerAPI
import AnnexLinux
import Glibc

/// Files that a client passes to a daemon in place of an app's archive.
enum ForgedArchive {
    static func all() throws -> [(what: String, archive: ForgedDescriptors)] {
        let root = entry(1, "", [])
        var found: [(String, ForgedDescriptors)] = [
            ("nothing", ForgedDescriptors()),
            ("a file", ForgedDescriptors(one: try Descriptor.open("/etc/passwd", O_RDONLY))),
            ("a directory", ForgedDescriptors(one: try Descriptor.directory("/"))),
            ("unsealed", ForgedDescriptors(one: try memory(root, sealed: false))),
        ]
        let texts: [(String, [UInt8])] = [
            ("empty", []), ("half a header", [1, 0, 0]), ("an unknown kind", entry(9, "", [])),
            ("no app first", entry(2, "a", [1])), ("twice the app", root + root),
            ("a file that is longer than the archive", root + entry(2, "a", [1], size: 1 << 40)),
            ("a size that overflows", root + entry(2, "a", [1], size: .max)),
            ("a directory with contents", root + entry(1, "a", [1, 2])),
            ("a path that is longer than the archive", root + [2, 0, 0xFF, 3, 0, 0, 0, 0, 0, 0, 0, 0]),
            ("a path out", root + entry(2, "../x", [1])), ("a path out, inside", root + entry(2, "a/../../x", [1])),
            ("an absolute path", root + entry(2, "/tmp/x", [1])), ("a path of dots", root + entry(2, ".", [1])),
            ("an end mark", root + entry(2, "a\0b", [1])), ("no UTF-8", root + entry(2, bytes: [0xFF, 0xFE], [1])),
            ("no folder for it", root + entry(2, "a/b", [1])),
            ("through a link", root + entry(3, "l", Array("/tmp".utf8)) + entry(2, "l/annex-forged", [1])),
            ("over a link", root + entry(3, "l", Array("/tmp/annex-forged".utf8)) + entry(2, "l", [1])),
            ("a link with an end mark", root + entry(3, "l", [47, 0, 47])),
            ("a long link", root + entry(3, "l", [UInt8](repeating: 97, count: 5000))),
            ("deep", root + entry(1, (0..<40).map { _ in "d" }.joined(separator: "/"), [])),
            ("many", root + (0..<20_001).flatMap { entry(1, "d\($0)", []) }),
            ("no app", root + entry(2, "Info.plist", [1, 2, 3])),
        ]
        for (what, bytes) in texts { found.append((what, ForgedDescriptors(one: try memory(bytes)))) }
        return found
    }

    private static func memory(_ bytes: [UInt8], sealed: Bool = true) throws -> Descriptor {
        let memory = try Descriptor.memfd("forged", size: 0)
        try memory.writeAll(bytes)
        if sealed { try memory.addSeals(.immutable) }
        return memory
    }

    private static func entry(_ kind: UInt8, _ path: String, _ contents: [UInt8], size: UInt64? = nil) -> [UInt8] {
        entry(kind, bytes: Array(path.utf8), contents, size: size)
    }

    private static func entry(
        _ kind: UInt8, bytes path: [UInt8], _ contents: [UInt8], size: UInt64? = nil
    ) -> [UInt8] {
        let size = size ?? UInt64(contents.count)
        return [kind, 0, UInt8(truncatingIfNeeded: path.count), UInt8(truncatingIfNeeded: path.count >> 8)]
            + (0..<8).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + path + contents
    }
}
