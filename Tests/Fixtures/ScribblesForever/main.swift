// An extension that does its work and whose other threads write into its region at full speed, over anything that lies
// there.
// Arguments: what to write (a `Scribbling`), a seed, how many threads, how many requests to answer before.
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
    // Its own words are overwritten too: it may find false claims of its host, and goes on scribbling all the same.
}
while true { pause() }
