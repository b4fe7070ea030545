// Measures the costs for members of a group. Each figure is printed with its floor, the time of a similar operation
// without groups in the same run. `make bench-groups` runs this program.
//
//     measures-groups FOLDER APP     prints the table. FOLDER is empty, and on the measured file system. APP is
//                                    Shout.app with a group
//     measures-groups hears FOLDER PATH | watches FOLDER | echoes
//                                    runs as the other process, which prints a byte for each event
import AnnexGroups
import Glibc

enum MeasuresGroups {
    static func run() async throws {
        let words = CommandLine.arguments

        switch words.count > 1 ? words[1] : "" {
        case "hears": try await hear(of: words[3], in: member(words[2]))
        case "watches": try await watch(member(words[2]))
        case "echoes": echo()
        default:
            let folder = words[1]
            print("what                                   median        p99      floor  floor p99   ratio")
            let group = try member(folder)
            try coordinatedRead(in: folder, group)
            try durableWrite(in: folder, group)
            try newsOfChanges(in: folder, group)
            try newsOfValues(in: folder, group)
            try await launch(words[2], in: folder)
        }
    }
}
