// A host of annexd: connects-to-a-daemon SOCKET COMMAND [ARGUMENT]
//   install APP | list | remove ID
//   stay            keeps its connection until it is ended, and prints when it is connected
//   hold ID [WORDS] runs an extension until it is ended, and prints "holds 0" when the extension runs. WORDS is the
//                   request to the extension. Without WORDS, the request is "sleeps"
//   fork-hold ID    like hold, but first makes a child that holds all descriptors of this program, and prints the
//                   number of the child's process in place of 0
//   ask ID WORDS    sends one request to an extension, and prints the text of the answer
import AnnexHost
import CFixtures
import Glibc

enum ConnectsToADaemon {
    static func run() {
        let words = CommandLine.arguments
        guard words.count >= 3 else { exit(64) }
        let argument = words.count > 3 ? words[3] : ""

        do {
            let host = try AnnexHost.connectAndWait(to: words[1], patience: .seconds(3000))
            switch words[2] {
            case "install": say(try host.installAndWait(app: argument).map(\.id).joined(separator: " "))
            case "remove": try host.removeAndWait(app: argument)
            case "list": say(host.extensionsAndWait().map(\.id).joined(separator: " "))
            case "stay":
                say("stays")
                while true { pause() }
            case "ask":
                let session = try host.beginAndWait(argument)
                let asked = words.count > 4 ? words[4] : ""
                say(try session.requestAndWait([ExtensionItem(contentText: asked)]).first?.contentText ?? "")
            case "hold", "fork-hold":
                let session = try host.beginAndWait(argument)
                let child = words[2] == "hold" ? 0 : host_fork_holder()
                say("holds \(child)")
                let asked = words.count > 4 ? words[4] : "sleeps"
                let end = try? session.requestAndWait([ExtensionItem(contentText: asked)])
                say("answered: \(end?.count ?? -1) \(session.termination?.reason.rawValue ?? "")")
            default: exit(64)
            }
        } catch {
            say("rejected: \(error)")
            exit(1)
        }
    }
}
