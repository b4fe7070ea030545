// An extension that does its work, while its other threads write into its region at full speed, over all that lies
// there. Arguments: the values to write (a `Scribbling`), a seed, the number of threads, and the number of requests to
// answer first.
import AnnexChannel
import AnnexLinux
import Glibc

let arguments = CommandLine.arguments
guard arguments.count == 5, let scribbling = Scribbling(rawValue: arguments[1]), let seed = UInt64(arguments[2]),
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
    // Its own words are overwritten too. So it may find false claims of its host, and must continue to scribble.
}
while true { pause() }
