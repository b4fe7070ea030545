internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// A version 2 control group that its service manager has left to this program (`Delegate=yes`): what is below it is the
/// program's to arrange, and counts against the unit's own limits.
struct DelegatedGroup: Hashable {
    /// Where the program itself goes: a group with processes of its own cannot hand controllers down.
    static let leaf = "broker"

    /// What launches are limited by, where the unit has it.
    private static let controllers: Set<Substring> = ["memory", "pids", "cpu", "io", "hugetlb"]

    let path: String

    init(at path: String) {
        self.path = path
    }

    /// - Parameters:
    ///   - own: the directory of this process's group.
    ///   - isDelegated: asked of a directory.
    /// - Returns: nil where neither that nor, from within the leaf, the one above is delegated.
    init?(own: String, isDelegated: (String) -> Bool = DelegatedGroup.isDelegated) {
        let parts = own.split(separator: "/", omittingEmptySubsequences: false)
        let above = parts.dropLast().joined(separator: "/")
        if isDelegated(own) {
            path = own
        } else if parts.last.map(String.init) == Self.leaf, isDelegated(above) {
            path = above
        } else {
            return nil
        }
    }

    /// Moves a process of this group into the leaf, and hands the controllers down.
    /// - Throws: where others are in the group: nothing is changed then.
    func settle(_ process: Int32 = getpid()) throws(SystemError) {
        guard controllers(in: "cgroup.controllers").contains("memory") else {
            throw SystemError("cgroup.controllers", errno: ENOENT, path: path)
        }
        let leaf = path + "/" + Self.leaf
        let isMade = unsafe mkdir(leaf, 0o755) == 0
        guard isMade || errno == EEXIST else { throw SystemError("mkdir", errno: errno, path: leaf) }
        let members = TextFile.read(leaf + "/cgroup.procs")?.split(separator: "\n") ?? []
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

    /// Groups below it have what it has itself.
    /// - Throws: with what was handed down before taken back: a process goes into no group that hands controllers down.
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

    /// The first is for whoever may not read the second.
    private static let marks: [String] = ["user.delegate", "trusted.delegate"]

    /// systemd marks what it delegates, in older versions for root alone to read. A leaf of this name is there only
    /// where the unit asks for it (`DelegateSubgroup=`), or this program made it before.
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
