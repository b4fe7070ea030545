internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// A version 2 control group that the service manager delegated to this program (`Delegate=yes`). The program may
/// arrange the groups below it. These groups count against the limits of the program's systemd unit.
struct DelegatedGroup: Hashable {
    /// The name of the group that holds the program itself. The delegated group itself must hold no process. Otherwise
    /// it could not give controllers to its children.
    static let leaf = "broker"

    /// The controllers that limit launches, as far as the unit has them.
    private static let controllers: Set<Substring> = ["memory", "pids", "cpu", "io", "hugetlb"]

    let path: String

    init(at path: String) {
        self.path = path
    }

    /// - Parameters:
    ///   - own: the directory of this process's group.
    ///   - isDelegated: whether a directory is delegated.
    /// - Returns: nil if `own` is neither delegated nor the leaf of a delegated group.
    init?(own: String, isDelegated: (String) -> Bool = DelegatedGroup.isDelegated) {
        let above = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
        if isDelegated(own) {
            path = own
        } else if own == above + "/" + Self.leaf, isDelegated(above) {
            path = above
        } else {
            return nil
        }
    }

    /// Moves a process of this group into the leaf, and enables the controllers for the groups below.
    /// - Throws: if the group holds other processes. In that case nothing is changed.
    func settle(_ process: Int32 = getpid()) throws(SystemError) {
        guard controllers(in: "cgroup.controllers").contains("memory") else {
            throw SystemError("cgroup.controllers", errno: ENOENT, path: path)
        }
        let leaf = path + "/" + Self.leaf
        let isMade = unsafe mkdir(leaf, 0o755) == 0
        guard isMade || errno == EEXIST else { throw SystemError("mkdir", errno: errno, path: leaf) }
        let members = TextFile.lines(of: TextFile.read(leaf + "/cgroup.procs") ?? "")
        let isMoved = !members.contains("\(process)")
        if isMoved { try TextFile.write("\(process)", to: leaf + "/cgroup.procs") }
        do throws(SystemError) {
            try handDown()
        } catch {
            if isMoved { try? TextFile.write("\(process)", to: path + "/cgroup.procs") }
            if isMade { unsafe rmdir(leaf) }
            throw error
        }
    }

    /// Enables this group's own controllers for the groups below it.
    /// - Throws: if a controller cannot be enabled. The controllers that were enabled so far are then disabled again,
    ///   because no process can enter a group that gives controllers to its children.
    func handDown() throws(SystemError) {
        let given = controllers(in: "cgroup.subtree_control")
        var handed: [Substring] = []
        do throws(SystemError) {
            for name in controllers(in: "cgroup.controllers").subtracting(given).sorted() {
                try TextFile.write("+\(name)", to: path + "/cgroup.subtree_control")
                handed.append(name)
            }
        } catch {
            for name in handed.reversed() { try? TextFile.write("-\(name)", to: path + "/cgroup.subtree_control") }
            throw error
        }
    }

    private func controllers(in file: String) -> Set<Substring> {
        Set((TextFile.read(path + "/" + file) ?? "").split { $0 == " " || $0 == "\n" }).intersection(Self.controllers)
    }

    /// The extended attributes that mark delegation. Only root can read `trusted.delegate`.
    private static let marks: [String] = ["user.delegate", "trusted.delegate"]

    /// Whether a directory is delegated. systemd marks the directories that it delegates. Older versions set a mark
    /// that only root can read. Without a readable mark, a directory with a writable leaf group is treated as
    /// delegated. Either the unit asked for the leaf (`DelegateSubgroup=`), or this program made the leaf earlier.
    static func isDelegated(_ directory: String) -> Bool {
        let isMarked = marks.contains { mark in
            // SAFETY: the call reads both texts and keeps nothing.
            unsafe annex_attribute_is(directory, mark, CChar(UInt8(ascii: "1"))) == 1
        }
        return isMarked
            || ["/\(leaf)/cgroup.procs", "/cgroup.subtree_control"].allSatisfy { name in
                unsafe access(directory + name, W_OK) == 0
            }
    }
}
