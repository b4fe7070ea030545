internal import AnnexLinux
internal import Glibc

/// Finds out what confines this process itself, such as a seccomp filter. A launch may fail because of this
/// confinement, and not because of the machine.
package enum Confinement {
    /// Whether a seccomp filter confines this process. Container engines and sandboxes install one.
    package static var hasFilter: Bool {
        TextFile.read("/proc/self/status").map { TextFile.field("Seccomp", in: $0) == "2" } ?? false
    }

    /// Throws if this process runs in a sandbox of Annex. The filter of most policies ends a program that asks for a
    /// namespace. So this check does not ask for a namespace. It reads only facts that every sandbox shows.
    package static func rejectNesting() throws(SandboxError) {
        guard isSandbox(hostname: hostname, status: { TextFile.read("/proc/self/status") }, hasAllOfProc: hasAllOfProc)
        else { return }
        throw SandboxError(
            "sandbox",
            cause: "this process itself runs in a sandbox of Annex, which denies namespaces and filters of its own",
            remedy: "run `annex` outside that sandbox")
    }

    /// Whether these facts show a sandbox of Annex. Containers differ: they keep a few capabilities, can gain
    /// privileges or see all of `/proc`. An ordinary machine may have the host name of a sandbox, but never all of
    /// these facts together.
    static func isSandbox(hostname: String, status: () -> String?, hasAllOfProc: Bool) -> Bool {
        guard hostname == LaunchPlan.sandboxHostname, !hasAllOfProc, let status = status() else { return false }
        let capabilities = TextFile.field("CapBnd", in: status).flatMap { UInt64($0, radix: 16) }
        return TextFile.field("Seccomp", in: status) == "2" && TextFile.field("NoNewPrivs", in: status) == "1"
            && capabilities == 0
    }

    // SAFETY: the call reads one constant text.
    private static var hasAllOfProc: Bool { unsafe access("/proc/sys", F_OK) == 0 }

    private static var hostname: String {
        var room = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        // SAFETY: the call writes at most the array's size, and the last byte stays 0.
        guard unsafe gethostname(&room, room.count - 1) == 0 else { return "" }
        return String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
