/// The list of everything in an app: each file with its digest, each link with its target, and each directory.
///
/// A list has exactly one form in bytes: its entries are sorted by the bytes of their paths, and each part comes after
/// its length. So the digest of these bytes identifies the contents of the whole app.
package struct Seal: Sendable, Hashable {
    /// The app's `CFBundleIdentifier`.
    package let app: String
    /// The app's `CFBundleVersion`; `0` if it has none.
    package let version: String
    /// The entries, sorted by path. No path occurs twice.
    package let entries: [SealEntry]

    /// The most files, links and directories of an app.
    package static let mostEntries = 20_000
    /// The longest seal in bytes, without its signature.
    package static let mostBytes = 8 << 20
    /// The longest identifier and the longest version of an app, in bytes.
    static let longestName = 255

    /// - Parameter entries: the entries. They need not be sorted, but no path may occur twice.
    init(app: String, version: String, entries: [SealEntry]) {
        self.app = app
        self.version = version
        self.entries = entries.sorted { $0.path < $1.path }
    }

    /// The seal's bytes: the app and its version, each after its length (u16), the number of entries (u32), and the
    /// entries.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for text in [app, version] {
            bytes.append(UInt16(text.utf8.count))
            bytes += Array(text.utf8)
        }
        bytes.append(UInt32(entries.count))
        for entry in entries { entry.encode(into: &bytes) }
        return bytes
    }

    /// Reads a seal from an untrusted source. It never traps, whatever the bytes are.
    /// - Returns: nil if there is no seal whose `encoded` is exactly these bytes.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count <= Self.mostBytes else { return nil }
        var reader = SealReader(bytes)
        guard let app = Self.text(from: &reader), let version = Self.text(from: &reader),
            let count: UInt32 = reader.nextNumber(), count <= UInt32(Self.mostEntries)
        else { return nil }
        var entries: [SealEntry] = []
        for _ in 0..<count {
            guard let entry = SealEntry(from: &reader) else { return nil }
            if let last = entries.last, last.path >= entry.path { return nil }
            entries.append(entry)
        }
        guard reader.isAtEnd else { return nil }
        (self.app, self.version, self.entries) = (app, version, entries)
    }

    private static func text(from reader: inout SealReader) -> String? {
        guard let length: UInt16 = reader.nextNumber(), Int(length) <= longestName else { return nil }
        return reader.next(Int(length)).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The digest of everything in the app, with its identifier and version. If two apps have the same digest, all
    /// their files are the same. This holds for signed and unsigned apps.
    package var contentDigest: Digest { Self.digest(of: encoded) }

    static func digest(of encoded: some Collection<UInt8>) -> Digest { Digest(of: encoded, for: .seal) }

    /// The number of files that the seal lists. Links and directories do not count.
    package var fileCount: Int {
        entries.count { if case .file = $0.content { true } else { false } }
    }

    /// The seal's entry for a path; nil if the seal does not list the path.
    package func content(of path: String) -> SealEntry.Content? {
        guard let path = SealPath(Array(path.utf8)[...]) else { return nil }
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].path < path { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].path == path ? entries[low].content : nil
    }
}
