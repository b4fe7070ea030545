/// The files that an extension sees; everything else does not exist for it.
public struct PolicyPaths: Sendable, Hashable {
    /// What may be done with the files of its own bundle.
    public struct BundleRights: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let read = BundleRights(rawValue: 1)
        public static let execute = BundleRights(rawValue: 2)
    }

    /// A directory that only this extension sees.
    public enum PrivateDirectory: Sendable, Hashable {
        case none
        /// In memory, gone with the process; `size` in bytes and `inodes` are capped by the kernel.
        case scratch(size: UInt64, inodes: UInt64)
    }

    public internal(set) var bundle: BundleRights = []
    public internal(set) var privateDirectory: PrivateDirectory = .none
}
