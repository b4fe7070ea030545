internal import CAnnexLinux
internal import Glibc

extension Descriptor {
    /// Anonymous memory of `size` zero bytes that can be sealed. It is not executable if the kernel supports that flag.
    /// - Parameters:
    ///   - name: shown in /proc; it need not be unique. At most 249 bytes.
    ///   - size: in bytes.
    package static func memfd(_ name: String, size: Int64) throws(SystemError) -> Descriptor {
        let number = try SystemError.check("memfd_create", unsafe annex_memfd_create(name, 0))
        let memory = Descriptor(owning: number)
        if size > 0 { try memory.resize(to: size) }
        return memory
    }

    /// Anonymous memory that a program can be executed from.
    package static func executableMemfd(_ name: String) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check("memfd_create", unsafe annex_memfd_create(name, 1)))
    }

    package func addSeals(_ seals: Seals) throws(SystemError) {
        _ = try SystemError.check("fcntl(F_ADD_SEALS)", annex_add_seals(number, seals.rawValue))
    }

    /// The seals in force.
    /// - Throws: `EINVAL` if the file cannot be sealed.
    package func seals() throws(SystemError) -> Seals {
        Seals(rawValue: try SystemError.check("fcntl(F_GET_SEALS)", annex_get_seals(number)))
    }

    /// Whether the file lies on tmpfs, as every memfd of ordinary pages does. Memory of huge pages does not: there a
    /// page can be missing although the file is long enough.
    package var isPlainSharedMemory: Bool {
        annex_is_on_tmpfs(number) == 1
    }

    /// `SEEK_HOLE`. Glibc's import lacks the name; the number is the same on every architecture.
    private static let seekHole: Int32 = 4

    /// The offset of the first hole: the file's size if there is none, less than 0 if it cannot be determined. Moves
    /// the file's offset.
    package var firstHole: Int64 {
        Int64(lseek(number, 0, Descriptor.seekHole))
    }
}
