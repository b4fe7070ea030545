internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// Files without a name, such as memfds, that processes hold open: each counts once, however many hold it.
struct NamelessFiles {
    /// A number is a file's own only on its device.
    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// The most that are looked at; where a process has more, that is an error and not a part of them.
    private static let mostDescriptors = 1 << 20

    private var files: [Identity: UInt64] = [:]
    private let isMeant: (annex_known_file) -> Bool

    /// - Parameter isMeant: which of them count.
    init(where isMeant: @escaping (annex_known_file) -> Bool = { _ in true }) {
        self.isMeant = isMeant
    }

    var bytes: UInt64 { files.values.reduce(0) { $0.addingClamped($1) } }
    var count: UInt64 { UInt64(files.count) }

    mutating func add(device: UInt64, inode: UInt64, blocks: UInt64) {
        files[Identity(device: device, inode: inode)] = UInt64(bytesOfBlocks: blocks)
    }

    /// What a process holds open. One that has ended holds nothing, and of one that executed what may not be read only
    /// root is told.
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

    /// The file that a link of `/proc/PID/fd` leads to. It may be anybody's: no other machine is asked how large it is by
    /// now, or what it lies on.
    mutating func add(link: String) {
        var file = annex_known_file()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard unsafe annex_known_status(link, &file) == 0, file.is_regular != 0, file.links == 0, isMeant(file)
        else { return }
        add(device: file.device, inode: file.inode, blocks: file.blocks)
    }
}
