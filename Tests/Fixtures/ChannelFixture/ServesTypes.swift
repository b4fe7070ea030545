// For each requested word, the extension makes a request to its host. It sends every remark back. For the remark
// "stream", it opens a stream. For the remark "misreport", it reports a progress that is not a number.
import AnnexChannel
import Conducts

enum ServesTypes {
    static func run() throws {
        let endpoint = try ExtensionEndpoint.adopt()
        try endpoint.sayHello()
        /// Sends two words on a new stream, and returns the host's reply.
        let echo = {
            let stream = try endpoint.openStream(Echo.method, arguments: [1])
            for word in [[2], [3]] as [[UInt8]] { try stream.sendAndWait(word) }
            while let message = try stream.receiveAndWait() { try stream.sendAndWait(message + [9]) }
            try stream.finish()
        }

        /// Sends a report of progress that no library would send. Its fraction for request 1 is not a number.
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
            // If the host is gone, this call fails, and the error is ignored.
            try? endpoint.sendAndWait(Remark(remark.text + "?"))
            if remark.text == "stream" { try? echo() }
            if remark.text == "misreport" { try? misreport() }
        }
        try service.serve(endpoint)
    }
}
