import Foundation

/// The house plan: the floors from the lowest to the highest, the targets of each floor, and the imports of each
/// target.
///
/// Tests compare `Package.swift`, the folders under `Sources` and the picture in `CONTRIBUTING.md` with this plan, and
/// they must match exactly.
enum HousePlan {
    struct Floor: Sendable {
        let name: String
        let targets: [Target]
    }

    struct Target: Sendable {
        let name: String
        /// One line that describes the target, for readers who search for a target.
        let purpose: String
        /// The imported targets of Annex. Each lies on the same floor or on a lower floor.
        let imports: Set<String>
        /// Products of other packages.
        let products: Set<String>

        init(_ name: String, _ purpose: String, imports: Set<String> = [], products: Set<String> = []) {
            self.name = name
            self.purpose = purpose
            self.imports = imports
            self.products = products
        }
    }

    static let floors: [Floor] = [
        // These targets are outside the house: build plugins, and the tool that compiles the shipped policies.
        Floor(
            name: "Plugins",
            targets: [
                Target("EmbedProgram", "build plugin: compiles the C programs into byte arrays"),
                Target(
                    "CompilePolicies", "tool: compiles Policies/*.yaml into one file",
                    imports: ["AnnexShippedPolicies", "AnnexPolicy"]),
                Target(
                    "BundleApp", "command plugin: builds the programs of an app and makes the app",
                    imports: []),
                Target(
                    "MakeBundle", "tool: makes an app, for the plugin",
                    imports: ["AnnexBundling", "AnnexRegistry", "AnnexBundle"]),
            ]),
        Floor(
            name: "Kernel",
            targets: [
                Target("CAnnexLinux", "C: system calls and atomics that Swift's C library import lacks"),
                Target("AnnexLinux", "owners of kernel objects, and their errors", imports: ["CAnnexLinux"]),
            ]),
        Floor(
            name: "Channel",
            targets: [
                Target("AnnexMessages", "the codec of typed messages"),
                Target(
                    "AnnexChannel", "shared-memory rings, control socket, calls, streams",
                    imports: ["AnnexMessages", "AnnexLinux", "CAnnexLinux"]),
                Target(
                    "AnnexReplay", "reads recordings of a channel and replays them",
                    imports: ["AnnexChannel", "AnnexMessages", "AnnexLinux"]),
            ]),
        Floor(
            name: "Policy",
            targets: [
                Target("CAnnexSeccomp", "C library: libseccomp"),
                Target("CAnnexYAML", "C library: libyaml"),
                Target("CAnnexPolicies", "C: the texts of the shipped policies"),
                Target(
                    "AnnexPolicy", "a policy from its text to its seccomp filter",
                    imports: ["CAnnexSeccomp", "CAnnexYAML", "CAnnexPolicies", "AnnexLinux", "CAnnexLinux"]),
                Target(
                    "AnnexShippedPolicies", "the shipped policies, compiled and proven",
                    imports: ["AnnexPolicy", "AnnexMessages", "CAnnexPolicies"]),
                Target(
                    "AnnexPolicyTools", "explain, compare, check, test, learn, import and write policies",
                    imports: ["AnnexPolicy", "AnnexLinux"]),
            ]),
        Floor(
            name: "Sandbox",
            targets: [
                Target("AnnexWarden", "C: the small process that builds sandboxes and is their parent"),
                Target(
                    "AnnexNames", "the names and addresses that a program with named hosts may reach",
                    imports: ["AnnexPolicy", "AnnexLinux", "CAnnexLinux"]),
                Target(
                    "AnnexRelay", "carry the bytes of a connection between two networks",
                    imports: ["AnnexLinux", "CAnnexLinux"]),
                Target(
                    "AnnexLaunch", "plan, launch and watch one sandbox; judge and report its denials",
                    imports: [
                        "AnnexNames", "AnnexRelay", "AnnexPolicy", "AnnexLinux", "CAnnexLinux", "AnnexWarden",
                        "EmbedProgram",
                    ],
                    products: ["Logging"]),
                Target(
                    "AnnexSupervision", "one life from the launch to the end, and the reason of the end",
                    imports: ["AnnexLaunch", "AnnexPolicy", "AnnexLinux"]),
                Target(
                    "AnnexSandbox", "run a program in a sandbox: the public face",
                    imports: [
                        "AnnexSupervision", "AnnexLaunch", "AnnexRelay", "AnnexPolicy", "AnnexLinux", "CAnnexLinux",
                    ]),
                Target(
                    "CAnnexDoctor", "C: tries each kernel feature in a process of its own", imports: ["CAnnexLinux"]),
                Target(
                    "AnnexDoctor", "what this machine offers to sandboxes, and the remedies",
                    imports: ["AnnexLaunch", "AnnexPolicy", "AnnexLinux", "CAnnexDoctor"]),
                Target(
                    "AnnexAttacks", "the attack catalogue, and the programs that try it",
                    imports: [
                        "AnnexSandbox", "AnnexLaunch", "AnnexPolicyTools", "AnnexPolicy", "AnnexLinux", "CAnnexLinux",
                        "EmbedProgram",
                    ]),
            ]),
        Floor(
            name: "Extensions",
            targets: [
                Target("AnnexModel", "words that host and extension share", imports: ["AnnexChannel", "AnnexLinux"]),
                Target(
                    "AnnexActivation", "uniform types, activation rules, and which extensions are offered",
                    imports: ["AnnexModel", "AnnexLinux"]),
                Target(
                    "AnnexTransferWire", "what broker and transfer agent say to each other",
                    imports: ["AnnexMessages", "AnnexLinux"]),
                Target(
                    "AnnexPortal", "what an extension or an app may ask of its broker: messages and client",
                    imports: ["AnnexTransferWire", "AnnexMessages", "AnnexLinux"]),
                Target(
                    "AnnexExtension", "what an extension links",
                    imports: ["AnnexPortal", "AnnexModel", "AnnexChannel", "AnnexLinux"]),
                Target(
                    "AnnexGroups", "app groups: the container and shared defaults",
                    imports: ["AnnexPortal", "AnnexTransferWire", "AnnexModel", "AnnexMessages", "AnnexLinux"]),
                Target(
                    "AnnexBundle", "Info.plist and the layout of an app",
                    imports: ["AnnexActivation", "AnnexModel", "AnnexLinux"]),
                Target(
                    "AnnexBundling", "makes an app of a layout, programs and settings",
                    imports: ["AnnexBundle", "AnnexLinux"]),
                Target(
                    "AnnexRegistry", "extension points; the installed apps, their versions and verdicts",
                    imports: ["AnnexBundle", "AnnexModel", "AnnexPolicy"]),
                Target("CAnnexSodium", "C library: libsodium"),
                Target(
                    "AnnexSigning", "seals, team keys, signatures and trust",
                    imports: ["CAnnexSodium", "AnnexBundle", "AnnexModel", "AnnexLinux"]),
                Target("CAnnexSQLite", "C library: SQLite"),
                Target(
                    "AnnexPortalServer", "answers portals: groups, shared defaults, the store behind them",
                    imports: [
                        "AnnexPortal", "AnnexTransferWire", "AnnexModel", "AnnexMessages", "AnnexLinux", "CAnnexLinux",
                        "CAnnexSQLite", "CAnnexSodium",
                    ]),
                Target(
                    "AnnexApp", "what a containing app links",
                    imports: [
                        "AnnexGroups", "AnnexPortalServer", "AnnexPortal", "AnnexSigning", "AnnexBundle", "AnnexModel",
                        "AnnexLinux",
                    ]),
            ]),
        Floor(
            name: "Broker",
            targets: [
                Target(
                    "AnnexBrokerAPI", "what host and broker say to each other",
                    imports: ["AnnexPortal", "AnnexModel", "AnnexChannel", "AnnexLinux"]),
                Target("CAnnexDetached", "starts a program that outlives the broker (C)", imports: []),
                Target(
                    "AnnexBroker", "registry, launch and supervision of extensions",
                    imports: [
                        "AnnexPortalServer", "AnnexPortal", "AnnexTransferWire", "AnnexRegistry", "AnnexSigning",
                        "AnnexBundle", "AnnexSandbox", "AnnexSupervision", "AnnexLaunch", "AnnexNames",
                        "AnnexShippedPolicies", "AnnexPolicy", "AnnexBrokerAPI", "AnnexModel", "AnnexChannel",
                        "AnnexLinux", "CAnnexDetached",
                    ],
                    products: ["Logging"]),
                Target(
                    "AnnexHost", "what a host imports",
                    imports: ["AnnexBrokerAPI", "AnnexActivation", "AnnexModel", "AnnexChannel", "AnnexLinux"]),
                Target(
                    "AnnexEmbedded", "for a host that carries its own broker",
                    imports: ["AnnexHost", "AnnexBroker", "AnnexBrokerAPI"]),
                Target(
                    "AnnexTesting", "for the tests of hosts and extensions",
                    imports: [
                        "AnnexEmbedded", "AnnexBroker", "AnnexHost", "AnnexBrokerAPI", "AnnexExtension",
                        "AnnexBundling",
                        "AnnexBundle", "AnnexModel", "AnnexChannel", "AnnexLinux",
                    ]),
                Target(
                    "AnnexDaemon", "a broker for all hosts of a user or a machine",
                    imports: [
                        "AnnexBroker", "AnnexBrokerAPI", "AnnexPortal", "AnnexRegistry", "AnnexSigning", "AnnexBundle",
                        "AnnexModel", "AnnexChannel", "AnnexLinux", "CAnnexLinux",
                    ],
                    products: ["Logging"]),
            ]),
        Floor(
            name: "Views",
            targets: [
                Target(
                    "AnnexToday", "a Today view: its widgets, their schedule and snapshots",
                    imports: ["AnnexHost", "AnnexBrokerAPI", "AnnexModel", "AnnexMessages", "AnnexLinux"]),
                Target(
                    "AnnexTodayPage", "the Today view as a page for browsers, without a network",
                    imports: ["AnnexToday", "AnnexBrokerAPI", "AnnexModel", "AnnexLinux"]),
            ]),
        Floor(
            name: "Commands",
            targets: [
                Target("CAnnexCommand", "C: says where /proc is missing, before the runtime aborts"),
                Target(
                    "annexd", "the daemon",
                    imports: [
                        "AnnexDaemon", "AnnexBroker", "AnnexBrokerAPI", "AnnexModel", "AnnexLinux", "CAnnexCommand",
                    ],
                    products: ["Logging", "ServiceLifecycle", "ArgumentParser"]),
                Target(
                    "AnnexCommand", "the command line's commands",
                    imports: [
                        "AnnexToday", "AnnexEmbedded", "AnnexBroker", "AnnexHost", "AnnexPortalServer", "AnnexGroups",
                        "AnnexPortal", "AnnexRegistry", "AnnexSigning", "AnnexBundling", "AnnexBundle",
                        "AnnexActivation",
                        "AnnexModel", "AnnexAttacks", "AnnexDoctor", "AnnexSandbox",
                        "AnnexNames", "AnnexLaunch",
                        "AnnexShippedPolicies", "AnnexPolicyTools", "AnnexPolicy", "AnnexReplay", "AnnexChannel",
                        "AnnexLinux", "CAnnexCommand",
                    ],
                    products: ["Logging", "ArgumentParser"]),
                Target("annex", "the command line", imports: ["AnnexCommand"]),
                Target(
                    "AnnexTodayProgram", "the program annex-today, apart from its server",
                    imports: [
                        "AnnexCommand", "AnnexTodayPage", "AnnexToday", "AnnexHost", "AnnexPolicy", "AnnexLinux",
                    ],
                    products: ["ArgumentParser"]),
                Target(
                    "AnnexTransferProgram", "the program annex-transfer, apart from its HTTP library",
                    imports: ["AnnexTransferWire", "AnnexLinux"]),
            ]),
    ]

    /// The code that an extension links must start in a millisecond and run without a file of the system.
    static let withoutFoundation: Set<String> = [
        "CAnnexLinux", "AnnexLinux", "AnnexMessages", "AnnexChannel", "AnnexModel", "AnnexPortal", "AnnexExtension",
        "AnnexGroups",
    ]

    static let targets: [String: (target: Target, floor: String)] = Dictionary(
        uniqueKeysWithValues: floors.flatMap { floor in
            floor.targets.map { ($0.name, (target: $0, floor: floor.name)) }
        })

    /// The folder of a target.
    static func folder(of target: String) -> String? {
        targets[target].map { "Sources/\($0.floor)/\(target)" }
    }

    /// The plan in the form that `CONTRIBUTING.md` shows, with the highest floor first.
    static var picture: String {
        floors.reversed().map { floor in
            let rooms = floor.targets.reversed().map { target in
                "  " + target.name.padding(toLength: 22, withPad: " ", startingAt: 0) + target.purpose
            }
            return ([floor.name + "/"] + rooms).joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
