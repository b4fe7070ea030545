internal import AnnexLinux
internal import Synchronization

/// The processes of a sandbox, found from any one of them.
final class SandboxFamily: Sendable {
    /// The sandbox's first process; nil until it is known. It lives for as long as any other.
    private let first = Mutex<UInt32?>(nil)
    /// The process namespace of the broker, from which the sandbox's first process was started.
    private static let ownSpace = try? Descriptor.directory("/proc/self/ns").linkTarget("pid")

    /// The numbers of the processes; nil if there are more, or if they cannot be listed.
    /// - Parameter process: one of them.
    func members(with process: UInt32, atMost most: Int) -> [UInt32]? {
        guard let top = first(of: process) else { return nil }
        var (found, next) = ([top], 0)
        while next < found.count {
            guard let children = Self.children(of: found[next]) else { return nil }
            found += children
            guard found.count <= most else { return nil }
            next += 1
        }
        return found
    }

    private func first(of process: UInt32) -> UInt32? {
        if let first = first.withLock({ $0 }) { return first }
        guard let space = Self.space(of: process) else { return nil }
        var top = process
        while let parent = Self.parent(of: top), let other = Self.space(of: parent) {
            guard other == space else {
                // A process namespace that the program made has a parent in the sandbox.
                if other == Self.ownSpace { first.withLock { $0 = top } }
                break
            }
            top = parent
        }
        return top
    }

    private static func space(of process: UInt32) -> String? {
        try? Descriptor.directory("\(ProcNumber.folder(of: process))/ns").linkTarget("pid")
    }

    private static func parent(of process: UInt32) -> UInt32? {
        TextFile.read("\(ProcNumber.folder(of: process))/status").flatMap { TextFile.field("PPid", in: $0) }
            .flatMap { UInt32($0) }
    }

    private static func children(of process: UInt32) -> [UInt32]? {
        let path = "\(ProcNumber.folder(of: process))/task"
        // A process that has ended has no children.
        guard let folder = try? Descriptor.directory(path) else { return [] }
        var children: [UInt32] = []
        for thread in threads(of: process, in: folder) {
            guard let text = TextFile.read("\(path)/\(thread)/children") else { return nil }
            children += text.split(separator: " ").compactMap { UInt32($0) }
        }
        return children
    }

    private static func threads(of process: UInt32, in folder: borrowing Descriptor) -> [String] {
        // The kernel counts a link for each thread, beside the usual two of a folder. So the list of the only thread is
        // not read.
        let listed = ProcNumber.listed(Int32(clamping: process))
        if let links = try? folder.status().links, links == 3 { return ["\(listed)"] }
        return (try? folder.kinds(atMost: 1_024).compactMap(\.name)) ?? []
    }
}
