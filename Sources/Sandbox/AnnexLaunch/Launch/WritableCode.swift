internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

extension SandboxConfiguration {
    /// Rejects an executable if the policy forbids memory that is both writable and executable, but the kernel would
    /// create such memory for this executable. The kernel creates it in `execve`, where the filter does not see it.
    func rejectWritableCode() throws(SandboxError) {
        guard policy.writeXorExecute, !denials.isPermissive else { return }
        guard let linker = try Self.examine(executable, at: executablePath)?.interpreter else { return }
        guard let path = String(validating: linker, as: UTF8.self), path.hasPrefix("/") else {
            throw SandboxError(
                "executable",
                cause: "\(Escaped(executablePath)): the path of its dynamic linker is not absolute, or not UTF-8")
        }
        if let object = try object(at: path) { _ = try Self.examine(object, at: path) }
    }

    private static func examine(
        _ object: borrowing Descriptor, at path: String
    ) throws(SandboxError) -> ProgramHeaders? {
        let headers: ProgramHeaders?
        do throws(SystemError) {
            headers = try ProgramHeaders(of: object)
        } catch {
            // A file that cannot be read is rejected.
            throw SandboxError(
                "executable", error: SystemError(error.call, errno: error.errno, path: path),
                remedy: error.errno == EACCES ? "make it readable: a file is read before it is executed" : nil)
        }
        guard let fault = headers?.fault else { return headers }
        throw SandboxError(
            "executable", cause: "\(Escaped(path)): \(fault), which `write-xor-execute: on` forbids",
            remedy:
                "build it without that (`-z noexecstack`), or state `write-xor-execute: off` in a policy of your own")
    }

    /// The object that the program finds at a path, in its bundle or on the host. nil if there is no object; the kernel
    /// will not find one either.
    private func object(at path: String) throws(SandboxError) -> Descriptor? {
        let place = try bundlePlace()
        do throws(SystemError) {
            if let place, PathText.isPath(PathText.resolved(path), within: place) {
                let below = PathText.parts(PathText.resolved(path)).dropFirst(PathText.parts(place).count)
                return try openInBundle(below.joined(separator: "/"))
            }
            return Descriptor(owning: try HostPath.resolve(path).releaseObject())
        } catch {
            if error.errno == ENOENT || error.errno == ENOTDIR { return nil }
            throw SandboxError("executable", error: error)
        }
    }

    private func openInBundle(_ path: String) throws(SystemError) -> Descriptor {
        switch bundle {
        case .some(let bundle): try bundle.openBeneath(path, Descriptor.pathOnly)
        case .none: throw SystemError("openat2", errno: ENOENT, path: path)
        }
    }
}

/// The headers of an ELF file that say which memory the kernel itself creates in `execve` for the file. No filter sees
/// that this memory is created. The file may be malformed.
struct ProgramHeaders: Hashable {
    /// A text that names the part of the file that would be both writable and executable; nil if there is no such part.
    let fault: String?
    /// The path of the dynamic linker that the kernel loads with the file; nil if the file names no linker.
    let interpreter: [UInt8]?

    private static let (load, interpret, stack) = (UInt32(1), UInt32(3), UInt32(0x6474_E551))
    private static let (execute, write) = (UInt32(1), UInt32(2))
    /// The kernel reads at most this many bytes of headers, and rejects a path that is longer than `longestPath`.
    private static let largest = 1 << 16
    private static let longestPath = UInt64(PATH_MAX)

    /// nil for a file that is not ELF. The kernel itself rejects this file.
    init?(_ source: (_ offset: UInt64, _ count: Int) -> [UInt8]) {
        let head = source(0, 64)
        guard head.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else { return nil }
        guard head.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else {
            // For a 32-bit program, the kernel makes all readable memory executable unless the file says otherwise.
            self.init(fault: "it is not a 64-bit program", interpreter: nil)
            return
        }
        let header = LittleEndian(head)
        guard let place = header.number(UInt64.self, at: 32), header.number(UInt16.self, at: 54) == 56,
            let count = header.number(UInt16.self, at: 56)
        else { return nil }
        let bytes = source(place, min(Int(count) * 56, Self.largest))
        let records = stride(from: 0, to: bytes.count - bytes.count % 56, by: 56).map {
            LittleEndian(Array(bytes[$0..<$0 + 56]))
        }
        self.init(
            fault: records.lazy.compactMap(Self.fault).first,
            interpreter: records.compactMap { Self.interpreter($0, source) }.first)
    }

    private init(fault: String?, interpreter: [UInt8]?) {
        self.fault = fault
        self.interpreter = interpreter
    }

    private static func fault(in record: LittleEndian) -> String? {
        let flags = record.number(UInt32.self, at: 4) ?? 0
        switch record.number(UInt32.self, at: 0) {
        // Without this header, the stack of a 64-bit program is not executable.
        case stack where flags & execute != 0: return "its header asks for a stack that is executable"
        case load where flags & write != 0 && flags & execute != 0:
            return "its header asks for memory that is writable and executable"
        default: return nil
        }
    }

    private static func interpreter(
        _ record: LittleEndian, _ source: (_ offset: UInt64, _ count: Int) -> [UInt8]
    ) -> [UInt8]? {
        guard record.number(UInt32.self, at: 0) == interpret, let place = record.number(UInt64.self, at: 8),
            let size = record.number(UInt64.self, at: 32), size <= longestPath
        else { return nil }
        return Array(source(place, Int(size)).prefix { $0 != 0 })
    }
}

extension ProgramHeaders {
    /// nil if the object is not a regular file, because the kernel executes and loads regular files only. Such an object
    /// is not opened: a program names its own linker, and the opening of a device can have effects.
    /// - Parameter object: a descriptor of the file. An `O_PATH` descriptor is enough, because the file is opened
    ///   again. If the file cannot be read, that is an error.
    init?(of object: borrowing Descriptor) throws(SystemError) {
        guard try object.status().kind == .regular else { return nil }
        let file = try object.reopenedReadOnly()
        self.init { offset, count in
            guard let offset = Int64(exactly: offset), offset < .max - Int64(count) else { return [] }
            return (try? file.read(at: offset, count: count)) ?? []
        }
    }
}
