import Foundation
import Testing

/// Options that the systemd units must not have. `make units` really starts the units.
@Suite struct UnitTests {
    private static let units = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Commands/annexd/Units").standardized

    /// Each option removes something that a launch needs, although the daemon would start.
    @Test(arguments: [
        ("RestrictSUIDSGID", "openat2"), ("ProtectHostname", "sethostname"), ("RestrictNamespaces", "clone3"),
        ("ProtectProc", "mounting /proc"), ("ProcSubset", "mounting /proc"),
        ("ProtectKernelTunables", "mounting /proc"),
        ("ProtectKernelLogs", "mounting /proc"), ("ProtectControlGroups", "control groups"),
        ("SystemCallFilter", "calls of a new kernel"),
    ])
    func `no unit takes away anything that a launch needs`(option: String, what: String) throws {
        for name in ["annexd.service", "user/annexd.service"] {
            let lines = try String(contentsOf: Self.units.appending(path: name), encoding: .utf8).split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("ExecStart=") })
            #expect(!lines.contains { $0.hasPrefix(option + "=") }, "\(name): \(what)")
        }
    }
}
