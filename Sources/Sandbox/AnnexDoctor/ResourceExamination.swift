internal import AnnexLaunch
internal import AnnexLinux
internal import Glibc

/// Examines the limits that a broker in this program would divide among its sandboxes, and the free space that the
/// broker needs.
package enum ResourceExamination {
    /// A limit, and the value that a broker with many sandboxes needs.
    struct Need: Sendable {
        let name: String
        let resource: Int32
        let least: UInt64
        let meaning: String
        let option: String
    }

    static let needs = [
        Need(
            name: "RLIMIT_NOFILE", resource: Int32(RLIMIT_NOFILE.rawValue), least: 256,
            meaning: "each sandbox takes four to eight open files of the broker's", option: "-n 4096"),
        Need(
            name: "RLIMIT_NPROC", resource: Int32(__RLIMIT_NPROC.rawValue), least: 64,
            meaning: "every process of this user counts, sandboxes too", option: "-u 4096"),
        Need(
            name: "RLIMIT_FSIZE", resource: Int32(RLIMIT_FSIZE.rawValue), least: 64 << 20,
            meaning: "files of results and shared memory cannot be larger", option: "-f unlimited"),
        Need(
            name: "RLIMIT_AS", resource: Int32(RLIMIT_AS.rawValue), least: 1 << 30,
            meaning: "channels and threads need address space", option: "-v unlimited"),
        Need(
            name: "RLIMIT_DATA", resource: Int32(RLIMIT_DATA.rawValue), least: 256 << 20,
            meaning: "no sandbox can have more memory than this", option: "-d unlimited"),
    ]

    static func findings(_ surroundings: Surroundings) -> [Finding] {
        var found = needs.map { finding($0, soft: soft($0.resource)) }
        if getuid() == 0 { found.append(identities(surroundings.users, claim: claim(surroundings.users))) }
        if getuid() == 0 { found.append(room(free: freeBytes("/run"))) }
        return found
    }

    private static func soft(_ resource: Int32) -> UInt64? {
        var limit = rlimit()
        // SAFETY: the call writes one structure and keeps nothing.
        return unsafe getrlimit(__rlimit_resource_t(UInt32(resource)), &limit) == 0 ? UInt64(limit.rlim_cur) : nil
    }

    static func finding(_ need: Need, soft: UInt64?) -> Finding {
        let text = soft.map { $0 == UInt64.max ? "unlimited" : "\($0)" } ?? "unknown"
        let isLow = soft.map { $0 < need.least } ?? false
        return Finding(
            need.name, topic: .limits, title: need.name, level: isLow ? .weaker : .works, seen: "getrlimit: \(text)",
            meaning: isLow ? need.meaning + "; a broker needs at least \(need.least)" : nil,
            remedy: isLow ? "ulimit \(need.option)" : nil)
    }

    /// Claims one of the user numbers for sandboxes and releases it again. Returns the error if that failed. Returns
    /// nil if it worked, or if sandboxes get no separate numbers on this machine.
    private static func claim(_ users: IdentityMap) -> SystemError? {
        // If an ordinary user made this user namespace, sandboxes get no numbers in it, so no number is claimed.
        guard !users.hasOrdinaryZero else { return nil }
        do throws(SystemError) {
            _ = try IdentityRange().claim()
            return nil
        } catch {
            return error
        }
    }

    static func identities(_ map: IdentityMap, claim: SystemError?) -> Finding {
        let range = IdentityRange.standard
        let title = "user numbers for sandboxes"
        if let claim {
            return Finding(
                "uid-range", topic: .limits, title: title, level: .missing, seen: claim.cause,
                meaning: "root cannot launch any sandbox",
                remedy: claim.remedy)
        }
        if map.hasOrdinaryZero {
            return Finding(
                "uid-range", topic: .limits, title: title, level: .note,
                seen: "/proc/self/uid_map: user 0 is an ordinary user outside",
                meaning: "sandboxes run as this user, like those of every ordinary user")
        }
        guard map.contains(range) else {
            return Finding(
                "uid-range", topic: .limits, title: title, level: .missing, seen: "/proc/self/uid_map: not mapped",
                meaning: "root of this user namespace has no other user to give to a sandbox",
                remedy: "run as an ordinary user of this container, or map the range into it")
        }
        return Finding(
            "uid-range", topic: .limits, title: title, level: .works,
            seen: "\(range.lowerBound) to \(range.upperBound - 1): mapped, and one was claimed")
    }

    static func room(free: UInt64?) -> Finding {
        let isLow = free.map { $0 < 64 << 10 } ?? false
        return Finding(
            "run-space", topic: .limits, title: "room in /run", level: isLow ? .weaker : .works,
            seen: free.map { "\($0) bytes free" } ?? "statvfs failed",
            meaning: isLow ? "the file that locks the users of sandboxes lies in /run" : nil,
            remedy: isLow ? "sudo mount -o remount,size=64M /run" : nil)
    }

    private static func freeBytes(_ path: String) -> UInt64? {
        var status = statvfs()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
