// All conducts of programs outside a sandbox, in one program: hosts, containing apps and members of groups. The name of
// a conduct is the name of its file or folder.
import CFixtures
import Foundation

let conduct = String(cString: conduct_name())
switch conduct {
case "bears-load": asynchronously { try await BearsLoad.run() }
case "carries-out-transfers": asynchronously { try await CarriesOutTransfers.run() }
case "connects-to-a-daemon": ConnectsToADaemon.run()
case "coordinates-files": try CoordinatesFiles.run()
case "counts-its-launches": asynchronously { try await CountsItsLaunches.run() }
case "examines-itself": ExaminesItself.run()
case "handles-transfers": asynchronously { try await HandlesTransfers.run() }
case "holds-a-sandbox": try HoldsASandbox.run()
case "keeps-a-ledger-as-app": KeepsALedgerAsApp.run()
case "keeps-transfers": try KeepsTransfers.run()
case "launches-forever": asynchronously { try await LaunchesForever.run() }
case "lives-its-own-life": try LivesItsOwnLife.run()
case "measures-groups": asynchronously { try await MeasuresGroups.run() }
case "measures-today": asynchronously { try await MeasuresToday.run() }
case "meets-accidents": asynchronously { try await MeetsAccidents.run() }
case "records-opening": try RecordsOpening.run()
case "shares-as-app": asynchronously { await SharesAsApp.run() }
case "writes-defaults": try WritesDefaults.run()
default: fatalError("no such conduct: \(conduct)")
}

/// Runs a conduct that awaits. The other conducts keep the first thread for themselves, as any synchronous program does.
func asynchronously(_ run: @escaping @Sendable () async throws -> Void) -> Never {
    Task {
        do { try await run() } catch { fatalError("\(error)") }
        exit(0)
    }
    dispatchMain()
}

/// Prints a line at once, because a reader waits for it or the program may be ended.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
