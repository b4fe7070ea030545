internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

extension SandboxConfiguration {
    /// Rejects an executable for which the kernel would create memory that is both writable and executable, if the
    /// policy forbids such memory. The kernel creates it in `execve`, where the filter does not see it.
    func refuseWritableCode() throws(SandboxError) {
        guard policy.writeXorExecute, !denials.isPermissive else { return }
        guard let linker = try Self.examine(executable, executablePath)?.interpreter else { return }
        guard let path = String(validating: linker, as: UTF8.self), path.hasPrefix("/") else {
            throw SandboxError("executable", cause: "\(Escaped(executablePath)): its dynamic linker has no plain path")
        }
        if let object = try object(at: path) { _ = try Self.examine(object, path) }
    }

    private static func examine(
        _ object: borrowing Descriptor, _ path: String
    ) throws(SandboxError) -> ProgramHeaders? {
        let headers: ProgramHeaders?
        do throws(SystemError) {
            headers = try ProgramHeaders(of: object)
        } catch {
            // A file that cannot be read is not trusted.
            throw SandboxError("executable", SystemError(error.call, errno: error.errno, path: path))
        }
        guard let fault = headers?.fault else { return headers }
        throw SandboxError(
            "executable", cause: "\(Escaped(path)): \(fault), and `write-xor-execute: on` promises that there is none",
            remedy:
                "build it without that (`-z noexecstack`), or state `write-xor-execute: off` in a policy of your own")
    }

    /// The object that the program finds at a path, in its bundle or on the host; nil if the kernel will not find it
    /// either.
    private func object(at path: String) throws(SandboxError) -> Descriptor? {
        let place = try bundlePlace()
        do throws(SystemError) {
            if let place, PathText.isWithin(PathText.resolved(path), place) {
                let below = PathText.parts(PathText.resolved(path)).dropFirst(PathText.parts(place).count)
                return try openInBundle(below.joined(separator: "/"))
            }
            return Descriptor(owning: try HostPath.resolve(path).takeObject())
        } catch {
            if error.errno == ENOENT || error.errno == ENOTDIR { return nil }
            throw SandboxError("executable", error)
        }
    }

    private func openInBundle(_ path: String) throws(SystemError) -> Descriptor {
        switch bundle {
        case .some(let bundle): try bundle.openBeneath(path, Descriptor.pathOnly)
        case .none: throw SystemError("openat2", errno: ENOENT, path: path)
        }
    }
}
