internal import AnnexLinux
internal import Glibc

/// Observations of the host, before and after a trial.
enum TrialFacts {
    static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 65)
        // SAFETY: the call writes at most the array's size. The last byte stays zero.
        guard unsafe gethostname(&name, 64) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The first line of the host's `/etc/passwd` about a user that no sandbox has. A sandbox can have the users
    /// `root` and `nobody` and the caller, so their lines are skipped.
    static func hostUser() -> [UInt8] {
        guard let file = try? Descriptor.open("/etc/passwd", O_RDONLY),
            let text = try? file.readAll(atMost: 1 << 16)
        else { return [] }
        let known = ["root:", "nobody:"].map { Array($0.utf8) }
        let own = ":\(getuid()):"
        let line = text.split(separator: UInt8(ascii: "\n")).first { line in
            !known.contains { line.starts(with: $0) } && !String(decoding: line, as: UTF8.self).contains(own)
        }
        return line.map { Array($0) } ?? []
    }

    static func mounts() -> [String] {
        guard let file = try? Descriptor.open("/proc/self/mountinfo", O_RDONLY),
            let bytes = try? file.readAll(atMost: 1 << 20)
        else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Device, root and mount point of the mount at `/`: ` 254:0 / / `.
    static func rootMount() -> String {
        let fields = mounts().map { $0.split(separator: " ") }.last { $0.count > 4 && $0[4] == "/" }
        return fields.map { " \($0[2]) \($0[3]) / " } ?? " / / "
    }

    /// Whether a path that only a sandbox has is a mount point.
    static func showsSandboxMounts() -> Bool {
        mounts().contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 4 && (fields[4] == "/bundle" || fields[4] == "/private")
        }
    }

    /// Whether the file exists. If it exists, it is removed.
    static func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }

    /// Whether the file was moved from `from` to `to`. If so, it is moved back.
    static func undoMove(to: String, from: String) -> Bool { unsafe rename(to, from) == 0 }

    /// The flags of this process's standard error.
    static func errorFlags() -> Int32 { fcntl(STDERR_FILENO, F_GETFL) }

    /// Whether the segment exists. If it exists, it is removed.
    static func removeSegment(_ key: Int32) -> Bool {
        let segment = shmget(key, 0, 0)
        guard segment >= 0 else { return false }
        _ = shmctl(segment, IPC_RMID, nil)
        return true
    }
}
