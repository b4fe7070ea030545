package import AnnexLinux
internal import Glibc

/// The origin of the warden's program.
package enum WardenProgram: Sendable, Hashable {
    /// An installed program. AppArmor needs an installed program, because its profiles apply to paths. The program is
    /// skipped if its version differs from this library's version.
    case installed(path: String)
    /// The copy embedded in this library, executed from sealed memory.
    case carried

    /// The programs in the order in which they are tried.
    package static let standard: [WardenProgram] = [
        .installed(path: "/usr/local/libexec/annex/annex-warden"),
        .installed(path: "/usr/libexec/annex/annex-warden"),
        .carried,
    ]

    /// Opens a descriptor from which the program can be executed.
    func open() throws(SystemError) -> Descriptor {
        switch self {
        case .installed(let path): return try WardenProgram.openInstalled(path)
        case .carried: return try WardenProgram.makeMemory()
        }
    }

    /// Opens an installed program. Because the program will control every sandbox, root must own it and no other user
    /// may be able to change it.
    private static func openInstalled(_ path: String) throws(SystemError) -> Descriptor {
        let file = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW)
        let status = try file.status()
        guard status.kind == .regular, status.user == 0, status.mode & 0o022 == 0 else {
            throw SystemError(
                "open", errno: EACCES, path: path,
                remedy:
                    "it must be a regular file that only root can change: sudo chown root:root \(path) && "
                    + "sudo chmod 755 \(path)")
        }
        return file
    }

    private static func makeMemory() throws(SystemError) -> Descriptor {
        let memory = try makeExecutableMemory()
        try memory.writeAll(try bytes())
        try memory.addSeals(.immutable)
        return memory
    }

    /// The program embedded in this library for this machine's architecture.
    package static func bytes() throws(SystemError) -> [UInt8] {
        guard let bytes = WardenPrograms.file(Machine.name) else {
            throw SystemError(
                "warden", errno: ENOEXEC, remedy: "this processor is not supported: run Annex on x86-64 or aarch64")
        }
        return bytes
    }

    private static func makeExecutableMemory() throws(SystemError) -> Descriptor {
        do throws(SystemError) {
            return try Descriptor.executableMemfd("annex-warden")
        } catch {
            guard error.errno == EACCES else { throw error }
            throw SystemError(
                error.call, errno: error.errno,
                remedy: "vm.memfd_noexec forbids programs in memory: install the warden, or set this sysctl to 1 or 0")
        }
    }
}

/// The processor architecture of this build, as the names of the embedded warden programs spell it.
package enum Machine {
    #if arch(x86_64)
        package static let name = "x86_64"
    #elseif arch(arm64)
        package static let name = "aarch64"
    #else
        package static let name = "unknown"
    #endif
}
