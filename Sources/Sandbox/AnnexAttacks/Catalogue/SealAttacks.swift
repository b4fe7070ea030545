/// Attacks on the bundles of signed apps. They do not need a running extension. The attacker gives the user an app, or
/// changes an app on the disk.
extension Catalogue {
    static let seals: [Attack] = [
        seal(
            "SEAL-01", technique: "One changed byte in a signed app, at its installation or before a launch",
            by: "EndToEndTests/SignedAppTests: SEAL-01", "AnnexSigningTests/LaunchCheckTests: one changed byte"),
        seal(
            "SEAL-02", technique: "A file added to a signed app, or taken out of it",
            by: "EndToEndTests/SignedAppTests: SEAL-02", "AnnexSigningTests/SignedAppTests: a change after signing"),
        seal(
            "SEAL-03", technique: "An update of a signed app that another team has signed",
            by: "EndToEndTests/SignedAppTests: SEAL-03"),
        seal(
            "SEAL-04", technique: "An update of a signed app without a signature",
            by: "EndToEndTests/SignedAppTests: SEAL-04"),
        seal(
            "SEAL-05", technique: "A replayed older version of a signed app",
            by: "EndToEndTests/SignedAppTests: SEAL-05", "AnnexSigningTests/SignedAppTests: an older version"),
        seal(
            "SEAL-06", technique: "A forged, cut, endless or ambiguous seal",
            by: "AnnexSigningTests/SealTests: no change of a signed seal", "AnnexSigningTests/SealTests: one spelling",
            "AnnexSigningTests/SignedAppTests: claims a gibibyte"),
        seal(
            "SEAL-07", technique: "A hard link, a device or a link in a signed app that leads to other contents later",
            by: "AnnexSigningTests/SignedAppTests: hard links", "AnnexSigningTests/SignedAppTests: pipes and sockets"),
        seal(
            "SEAL-08", technique: "A damaged list of trusted teams, so that any team may take over an app",
            by: "EndToEndTests/Daemon/TrustTests: without its list", "AnnexSigningTests/TrustTests: damaged trust"),
        seal(
            "SEAL-09",
            technique: "A link in place of an app's Frameworks, or other Frameworks between check and launch",
            by: "AnnexBundleTests/HostileBundleTests: SEAL-09", "EndToEndTests/FrameworksTests: SEAL-09"),
    ]

    private static func seal(_ id: String, technique: String, by tests: String...) -> Attack {
        Attack(id, technique: technique, addition: true, trial: .drivenBy(tests))
    }
}
