internal import CAnnexLinux
internal import Glibc

/// The numbers that `/proc` gives to processes.
///
/// They are this program's own numbers, unless `/proc` belongs to an outer process namespace. This is so in a sandbox
/// that has a process namespace of its own and keeps the `/proc` of its surroundings. There, a number of this program's
/// namespace would lead to a process of another program.
package enum ProcNumber {
    /// How many process namespaces lie between the namespace of `/proc` and this program's own, counted inwards; 0 if
    /// both are the same. If this is nil, it cannot be found out, and no number leads to a process.
    package static let depth = depth(in: ownText, link: ownLink, process: getpid())

    /// - Parameters:
    ///   - text: the kernel's text about a pidfd of this process; nil if it could not be read.
    ///   - link: where `/proc/self` leads.
    static func depth(in text: String?, link: String?, process: Int32) -> Int? {
        let levels = text.map { numbers(of: "NSpid", in: $0) } ?? []
        // If `/proc` does not show this process, the kernel writes one number: 0.
        if let first = levels.first { return first > 0 ? levels.count - 1 : nil }
        return link == "\(process)" ? 0 : nil
    }

    private static var ownText: String? {
        guard let handle = try? ProcessHandle(process: getpid()) else { return nil }
        return text(of: handle)
    }

    private static var ownLink: String? {
        var room = [UInt8](repeating: 0, count: 16)
        // SAFETY: the call writes at most the array's size, and no NUL at the end.
        let count = unsafe readlink("/proc/self", &room, room.count)
        return count > 0 ? String(decoding: room[..<count], as: UTF8.self) : nil
    }

    /// The folder of a process or thread in `/proc`. If `/proc` does not show it, the folder does not exist.
    package static func folder(of number: some BinaryInteger) -> String {
        "/proc/\(listed(Int32(clamping: number)))"
    }

    /// The number of a process or thread in `/proc`; 0 if `/proc` does not show it.
    package static func listed(_ number: Int32) -> Int32 {
        guard let depth else { return 0 }
        guard depth > 0 else { return number }
        let file = annex_pidfd_open_thread(number)
        guard file >= 0 else { return 0 }
        let handle = ProcessHandle(owning: Descriptor(owning: file))
        return text(of: handle).flatMap { numbers(of: "Pid", in: $0).first } ?? 0
    }

    /// The number of a listed process in this program's own namespace; nil if the process is not in it.
    package static func own(_ listed: Int32) -> Int32? {
        guard let depth else { return nil }
        guard depth > 0 else { return listed }
        guard let bytes = try? Descriptor.open("/proc/\(listed)/status", O_RDONLY).readAll(atMost: 1 << 16) else {
            return nil
        }
        let found = numbers(of: "NSpid", in: String(decoding: bytes, as: UTF8.self))
        return found.indices.contains(depth) ? found[depth] : nil
    }

    /// The kernel's text about a pidfd.
    private static func text(of handle: borrowing ProcessHandle) -> String? {
        let file = "/proc/self/fdinfo/\(handle.descriptor.number)"
        guard let bytes = try? Descriptor.open(file, O_RDONLY).readAll(atMost: 4096) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func numbers(of key: String, in text: String) -> [Int32] {
        let line = text.split(separator: "\n").first { $0.hasPrefix(key + ":") }
        return line?.split(separator: "\t").dropFirst().compactMap { Int32($0) } ?? []
    }
}
