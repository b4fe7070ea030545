internal import AnnexLaunch
internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// Canaries: objects of the host that no sandbox may reach. This value creates them for the trials, and removes them
/// when it is destroyed.
///
/// Every user of the machine may use all of these objects. So only the sandbox, and no ordinary permission, can prevent
/// a trial from reaching them.
package final class Canaries: Sendable {
    private static let parent = "/var/tmp"
    package let folder: String
    /// A file that every user may read, and its contents.
    let secret: String
    let secretBytes: [UInt8]
    /// A file that every user may write.
    let writable: String
    /// Two folders in which every user may create files. The first contains the file `moved`.
    let drop: String
    let elsewhere: String
    /// A copy of the trial's program outside every bundle.
    let program: String
    /// The path of the bundle's own program on the host, and the path of the program's folder.
    let bundleProgram: String
    var bundleFolder: String { String(bundleProgram.dropLast(TrialFolder.program.utf8.count + 1)) }
    let service: TrialServices
    /// A user that no sandbox runs as, and a program that executes as that user. The program exists only if the host
    /// runs as root.
    static let strangerUser: UInt32 = IdentityRange.standard.upperBound - 1
    let setUserProgram: String
    /// A program with a file capability.
    let capableProgram: String
    let hostName: String
    /// The line of a user that only the host has.
    let hostUser: [UInt8]
    let hostProcess = getpid()
    let hostGroup = getpgrp()
    /// The mount of the host's own root, as a part of a line of the host's mount table.
    let rootMount: String
    /// The unique number of the mount of the host's root. The kernel never reuses such a number. This value is 0 if
    /// the kernel does not number its mounts in this way.
    let rootNumber: UInt64
    /// A folder of the host that stays open across exec. It simulates a host that forgot to close a descriptor.
    private let leaked: Descriptor
    var leakedDescriptor: Int32 { leaked.number }

    package init(for sandbox: TrialSandbox) throws(TrialFailure) {
        bundleProgram = sandbox.programPath
        for leftover in OwnedName.leftovers(in: Self.parent) { Self.remove(leftover) }
        folder = try TrialSandbox.system { () throws(SystemError) in try OwnedName.makeFolder(in: Self.parent) }
        secret = folder + "/secret"
        writable = folder + "/writable"
        drop = folder + "/drop"
        elsewhere = folder + "/elsewhere"
        program = folder + "/program"
        setUserProgram = folder + "/set-user"
        capableProgram = folder + "/capable"
        secretBytes = Array("annex-canary-\(UInt64.random(in: .min ... .max))".utf8)
        hostName = TrialFacts.hostName()
        hostUser = TrialFacts.hostUser()
        rootMount = TrialFacts.rootMount()
        rootNumber = unsafe annex_mount_number("/")
        service = try TrialServices(in: folder)
        leaked = try Self.leak(folder)
        try prepare()
    }

    deinit {
        Self.remove(folder)
    }

    /// Removes only the files and folders that this type creates. Any user may have written other files to these
    /// folders.
    private static func remove(_ folder: String) {
        for name in [
            "secret", "writable", "drop/moved", "elsewhere/moved", "drop/link", "program", "set-user", "capable",
            TrialServices.name,
        ] {
            _ = unsafe unlink(folder + "/" + name)
        }
        for name in ["drop", "elsewhere"] { _ = unsafe rmdir(folder + "/" + name) }
        _ = unsafe rmdir(folder)
    }

    private func prepare() throws(TrialFailure) {
        try TrialSandbox.system { () throws(SystemError) in
            try Self.place(secretBytes, at: secret, mode: 0o644)
            try Self.place([], at: writable, mode: 0o666)
            for place in [drop, elsewhere] {
                guard unsafe mkdir(place, 0o777) == 0 else { throw SystemError("mkdir", errno: errno, path: place) }
                try Self.open(place, mode: 0o777)
            }
            try Self.place([], at: drop + "/moved", mode: 0o666)
            guard let bytes = TrialPrograms.file(Machine.name) else { return }
            try Self.place(bytes, at: program, mode: 0o755)
            if getuid() == 0 { try preparePrivileged(bytes) }
        }
    }

    /// Opens the leaked folder at a descriptor number that is higher than all descriptor numbers of a launch. The
    /// function takes a free number, so it does not replace an open descriptor.
    private static func leak(_ folder: String) throws(TrialFailure) -> Descriptor {
        try TrialSandbox.system { () throws(SystemError) in
            let directory = try Descriptor.directory(folder)
            let leaked = Descriptor(
                owning: try SystemError.check("fcntl(F_DUPFD_CLOEXEC)", annex_duplicate(directory.number, 900)))
            guard fcntl(leaked.number, F_SETFD, 0) == 0 else { throw SystemError("fcntl(F_SETFD)", errno: errno) }
            return leaked
        }
    }

    /// Prepares the programs that only root can make. Their privileges are harmless: one runs as an unused user, and
    /// one may bind low ports.
    private func preparePrivileged(_ bytes: [UInt8]) throws(SystemError) {
        try Self.place(bytes, at: setUserProgram, mode: 0o755)
        guard unsafe chown(setUserProgram, Self.strangerUser, Self.strangerUser) == 0 else {
            throw SystemError("chown", errno: errno, path: setUserProgram)
        }
        try Self.open(setUserProgram, mode: 0o4755)
        try Self.place(bytes, at: capableProgram, mode: 0o755)
        // A `vfs_cap_data` of revision 2 with the effective bit. The permitted set contains CAP_NET_BIND_SERVICE.
        let capability: [UInt8] = [1, 0, 0, 2, 0, 4, 0, 0] + [UInt8](repeating: 0, count: 12)
        // SAFETY: the array outlives the call, and the call copies it. On a file system without attributes, the
        // capability is missing, and the trial shows nothing.
        _ = unsafe annex_set_attribute(capableProgram, "security.capability", capability, capability.count)
    }

    private static func place(_ bytes: [UInt8], at path: String, mode: UInt32) throws(SystemError) {
        try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: mode).writeAll(bytes)
        try open(path, mode: mode)
        if mode & 0o111 != 0 { try Descriptor.settle(program: path) }
    }

    /// Sets exactly this mode, regardless of the umask.
    private static func open(_ path: String, mode: UInt32) throws(SystemError) {
        guard unsafe chmod(path, mode) == 0 else { throw SystemError("chmod", errno: errno, path: path) }
    }

    /// The gift of every trial: descriptor 5, which is open for reading on a file that every user may write.
    func gifts() throws(TrialFailure) -> DescriptorList {
        try TrialSandbox.system { () throws(SystemError) in
            DescriptorList(try Descriptor.open(writable, O_RDONLY))
        }
    }

    static let gift: Int32 = 5
    /// The descriptor on which a program waits while it is measured.
    static let hold: Int32 = 6
    /// The number of descriptors of a program: 0, 1, 2, the script, the answers and the gift.
    static let descriptors: Int64 = 6
}
