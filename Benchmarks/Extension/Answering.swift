import AnnexChannel
import CBenchDriver

/// The extension that every measurement of ours calls: verifies what it is sent and writes the answer, as the second
/// process of every other contender does. Three bundles carry it, named after how it waits.
@main
enum Answering {
    static func main() throws {
        let endpoint = try ExtensionEndpoint.adopt(waiting: waiting)
        try endpoint.sayHello()
        var server = bench_server()
        let room = endpoint.largestPayload
        let reply = UnsafeMutableRawPointer.allocate(byteCount: room + 64, alignment: 64)
        while true {
            guard let incoming = try endpoint.next() else { continue }
            switch consume incoming {
            case .request(let request):
                let count = request.payload.withUnsafeBytes {
                    bench_answer(&server, $0.baseAddress, $0.count, reply, room)
                }
                try request.reply(Array(UnsafeRawBufferPointer(start: reply, count: count)))
            case .event(let event):
                if event.method == ChannelEvent.goodbye { return }
                _ = event.payload.withUnsafeBytes { bench_answer(&server, $0.baseAddress, $0.count, reply, room) }
            }
        }
    }

    private static var waiting: WaitingStyle {
        switch CommandLine.arguments.first?.split(separator: "/").last {
        case "Spinning": .spin
        case "Sleeping": .block
        default: .adaptive
        }
    }
}
