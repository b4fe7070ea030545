internal import AnnexLinux
internal import Glibc

/// Where a program holds a socket, beside the descriptor that a call names.
enum SocketHolders {
    /// The most descriptors of a program that are looked at.
    private static let most = 1 << 16

    /// Whether a program has given a socket to epoll, or holds it by another descriptor. These places would keep the
    /// old socket when the broker puts another one in the place of the descriptor. A program that deceives this
    /// function harms itself alone.
    static func include(_ socket: borrowing Descriptor, besides number: Int32, of thread: UInt32) -> Bool {
        guard let own = try? socket.status().inode,
            let folder = try? Descriptor.directory("\(ProcNumber.folder(of: thread))/fd"),
            let names = try? folder.kinds(atMost: most)
        else { return true }
        for case let name? in names.map(\.name) where name != "\(number)" {
            // Another thread may have closed the descriptor meanwhile.
            guard let target = try? folder.linkTarget(name) else { continue }
            if target == "socket:[\(own)]" { return true }
            if target == "anon_inode:[eventpoll]", watches(own, by: name, of: thread) { return true }
        }
        return false
    }

    /// Whether a descriptor of epoll watches the socket. Its lines name each watched file by the number of its inode.
    private static func watches(_ inode: UInt64, by name: String, of thread: UInt32) -> Bool {
        guard let text = TextFile.read("\(ProcNumber.folder(of: thread))/fdinfo/\(name)") else { return true }
        return text.utf8.contains("ino:\(String(inode, radix: 16)) ".utf8)
    }
}
