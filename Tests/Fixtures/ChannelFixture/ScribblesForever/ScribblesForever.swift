// An extension that does its work. At the same time, its other threads overwrite its region at full speed. Arguments:
// the values to write (a `Scribbling`), a seed, the number of threads, and the number of requests to answer first.
import AnnexChannel
import AnnexLinux
import Glibc

enum ScribblesForever {
    static func run() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let scribbling = Scribbling(rawValue: arguments[1]),
            let seed = UInt64(arguments[2]),
            let threads = Int(arguments[3]), let before = Int(arguments[4])
        else {
            print("usage: scribbles-forever WHAT SEED THREADS REQUESTS")
            exit(64)
        }

        let memory = Descriptor(owning: dup(ChannelDescriptor.extensionRegion))
        let scribbler = try Scribbler(memory, scribbling)
        let endpoint = try ExtensionEndpoint.adopt()
        let conduct = Conduct(answersFirst: before) {
            for thread in 0..<threads {
                _ = try? WorkerThread("scribbles") { scribbler.run(seed: seed &+ UInt64(thread)) }
            }
        }
        do {
            try conduct.serve(endpoint)
        } catch {
            // The words that the extension itself needs are overwritten too. So it may see false claims of its host, and it
            // must continue to scribble.
        }
        while true { pause() }
    }
}
