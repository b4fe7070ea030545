internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// Files without a name, such as memfds, that processes hold open. Each file counts once, however many processes hold
/// it.
struct NamelessFiles {
    /// An inode number identifies a file only together with its device.
    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// The most descriptors of a process that are examined. More are an error, so that no partial sum is returned.
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

    /// Adds the files that a process holds open. An ended process holds none. For a process that executed an unreadable
    /// file, only root can list them.
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

    /// Adds the file that a link of `/proc/PID/fd` leads to. The program chose the file, so the call must not make the
    /// kernel ask another machine for its size or its mount.
    mutating func add(link: String) {
        var file = annex_known_file()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard unsafe annex_known_status(link, &file) == 0, file.is_regular != 0, file.links == 0, isMeant(file)
        else { return }
        add(device: file.device, inode: file.inode, blocks: file.blocks)
    }
}
