/// How the broker's lines in the program's log (swift-log) are called, and what their metadata is. `Docs/Observing.md`
/// lists them; they stay the same from version to version.
enum BrokerLog {
    static let label = "annex.broker"
    static let identifier = "identifier"
    static let cause = "cause"
    static let mend = "mend"
    static let folder = "folder"
    static let lost = "lost"
}
