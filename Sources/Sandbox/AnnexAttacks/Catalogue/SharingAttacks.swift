internal import AnnexLaunch
internal import AnnexPolicy

/// Attacks on app groups and opened URLs.
extension Catalogue {
    /// Further attacks that app groups and opened URLs make possible. Each attack needs a signed app and a broker, so
    /// tests perform it.
    static let sharing: [Attack] = [
        Attack(
            "SHARE-01", technique: "Files of a group of which the extension is no member", addition: true,
            trial: .drivenBy([
                "EndToEndTests/AppGroupTests: S1: a member reaches no other group",
                "EndToEndTests/AppGroupTests: S1: without a signature",
            ])),
        Attack(
            "SHARE-02", technique: "The group of another team under the same name", addition: true,
            trial: .drivenBy(["EndToEndTests/AppGroupTests: S1: an app of another team has a group of its own"])),
        Attack(
            "SHARE-03", technique: "Defaults, pasteboard and secrets of another group through the portal",
            addition: true,
            trial: .drivenBy([
                "AnnexPortalServerTests/Server/HostileMemberTests: an unknown service, method or group is an error",
                "EndToEndTests/AppGroupTests: S1: a grant that was revoked ends the use of the services at once",
            ])),
        Attack(
            "SHARE-04", technique: "A flood, foreign bytes or silence on the portal", addition: true,
            trial: .drivenBy([
                "AnnexPortalServerTests/Server/HostileMemberTests: bytes that are no message end the portal",
                "AnnexPortalServerTests/Server/HostileMemberTests: a member that floods its portal",
                "AnnexPortalServerTests/Server/HostileMemberTests: a member that reads no answer",
            ])),
        Attack(
            "SHARE-05", technique: "A group filled with files, deep folders, links and pipes", addition: true,
            trial: .drivenBy([
                "EndToEndTests/AppGroupTests: S1: a member of a group that is too large is ended",
                "EndToEndTests/AppGroupTests: S1: deep folders, links and pipes in a container hold up nothing",
            ])),
        Attack(
            "SHARE-06", technique: "A file that runs as the user of the group's files", addition: true,
            trial: .drivenBy(["AnnexPolicyTests/IdentityBitsTests: S1: no shipped policy lets a program "])),
        Attack(
            "SHARE-07", technique: "Locks on the file of locks: for ever, on everything, without number",
            addition: true,
            trial: .drivenBy([
                "EndToEndTests/CoordinationTests: S3: a member that locks everything is named to the others",
                "EndToEndTests/CoordinationTests: S3: a member that takes too many locks is ended",
                "EndToEndTests/CoordinationTests: S3: locks are for the given descriptors alone",
            ])),
        Attack(
            "SHARE-08", technique: "A URL from a point that may not open it", addition: true,
            trial: .drivenBy(["EndToEndTests/OpeningTests: S6: a point decides which apps its extensions open"])),
        Attack(
            "SHARE-09", technique: "A URL that names a file, code or an option", addition: true,
            trial: .drivenBy(["EndToEndTests/OpeningTests: S6: a text that is no URL of an app opens nothing"])),
        Attack(
            "SHARE-10", technique: "The app of a URL replaced by another program", addition: true,
            trial: .drivenBy(["EndToEndTests/OpeningTests: S6: an app whose program was replaced or changed"])),
        Attack(
            "SHARE-11", technique: "A URL through the user's session bus, systemd or a program outside", addition: true,
            Try("the session bus of a user", layers: [.root, .landlock], needs: [.landlock(9)]) { script, _, _ in
                .succeeds(script.connect(1, to: TrialAddress.unix(Array("/run/user/0/bus".utf8))))
            },
            Try("systemd of a user", layers: [.root, .landlock], needs: [.landlock(9)]) { script, _, _ in
                .succeeds(script.connect(1, to: TrialAddress.unix(Array("/run/user/0/systemd/private".utf8))))
            }),
        Attack(
            "SHARE-12", technique: "A program that says it is an app of the daemon of the machine", addition: true,
            trial: .drivenBy([
                "EndToEndTests/Daemon/AppAtDaemonTests: S1: another program is not taken for the installed app",
                "EndToEndTests/Daemon/AppAtDaemonTests: a program that is no installed app gets a reason",
                "EndToEndTests/Daemon/AppAtDaemonTests: S1: the portal of an app ends when the app is removed",
            ])),
        Attack(
            "SHARE-13", technique: "The path of a group of another user at the daemon of the machine", addition: true,
            trial: .drivenBy([
                "EndToEndTests/Daemon/AppAtDaemonTests: S1: an app reaches the files of its group at the daemon"
            ])),
        Attack(
            "SHARE-14", technique: "A file system that never answers, mounted in a container", addition: true,
            trial: .drivenBy([
                "AnnexSandboxTests/DirectoryUseTests: FS-24: a file system in a directory exceeds its limits"
            ])),
    ]
}
