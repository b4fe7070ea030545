// All conducts that link the library for extensions, in one program. The name of a conduct is the name of its file.
import AnnexExtension
import CFixtures
import Glibc

let conduct = String(cString: conduct_name())
switch conduct {
case "acts": Acts.main()
case "begins-transfers": BeginsTransfers.main()
case "composes": Composes.main()
case "composes-as-it-loads": ComposesAsItLoads.main()
case "coordinates-inside": CoordinatesInside.main()
case "crashes-as-told": CrashesAsTold.run()
case "edits": Edits.main()
case "keeps-a-ledger": KeepsALedger.main()
case "keeps-notes": KeepsNotes.main()
case "loads-in-tasks": LoadsInTasks.main()
case "loads-items": LoadsItems.main()
case "opens-urls": OpensUrls.main()
case "reaches-out": ReachesOut.main()
case "serves-everything": ServesEverything.main()
case "shares-data": SharesData.main()
case "shows-a-widget": ShowsAWidget.main()
case "stays-in-touch": StaysInTouch.main()
case "takes-locks": TakesLocks.main()
case "waits-to-update": WaitsToUpdate.main()
case "works-on": WorksOn.main()
case "writes-markup": WritesMarkup.main()
default: fatalError("no such conduct: \(conduct)")
}
