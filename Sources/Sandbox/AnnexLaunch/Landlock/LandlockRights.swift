/// Rights on files below a path, with the kernel's numbers.
struct LandlockRights: OptionSet, Sendable, Hashable {
    let rawValue: UInt64

    static let execute = LandlockRights(rawValue: 1 << 0)
    static let writeFile = LandlockRights(rawValue: 1 << 1)
    static let readFile = LandlockRights(rawValue: 1 << 2)
    static let readDirectory = LandlockRights(rawValue: 1 << 3)
    static let removeDirectory = LandlockRights(rawValue: 1 << 4)
    static let removeFile = LandlockRights(rawValue: 1 << 5)
    static let makeDirectory = LandlockRights(rawValue: 1 << 7)
    static let makeRegular = LandlockRights(rawValue: 1 << 8)
    static let makeSymbolicLink = LandlockRights(rawValue: 1 << 12)
    static let refer = LandlockRights(rawValue: 1 << 13)
    static let truncate = LandlockRights(rawValue: 1 << 14)
    static let deviceIoctl = LandlockRights(rawValue: 1 << 15)

    /// The rights that a rule about a file may name. The kernel rejects the others there.
    static let ofFiles: LandlockRights = [.execute, .writeFile, .readFile, .truncate, .deviceIoctl]
    static let reading: LandlockRights = [.readFile, .readDirectory]
    /// The rights for a directory of the sandbox's own: everything but devices, sockets, pipes and execution.
    static let owning: LandlockRights = [
        .readFile, .readDirectory, .writeFile, .removeDirectory, .removeFile, .makeDirectory, .makeRegular,
        .makeSymbolicLink, .refer, .truncate,
    ]
}
