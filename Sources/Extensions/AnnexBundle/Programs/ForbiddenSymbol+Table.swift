/// A function of the C library that fails in every sandbox of an extension.
struct ForbiddenSymbol: Hashable {
    let name: String
    /// The function's effect, in words that follow the function's name in a sentence.
    let purpose: String
    /// Whether Swift's runtime or Annex itself links the function into every static program. If so, the symbol does not
    /// show that the extension's own code calls the function.
    let isInEveryProgram: Bool

    private init(_ name: String, purpose: String, isInEveryProgram: Bool = false) {
        self.name = name
        self.purpose = purpose
        self.isInEveryProgram = isInEveryProgram
    }

    /// All forbidden functions, by their plain names. In the full symbol table, a linker may add a version to a name,
    /// as in `fork@GLIBC_2.2.5`. The dynamic linker's table, which Annex reads too, holds the plain name.
    static let all: [ForbiddenSymbol] = processes + code + others + places

    private static let processes =
        ["fork", "vfork", "posix_spawn", "posix_spawnp", "system", "popen", "wordexp"].map {
            ForbiddenSymbol($0, purpose: "starts a process")
        }
        + ["execv", "execvp", "execl", "execlp", "execle", "execveat", "fexecve"].map {
            ForbiddenSymbol($0, purpose: "starts another program")
        }
        + ["execve", "execvpe"].map {
            ForbiddenSymbol($0, purpose: "starts another program", isInEveryProgram: true)
        }

    private static let code = ["dlopen", "dlmopen"].map {
        ForbiddenSymbol($0, purpose: "loads code at run time", isInEveryProgram: true)
    }

    private static let others = [
        ForbiddenSymbol("ptrace", purpose: "reads or changes another process"),
        ForbiddenSymbol("process_vm_writev", purpose: "changes another process"),
        ForbiddenSymbol("process_vm_readv", purpose: "reads another process", isInEveryProgram: true),
        ForbiddenSymbol("pidfd_getfd", purpose: "takes a file of another process"),
    ]

    private static let places =
        ["mount", "umount2", "chroot", "pivot_root", "setns"].map {
            ForbiddenSymbol($0, purpose: "changes which files a process sees")
        } + [ForbiddenSymbol("unshare", purpose: "changes what a process shares", isInEveryProgram: true)]
}
