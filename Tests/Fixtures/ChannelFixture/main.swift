// All conducts of extensions that use the channel without the library for extensions, in one program. The name of a
// conduct is the name of its file or folder.
import CFixtures

let conduct = String(cString: conduct_name())
switch conduct {
case "answers-all-but-one": try AnswersAllButOne.run()
case "carries-transfers": try CarriesTransfers.run()
case "conforms": try Conforms.run()
case "demands-items": try DemandsItems.run()
case "echoes-raw": try EchoesRaw.run()
case "miscomposes": try Miscomposes.run()
case "misedits": try Misedits.run()
case "scribbles-forever": try ScribblesForever.run()
case "serves-types": try ServesTypes.run()
case "stops-at-a-step": try StopsAtAStep.run()
default: fatalError("no such conduct: \(conduct)")
}
