internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// Files without a name, such as memfds, that processes hold open. Each file counts once, even if several processes
/// hold it.
struct NamelessFiles {
    /// An inode number identifies a file only together with its device.
    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// The most descriptors of a process that are examined. If a process has more descriptors, that is an error, so
    /// that no partial sum is returned.
    private static let mostDescriptors = 1 << 20

    private var files: [Identity: UInt64] = [:]
    private let isMeant: (annex_known_file) -> Bool

    /// - Parameter isMeant: whether a file counts.
    init(where isMeant: @escaping (annex_known_file) -> Bool = { _ in true }) {
        self.isMeant = isMeant
    }

    var bytes: UInt64 { files.values.reduce(0) { $0.addingClamped($1) } }
    var count: UInt64 { UInt64(files.count) }

    mutating func add(device: UInt64, inode: UInt64, blocks: UInt64) {
        files[Identity(device: device, inode: inode)] = UInt64(bytesOfBlocks: blocks)
    }

    /// Adds the files that a process holds open. An ended process holds no files. If a process executed an unreadable
    /// file, only root can list the files that this process holds. Without root, this call then adds nothing.
    mutating func add(openIn process: Int32) throws(SystemError) {
        let folder = "/proc/\(process)/fd"
        let names: [String]
        do throws(SystemError) {
            names = try Descriptor.directory(folder).entries(atMost: Self.mostDescriptors).compactMap(\.name)
        } catch {
            if [ENOENT, ESRCH, EACCES, EPERM].contains(error.errno) { return }
            throw error
        }
        for name in names { add(link: "\(folder)/\(name)") }
    }

    /// Adds the file that a link of `/proc/PID/fd` leads to. The program chose this file, which may lie on a network
    /// file system. `annex_known_status` takes only facts that this kernel already knows, so no other machine is
    /// asked for the file's size or mount.
    mutating func add(link: String) {
        var file = annex_known_file()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard unsafe annex_known_status(link, &file) == 0, file.is_regular != 0, file.links == 0, isMeant(file)
        else { return }
        add(device: file.device, inode: file.inode, blocks: file.blocks)
    }
}

/// All members of a sandbox, which are its processes, see the same mounts. So the list of mounts of one member is
/// enough for all members. The functions below use the first member that this process may examine. The first member
/// can be a reaper, a process of Annex. A reaper has never executed a program, and for this reason an ordinary user
/// is not allowed to examine it.
extension NamelessFiles {
    /// The nameless files of these processes that may lie in memory.
    static func memory(of members: [Int32]) throws(SystemError) -> NamelessFiles {
        var files = NamelessFiles.memory(mountedBy: members)
        for process in members { try files.add(openIn: process) }
        return files
    }

    /// An empty collection that accepts only files that may lie in memory. Files on a disk use no memory. A file on
    /// btrfs or overlay does not show whether it lies on a disk. For such a file, the type of its mount decides. The
    /// type is read from the members' list of mounts.
    static func memory(mountedBy members: [Int32]) -> NamelessFiles {
        var mounts: MountTypes?
        return NamelessFiles { file in
            guard file.is_on_device == 0 else { return false }
            let known = mounts ?? MountTypes(of: members)
            mounts = known
            return known.mayBeMemory(file.mount)
        }
    }

    /// The removed files that the members of these sandboxes still hold open and that lie on the mount of this path. The
    /// path is looked up as the members see it. Each sandbox has its own mount at this path. A member may have received
    /// a file from a member of another sandbox.
    static func removed(at path: String, of sandboxes: [[Int32]]) throws(SystemError) -> NamelessFiles {
        let mounts = Set(
            sandboxes.compactMap { members in
                members.lazy.map { mount(of: "/proc/\($0)/root\(path)") }.first { $0 != 0 }
            })
        guard !mounts.isEmpty else { return NamelessFiles() }
        var files = NamelessFiles { mounts.contains($0.mount) }
        for process in sandboxes.joined() { try files.add(openIn: process) }
        return files
    }

    /// The number of the mount at a path; 0 if it cannot be read.
    private static func mount(of path: String) -> UInt64 {
        var place = annex_known_file()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        return unsafe annex_known_status(path, &place) == 0 ? place.mount : 0
    }
}

/// The file system types of a process's mounts, by mount number.
struct MountTypes {
    private static let memory: Set<Substring> = ["tmpfs", "ramfs", "devtmpfs", "hugetlbfs"]

    private var isMemory: [UInt64: Bool] = [:]

    /// - Parameter mountinfo: the text of a `mountinfo` file.
    init(_ mountinfo: String) {
        for line in TextFile.lines(of: mountinfo) {
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), fields.count > dash + 1, let mount = UInt64(fields[0]) else {
                continue
            }
            isMemory[mount] = Self.memory.contains(fields[dash + 1])
        }
    }

    /// Reads the mounts of the first process whose list is not empty.
    init(of members: [Int32]) {
        let texts = members.lazy.compactMap { TextFile.read("/proc/\($0)/mountinfo") }
        self.init(texts.first { !$0.isEmpty } ?? "")
    }

    /// Whether files of a mount may lie in memory. If the list lacks the mount, the answer is true: the kernel's
    /// internal mount of memfds is not in the list.
    func mayBeMemory(_ mount: UInt64) -> Bool { isMemory[mount] ?? true }
}
