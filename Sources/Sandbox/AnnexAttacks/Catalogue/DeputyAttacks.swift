internal import AnnexLaunch
internal import AnnexPolicy

/// Attacks that make the host, the broker or the user act for the extension.
extension Catalogue {
    static let deputies: [Attack] = [
        .driven(
            "DEPUTY-01", technique: "`../` or symlink in a path argument",
            by: "AnnexBundleTests/HostileBundleTests: DEPUTY-01"),
        .driven(
            "DEPUTY-02", technique: "Claims other extension's id", by: "AnnexRegistryTests/RegistryTests: P3"),
        .driven(
            "DEPUTY-03", technique: "Manifest asks `/`, `$HOME`, glob",
            by: "AnnexPolicyTests/PolicyTextTests: DEPUTY-03"),
        .driven(
            "DEPUTY-04", technique: "Manifest/app id starting with `-` becomes an option (CVE-2024-32462)",
            by: "AnnexBundleTests/AppBundleTests: DEPUTY-04"),
        Attack(
            "DEPUTY-05", technique: "Extension can write its own manifest/binary dir",
            Try("create a file in its bundle", layers: [.root, .landlock]) { script, _, _ in
                .succeeds(script.call("openat", with: .here, script.text("/bundle/more"), 0o2000101, 0o600))
            }),
        Attack(
            "DEPUTY-06", technique: "\"Open URI\" file:// runs programs",
            trial: .notApplicable("no policy lets an extension open URLs")),
        .driven(
            "DEPUTY-07", technique: "Diagnostic code reading hostile /proc/PID (cmdline, links)",
            by: "AnnexPolicyTests/PathUseTests: DEPUTY-07"),
        .driven(
            "DEPUTY-08", technique: "Picked path swapped after consent",
            by: "AnnexModelTests/ItemTests: items and their contents cross the wire"),
        Attack(
            "DEPUTY-09", technique: "Revoked grant still used",
            trial: .notApplicable("a grant is the copied contents of one request; there is nothing to revoke")),
        .driven(
            "DEPUTY-10", technique: "Two extensions collude by host API",
            by: "AnnexRegistryTests/RegistryTests: P3"),
        Attack(
            "DEPUTY-11", technique: "Printed errors that steer the hint of annex run", addition: true,
            trial: .drivenBy([
                "EndToEndTests/RunHintTests: DEPUTY-11", "AnnexCommandTests/StatedErrorsTests: DEPUTY-11",
            ])),
        Attack(
            "DEPUTY-12", technique: "A planted project file or a false question that lets annex run allow more",
            addition: true, trial: .drivenBy(["EndToEndTests/RunAskTests: DEPUTY-12"])),
        Attack(
            "DEPUTY-13", technique: "A link planted where the project file of the next run names a path",
            addition: true, trial: .drivenBy(["EndToEndTests/PlantedLinkTests: DEPUTY-13"])),
        Attack(
            "DEPUTY-14", technique: "An older project file that was allowed once is brought back", addition: true,
            trial: .drivenBy([
                "EndToEndTests/PlantedLinkTests: DEPUTY-14", "AnnexCommandTests/ProjectFileTests: DEPUTY-14",
            ])),
        Attack(
            "DEPUTY-15", technique: "Text drawn beside a question of annex run, or a screen that hides it",
            addition: true, trial: .drivenBy(["EndToEndTests/RunScreenTests: DEPUTY-15"])),
    ]
}
