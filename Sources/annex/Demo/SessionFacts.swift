import AnnexHost
import AnnexModel
import AnnexService

/// What the demo shows of a session: its launch, its traffic, its end.
struct SessionFacts {
    let report: LaunchReport
    let roundTrips: UInt64
    let end: Termination

    init(_ session: ExtensionSession, end: Termination) {
        report = session.launchReport
        roundTrips = session.statistics.roundTrips
        self.end = end
    }
}
