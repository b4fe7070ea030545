/// The names of each launch step's numbered items, so that a failure can name the item that it is about.
struct LaunchSubjects: Sendable {
    private let binds: [String]
    private let scratches: [String]
    private let links: [String]
    private let limits: [UInt32]
    private let rules: [String]
    private let executable: String
    private let directory: String

    init(_ plan: borrowing LaunchPlan) {
        binds = plan.binds.map(\.source)
        scratches = plan.scratches.map(\.target)
        links = plan.links.map(\.target)
        limits = plan.limits.map(\.resource)
        rules = plan.landlock.rules.map(\.path)
        executable = plan.executable.path
        directory = plan.directory
    }

    func subject(of step: LaunchStep, detail: Int) -> String? {
        switch step {
        case .trees, .binds: return item(binds, detail)
        case .scratches: return item(scratches, detail)
        case .links: return item(links, detail)
        case .limits: return item(limits, detail).map { "resource \($0)" }
        case .landlock: return item(rules, detail)
        case .executable, .exec: return executable
        case .directory: return directory
        case .plan: return "at byte \(detail)"
        case .clocks: return item(["unshare", "timens_offsets", "setns"], detail)
        case .speculation: return item(SpeculationControls.names, detail)
        case .maps: return item(["setgroups", "uid_map", "gid_map", "oom_score_adj"], detail)
        case .session: return item(["setsid", "keyring", "terminal"], detail)
        case .capabilities: return item(["securebits", "bounding set", "ambient set", "capset"], detail)
        default: return nil
        }
    }

    private func item<Item>(_ list: [Item], _ index: Int) -> Item? {
        list.indices.contains(index) ? list[index] : nil
    }
}
