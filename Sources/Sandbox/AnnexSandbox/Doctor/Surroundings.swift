internal import AnnexLinux
internal import Glibc

/// What is around this program: a container, a filter of somebody else's, security modules. Read once; every reader
/// takes text, so that machines other than this one can be described too.
struct Surroundings: Sendable {
    var container = Container.none
    /// `Seccomp:` of `/proc/self/status`: 2 where a filter is in force already.
    var hasFilter = false
    /// Security modules by name; nil where the list cannot be read.
    var modules: [String]?
    /// `/proc/self/attr/current`, for example `unconfined` or `docker-default (enforce)`.
    var profile: String?
    /// `/sys/fs/selinux/enforce`.
    var isSELinuxEnforcing: Bool?
    /// Sysctls by name, as far as they exist.
    var switches: [String: String] = [:]
    /// What lies over parts of `/proc`.
    var masks: [String] = []
    /// The option of `/proc` that hides processes from this one; nil where none are.
    var hiding: String?
    /// The user numbers that exist in this user namespace.
    var users = IdentityMap(text: "0 0 4294967295")

    static func ofThisProcess() -> Surroundings {
        let status = TextFile.read("/proc/self/status") ?? ""
        return Surroundings(
            container: Container.find(), hasFilter: filterMode(in: status) == 2,
            modules: TextFile.read("/sys/kernel/security/lsm").map(modules),
            profile: TextFile.read("/proc/self/attr/current").map(firstLine),
            isSELinuxEnforcing: TextFile.read("/sys/fs/selinux/enforce").map { firstLine($0) == "1" },
            switches: KernelSwitch.read(), masks: masks(in: TextFile.read("/proc/self/mountinfo") ?? ""),
            hiding: HiddenProcesses.option, users: IdentityMap(text: TextFile.read("/proc/self/uid_map") ?? ""))
    }

    /// 0: none, 1: strict, 2: a filter; nil where the kernel does not say.
    static func filterMode(in status: String) -> Int? {
        for line in status.split(separator: "\n") where line.hasPrefix("Seccomp:") {
            return Int(line.dropFirst(8).drop { $0 == "\t" || $0 == " " })
        }
        return nil
    }

    static func modules(in text: String) -> [String] {
        firstLine(text).split(separator: ",").map(String.init)
    }

    /// Mounts beneath `/proc`, in the text of a `mountinfo` file: what a container lays over it.
    static func masks(in mountinfo: String) -> [String] {
        mountinfo.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            // A file system that programs are registered with, and that many machines mount there.
            guard fields.count > 4, fields[4].hasPrefix("/proc/"), fields[4] != "/proc/sys/fs/binfmt_misc" else {
                return nil
            }
            return String(fields[4])
        }
    }

    private static func firstLine(_ text: String) -> String {
        String(text.prefix { $0 != "\n" && $0 != "\0" })
    }
}
