import AnnexHost
import AnnexPolicy
import ArgumentParser

extension DaemonChoice {
    /// Enables or disables extensions, and prints their names.
    func switchExtensions(_ extensions: [String], on isEnabled: Bool) throws {
        let (changed, end) = try ask(about: extensions) { host, identifier throws(BrokerError) in
            try host.setEnabled(isEnabled, for: identifier)
            return identifier
        }
        if json { print(JSON.object([.init(isEnabled ? "enabled" : "disabled", .texts(changed))]).written) }
        if let end { throw end }
    }
}
