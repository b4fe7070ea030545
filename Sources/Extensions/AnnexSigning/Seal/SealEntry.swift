internal import AnnexLinux

/// The path of a file beneath an app, as the exact bytes of the path.
///
/// Swift compares texts by their meaning, so two encodings of `é` are equal. The kernel compares bytes. This type
/// compares bytes too.
package struct SealPath: Sendable, Hashable, Comparable {
    /// The longest path and the longest name in a path, in bytes.
    static let longest = 1_024
    static let longestName = 255

    let bytes: [UInt8]

    /// The app's own directory, for errors. No seal lists this path.
    static let app = SealPath(unchecked: [UInt8(ascii: ".")])

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Nil if the bytes are not a path beneath a directory. In such a path, each name has 1 to 255 bytes and is neither
    /// `.` nor `..`.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard (1...Self.longest).contains(bytes.count), !bytes.contains(0) else { return nil }
        let names = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard names.allSatisfy({ Self.isName($0) }), String(validating: bytes, as: UTF8.self) != nil else { return nil }
        self.bytes = Array(bytes)
    }

    private static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        (1...longestName).contains(name.count) && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
    }

    /// The path as text for system calls.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The path as text to show.
    package var shown: String { "\(Escaped(bytes))" }

    package static func < (one: SealPath, other: SealPath) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }
}

/// One file, link or directory that a seal lists.
package struct SealEntry: Sendable, Hashable {
    /// The kind and the contents that the object at a path must have.
    package enum Content: Sendable, Hashable {
        case directory
        case file(size: UInt64, digest: Digest, isExecutable: Bool)
        /// The exact bytes of the link's target.
        case link(target: [UInt8])
    }

    package let path: SealPath
    package let content: Content
}

extension SealEntry {
    /// The longest target of a link, in bytes.
    static let longestTarget = 1_024

    private enum Kind: UInt8 {
        case directory = 1
        case file = 2
        case program = 3
        case link = 4
    }

    /// Appends the entry's bytes: kind (u8), length of the path (u16), the path, and the fields of the kind. A file
    /// has its size (u64) and its digest. A link has the length of its target (u16) and the target. An executable
    /// file has the kind `program`, and the same fields as any other file. Numbers are little-endian.
    func encode(into bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        bytes.append(UInt16(path.bytes.count))
        bytes += path.bytes
        switch content {
        case .directory: break
        case .file(let size, let digest, _):
            bytes.append(size)
            bytes += digest.bytes
        case .link(let target):
            bytes.append(UInt16(target.count))
            bytes += target
        }
    }

    private var kind: Kind {
        switch content {
        case .directory: .directory
        case .file(_, _, let isExecutable): isExecutable ? .program : .file
        case .link: .link
        }
    }

    /// Reads an entry's bytes; nil if the bytes are not an entry.
    init?(from reader: inout SealReader) {
        guard let kind = reader.next(1)?.first.flatMap(Kind.init(rawValue:)),
            let length: UInt16 = reader.nextNumber(), let path = reader.next(Int(length)).flatMap(SealPath.init)
        else { return nil }
        self.path = path
        switch kind {
        case .directory: content = .directory
        case .file, .program:
            guard let size: UInt64 = reader.nextNumber(), let digest = reader.next(Digest.size).flatMap(Digest.init)
            else { return nil }
            content = .file(size: size, digest: digest, isExecutable: kind == .program)
        case .link:
            guard let length: UInt16 = reader.nextNumber(), (1...Self.longestTarget).contains(Int(length)),
                let target = reader.next(Int(length)), !target.contains(0)
            else { return nil }
            content = .link(target: Array(target))
        }
    }
}

extension [UInt8] {
    /// Appends a number in little-endian order.
    mutating func append<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) {
        for place in 0..<(Number.bitWidth / 8) { append(UInt8(truncatingIfNeeded: number >> Number(8 * place))) }
    }
}

/// Reads bytes from an untrusted source, from start to end. Each byte is read once.
struct SealReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// All bytes that have not been read yet.
    var remaining: ArraySlice<UInt8> { rest }

    /// The next bytes; nil if fewer are left.
    mutating func next(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// The next number in little-endian order; nil if too few bytes are left.
    mutating func nextNumber<Number: FixedWidthInteger & UnsignedInteger>() -> Number? {
        next(Number.bitWidth / 8).map { $0.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) } }
    }
}
