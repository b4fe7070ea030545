internal import CAnnexLinux

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
}
