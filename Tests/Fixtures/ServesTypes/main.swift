// For each requested word, makes a request to its host. Sends every remark back. For the remark "stream", opens a
// stream. For the remark "misreport", reports a progress that is no number.
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

/// Sends a report of progress as no library would: for request 1, a fraction that is not a number.
let misreport = {
    var encoder = MessageEncoder()
    encoder.encode(UInt64(1), as: 1)
    encoder.encode(Double.nan, as: 2)
    try endpoint.sendAndWait(ChannelEvent(method: 0xFE00, payload: encoder.finish()))
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
    if remark.text == "misreport" { try? misreport() }
}
try service.serve(endpoint)
