internal import AnnexLinux
internal import Glibc

/// Where the processes of a sandbox hold a socket, beside the descriptor that a call names.
enum SocketHolders {
    /// The most processes, and the most descriptors of one, that are looked at. A program with more gets the answer
    /// that is always right, and whose connections cost more.
    private static let (mostProcesses, mostDescriptors) = (64, 4_096)

    /// Whether a program has given a socket to epoll, or holds it by another descriptor or in another process. These
    /// places would keep the old socket when the broker puts another one in the place of the descriptor. A program that
    /// deceives this function harms itself alone.
    static func include(_ socket: HeldSocket, besides number: Int32, in family: SandboxFamily) -> Bool {
        guard let own = try? socket.descriptor.status().inode,
            let members = family.members(with: socket.process, atMost: mostProcesses)
        else { return true }
        return members.contains { member in
            isHeld(own, by: member, besides: member == socket.process ? "\(number)" : nil)
        }
    }

    private static func isHeld(_ inode: UInt64, by process: UInt32, besides number: String?) -> Bool {
        // A process that has ended holds nothing.
        guard let folder = try? Descriptor.directory("\(ProcNumber.folder(of: process))/fd") else { return false }
        guard let names = try? folder.kinds(atMost: mostDescriptors) else { return true }
        for case let name? in names.map(\.name) where name != number {
            // Another thread may have closed the descriptor meanwhile.
            guard let target = try? folder.linkTarget(name) else { continue }
            if target == "socket:[\(inode)]" { return true }
            if target == "anon_inode:[eventpoll]", watches(inode, by: name, of: process) { return true }
        }
        return false
    }

    /// The most descriptors of a process among which connections to end are looked for.
    private static let mostToEnd = 1 << 16

    /// Ends connections of a process and its descendants.
    /// - Parameters:
    ///   - process: its number in `/proc`.
    ///   - started: its start time, which tells it from a later process of the same number.
    ///   - isRefused: whether a descriptor is one of a connection to end.
    static func end(
        of process: Int32, started: UInt64, where isRefused: (borrowing Descriptor) -> Bool
    ) throws(SystemError) {
        var tree: Set<Int32> = []
        for member in try ProcessTree.members(of: process) {
            guard let number = ProcNumber.own(member) else {
                if ProcessStat(member) == nil { continue }
                throw SystemError("readlink", errno: EACCES)
            }
            let handle: ProcessHandle
            do throws(SystemError) {
                handle = try ProcessHandle(process: number)
            } catch {
                if error.errno == ESRCH { continue }
                throw error
            }
            guard let stat = ProcessStat(member) else {
                if handle.hasEnded { continue }
                throw SystemError("stat", errno: EACCES)
            }
            let isOurs = member == process ? stat.started == started : tree.contains(stat.parent)
            guard isOurs, !handle.hasEnded else { continue }
            tree.insert(member)
            do throws(SystemError) {
                try end(of: handle, listed: member, where: isRefused)
            } catch {
                // A process that has ended has no connection.
                if !handle.hasEnded { throw error }
            }
        }
    }

    private static func end(
        of handle: borrowing ProcessHandle, listed: Int32, where isRefused: (borrowing Descriptor) -> Bool
    ) throws(SystemError) {
        let folder = try Descriptor.directory("/proc/\(listed)/fd")
        for case let number? in try folder.kinds(atMost: mostToEnd).map({ $0.name.flatMap { Int32($0) } }) {
            let copy: Descriptor
            do throws(SystemError) {
                copy = try handle.getDescriptor(number)
            } catch {
                if error.errno == EBADF { continue }
                throw error
            }
            if isRefused(copy) { _ = shutdown(copy.number, Int32(SHUT_RDWR)) }
        }
    }

    /// Whether a descriptor of epoll watches the socket. Its lines name each watched file by the number of its inode.
    private static func watches(_ inode: UInt64, by name: String, of process: UInt32) -> Bool {
        guard let text = TextFile.read("\(ProcNumber.folder(of: process))/fdinfo/\(name)") else { return true }
        return text.utf8.contains("ino:\(String(inode, radix: 16)) ".utf8)
    }
}
