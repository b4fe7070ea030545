internal import AnnexLinux
internal import Glibc

/// The `uid_map` of a process: the user IDs of its user namespace, and the IDs that they have outside.
struct UserMap: Sendable, Equatable {
    struct Range: Sendable, Equatable {
        let inside: UInt32
        let outside: UInt32
        let count: UInt32
    }

    let ranges: [Range]

    init(text: String) {
        ranges = text.split(separator: "\n").compactMap { line in
            let numbers = line.split(separator: " ").compactMap { UInt32($0) }
            return numbers.count == 3 ? Range(inside: numbers[0], outside: numbers[1], count: numbers[2]) : nil
        }
    }

    /// - Parameter process: a process ID, or `self`.
    init?(of process: String) {
        guard let file = try? Descriptor.open("/proc/\(process)/uid_map", O_RDONLY),
            let bytes = try? file.readAll(atMost: 1 << 16)
        else { return nil }
        self.init(text: String(decoding: bytes, as: UTF8.self))
    }

    /// Whether the namespace maps every user ID of the machine. All users without an ID inside look like the same one,
    /// the overflow user.
    var hasEverybody: Bool { ranges.reduce(UInt64(0)) { $0 + UInt64($1.count) } >= UInt64(UInt32.max) }

    /// The user ID that stands for all users without an ID in this process's namespace; nil if every user has one.
    static func overflowUser() -> UInt32? {
        guard let own = UserMap(of: "self"), !own.hasEverybody else { return nil }
        guard let file = try? Descriptor.open("/proc/sys/kernel/overflowuid", O_RDONLY),
            let bytes = try? file.readAll(atMost: 64)
        else { return 65534 }
        return UInt32(String(decoding: bytes, as: UTF8.self).filter(\.isNumber)) ?? 65534
    }
}
