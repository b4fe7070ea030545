internal import CAnnexLinux
internal import Glibc

extension Descriptor {
    /// Opens a path below this directory. The kernel refuses every way out: `..` above the directory, an absolute path,
    /// and any symbolic or magic link on the way.
    /// - Throws: `EXDEV` if the path leads out of the directory, `ELOOP` if it passes a link.
    package func openBeneath(_ path: String, _ flags: Int32, mode: UInt32 = 0) throws(SystemError) -> Descriptor {
        let opened = unsafe path.withCString { text in
            unsafe annex_open_beneath(number, text, UInt64(UInt32(bitPattern: flags)), UInt64(mode))
        }
        return Descriptor(owning: try SystemError.check("openat2", path: path, opened))
    }

    /// Opens a directory, so that paths can be opened beneath it.
    package static func directory(_ path: String) throws(SystemError) -> Descriptor {
        try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
    }
}
