package import AnnexBroker
package import AnnexBrokerAPI

/// The settings of a daemon.
package struct DaemonOptions: Sendable {
    /// The folder for installed apps. It is created if it is missing.
    package var state: String
    /// Whether the daemon serves every user of the machine, each with a broker and a store. Otherwise, it serves only
    /// its own user.
    package var isSystem: Bool
    /// The path of the socket. It is nil if the path is the standard path, or is not known.
    package var socket: String?
    package var limits = DaemonLimits()
    /// The program that moves the bytes of background transfers.
    package var transferProgram = "/usr/libexec/annex-transfer"
    /// A file with the certificates of the authorities that vouch for the servers of transfers; nil for those of the
    /// system.
    package var transferAuthorities: String?
    /// The folders of the points and policies that the daemon adds to the shipped ones; nil for none.
    private var points: String?
    private var policies: String?
    /// The settings with which the daemon's brokers override the policies.
    package var wishes = BrokerConfiguration()

    /// The folder of a user's apps.
    func store(of user: UInt32) -> String { isSystem ? "\(state)/apps/\(user)" : "\(state)/apps" }

    /// The folder in which the machine's daemon keeps a user's reports. Each user has a separate folder. So even if
    /// many extensions of one user end, the reports of other users stay.
    func reports(of user: UInt32) -> String { "\(state)/reports-of/\(user)" }

    /// The folder of a user's private directories.
    func privateDirectories(of user: UInt32) -> String {
        isSystem ? "\(state)/private-of/\(user)" : "\(state)/private"
    }

    /// The folder of a user's background transfers, with the book of them in the folder `book`.
    func transfers(of user: UInt32) -> String { isSystem ? "\(state)/transfers-of/\(user)" : "\(state)/transfers" }

    /// The folders of the machine's daemon that lie above the private directories of users.
    var waysToPrivateDirectories: [String] { [state, "\(state)/private-of"] }

    /// Reads the points and policies of these folders.
    /// - Throws: the first mistake, with its place.
    package mutating func read(points: String?, policies: String?) throws(BrokerError) {
        try wishes.read(points: points, policies: policies)
        self.points = points
        self.policies = policies
    }

    /// Reads the folders of points and policies again, for a daemon that is about to start anew.
    /// - Throws: the first mistake, because of which the new start would fail.
    package func checkFolders() throws(BrokerError) {
        var trial = BrokerConfiguration()
        try trial.read(points: points, policies: policies)
    }

    package init(state: String, isSystem: Bool) {
        self.state = state
        self.isSystem = isSystem
    }
}
