/// A participant of a scene: a program of Annex, a floor in C, or a peer.
public struct Contestant: Sendable, Hashable {
    public enum Kind: String, Codable, Sendable {
        case ours, floor, peer
    }

    /// Unique within its scene.
    public let name: String
    public let kind: Kind
    /// The executable's file name.
    public let program: String
    /// The name by which the executable knows this contender.
    public let contender: String
    /// The differences from the scene's setting.
    public var waiting: Setting.Waiting?
    /// For Annex: the number of idle extensions that run at the same time.
    public var idle = 0
    /// A program of the system that the contender starts, and the package that contains this program.
    var tool: (name: String, package: String)? {
        contender == "bwrap" ? ("bwrap", "bubblewrap") : nil
    }

    public static func floor(_ name: String) -> Contestant {
        Contestant(name: name, kind: .floor, program: "annex-bench-floors", contender: name)
    }

    public static func ours(_ name: String, waiting: Setting.Waiting? = nil) -> Contestant {
        Contestant(
            name: waiting.map { "\(name), \($0.rawValue)" } ?? name, kind: .ours, program: "annex-bench-host",
            contender: name, waiting: waiting)
    }

    public static func ours(_ name: String, idle: Int) -> Contestant {
        Contestant(
            name: "\(name) beside \(idle) idle", kind: .ours, program: "annex-bench-host", contender: name, idle: idle)
    }

    public static func peer(_ name: String) -> Contestant {
        Contestant(name: name, kind: .peer, program: "annex-bench-peer-\(name)", contender: name)
    }

    func setting(in scene: Scene) -> Setting {
        scene.setting.with { if let waiting { $0.waiting = waiting } }
    }
}
