internal import AnnexLinux
internal import AnnexSandbox
internal import Glibc

/// A folder with the program as an executable file: what a sandbox takes for its bundle.
final class TrialFolder: Sendable {
    static let program = "trial"
    let path: String

    init() throws(TrialFailure) {
        path = try Self.make("/tmp/annex-trial-XXXXXX")
        try Self.place(in: path)
    }

    private static func place(in path: String) throws(TrialFailure) {
        let text = path + "/" + program
        try TrialSandbox.system { () throws(SystemError) in
            guard let bytes = TrialPrograms.file(Machine.name) else {
                throw SystemError("trial", errno: ENOEXEC, mend: "Annex runs on x86-64 and aarch64")
            }
            try Descriptor.open(text, O_WRONLY | O_CREAT | O_EXCL, mode: 0o755).writeAll(bytes)
            // Whoever the sandbox is on this machine must reach it, whatever the umask.
            guard unsafe chmod(text, 0o755) == 0 else { throw SystemError("chmod", errno: errno, path: text) }
        }
    }

    deinit {
        _ = unsafe unlink(path + "/" + Self.program)
        _ = unsafe rmdir(path)
    }

    func open() throws(TrialFailure) -> Objects {
        try TrialSandbox.system { () throws(SystemError) in
            let bundle = try Descriptor.directory(path)
            return Objects(program: try bundle.openBeneath(Self.program, O_RDONLY), bundle: bundle)
        }
    }

    struct Objects: ~Copyable {
        var program: Descriptor
        var bundle: Descriptor
    }

    /// A new folder that every user can enter.
    static func make(_ template: String) throws(TrialFailure) -> String {
        var name = Array(template.utf8CString)
        // SAFETY: the template is NUL-terminated and the call writes within it.
        guard unsafe mkdtemp(&name) != nil else {
            throw TrialFailure(SystemError("mkdtemp", errno: errno, path: template))
        }
        let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard unsafe chmod(path, 0o755) == 0 else {
            throw TrialFailure(SystemError("chmod", errno: errno, path: path))
        }
        return path
    }
}
