// For each requested word, makes a request to its host. Sends every remark back. For the remark "stream", opens a
// stream.
import AnnexChannel
import TypedConduct

let endpoint = try ExtensionEndpoint.adopt()
try endpoint.sayHello()
/// Sends two words on a stream of its own, and returns the host's reply.
let echo = {
    let stream = try endpoint.openStream(Echo.method, arguments: [1])
    for word in [[2], [3]] as [[UInt8]] { try stream.sendAndWait(word) }
    while let message = try stream.receiveAndWait() { try stream.sendAndWait(message + [9]) }
    try stream.finish()
}

var service = ChannelService()
service.serve(Word.self) { word in
    let translated = try endpoint.callAndWait(Translation(of: word))
    return Word(translated.text + "!")
}
service.handle(Remark.self) { remark in
    // A host that is gone receives nothing.
    try? endpoint.sendAndWait(Remark(remark.text + "?"))
    if remark.text == "stream" { try? echo() }
}
try service.serve(endpoint)
