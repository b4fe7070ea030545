internal import CAnnexLinux

/// Files without a name, such as memfds, that processes hold open: each counts once, however many hold it.
struct NamelessFiles {
    /// A number is a file's own only on its device.
    private struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private var files: [Identity: UInt64] = [:]

    var bytes: UInt64 { files.values.reduce(0) { $0.addingClamped($1) } }

    mutating func add(device: UInt64, inode: UInt64, blocks: UInt64) {
        files[Identity(device: device, inode: inode)] = UInt64(bytesOfBlocks: blocks)
    }

    /// The file that a link of `/proc/PID/fd` leads to, where it has no name and may be memory: what lies on a disk takes
    /// none. It may be anybody's: no other machine is asked how large it is by now, or what it lies on.
    mutating func add(link: String) {
        var file = annex_known_file()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard unsafe annex_known_status(link, &file) == 0, file.is_regular != 0, file.links == 0,
            file.is_on_device == 0
        else { return }
        add(device: file.device, inode: file.inode, blocks: file.blocks)
    }
}
