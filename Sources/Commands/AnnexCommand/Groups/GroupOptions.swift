import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import AnnexPortalServer
import ArgumentParser

/// The options that choose the groups that a command uses.
struct GroupOptions: ParsableArguments {
    @Option(
        name: .customLong("private"),
        help: ArgumentHelp("The folder of private directories, which the groups lie in.", valueName: "folder"),
        completion: .directory)
    var folder: String?

    @Option(help: "The public key of the team, or its first digits, if two teams have groups of this name.")
    var team: String?

    func path() throws(SystemError) -> String {
        guard let folder else { return try StandardPaths.privateDirectories() }
        return folder.hasPrefix("/") ? folder : try Descriptor.directory(folder).path()
    }

    func keys() throws(SystemError) -> [GroupKey] {
        try KnownGroups.list(in: path()).filter { key in team.map { key.team.hasPrefix($0) } ?? true }
    }

    /// The group with this identifier. If there is none or more than one, this is an error.
    func key(of identifier: String) throws -> GroupKey {
        var found: [GroupKey] = []
        try Self.reporting { () throws(SystemError) in found = try keys().filter { $0.identifier == identifier } }
        if let key = found.first, found.count == 1 { return key }
        let shown = PlainText.shown(identifier)
        StandardError.print(
            found.isEmpty
                ? "annex: there is no group \(shown); annex group list shows all"
                : "annex: \(found.count) teams have a group \(shown); name one with --team: "
                    + found.map(\.shortTeam).joined(separator: ", "))
        throw ExitCode(1)
    }

    /// Performs the command's work. If it fails, prints the error with its remedy.
    static func reporting(_ work: () throws(SystemError) -> Void) throws {
        do throws(SystemError) {
            try work()
        } catch {
            StandardError.print("annex: \(PlainText.shown("\(error)"))")
            throw ExitCode(1)
        }
    }
}

/// How much a group holds.
struct GroupUse {
    private let container: String
    private let bytes: UInt64
    private let files: UInt64

    /// Counts the files without following links. A member may change the files meanwhile.
    init(of key: GroupKey, in path: String) throws(SystemError) {
        container = "\(path)/\(GroupFolder.groups)/\(key.team)/\(key.identifier)/container"
        let use = DirectoryUse(of: try Descriptor.directory(container), size: .max, inodes: .max)
        (bytes, files) = (use.bytes, use.files)
    }

    var members: [JSON.Member] {
        [
            .init("container", value: .text(container)), .init("bytes", value: .number(Int(clamping: bytes))),
            .init("files", value: .number(Int(clamping: files))),
        ]
    }

    func text(of key: GroupKey) -> String {
        """
        group      \(PlainText.shown(key.identifier))
        team       \(key.team)
        container  \(PlainText.shown(container))
        holds      \(files) files, \(bytes) bytes
        """
    }
}
