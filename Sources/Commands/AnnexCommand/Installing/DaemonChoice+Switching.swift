import AnnexHost
import AnnexPolicy
import ArgumentParser

extension DaemonChoice {
    /// Switches extensions on or off, and says which.
    func switchExtensions(_ extensions: [String], on isEnabled: Bool) throws {
        let (changed, end) = try ask(about: extensions) { host, identifier throws(BrokerError) in
            try host.setEnabled(isEnabled, for: identifier)
            return identifier
        }
        if json { print(JSON.object([.init(isEnabled ? "enabled" : "disabled", .texts(changed))]).written) }
        if let end { throw end }
    }
}
