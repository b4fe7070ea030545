// In place of `annex-transfer`: it moves no byte over a network. Its descriptor 3 is the connection to the broker. It
// answers an upload with the bytes that it got, and fills a download with a fixed text. The last part of the job's URL
// says what it does besides: `/asks` asks for the addresses of the server first and answers with them, `/redirects` does so for port
// 8443 of another server, as after a redirect, `/waits` waits
// for the order to stop, and `/dies` ends the program.
import AnnexLinux
import AnnexTransferWire
import Glibc

enum CarriesTransfers {
    static func run() throws {
        let control = Descriptor(owning: 3)
        try control.stopBlocking()
        let socket = TransferAgentSocket(owning: control)
        var asking: [UInt64: TransferKey] = [:]
        while true {
            switch try socket.receive() {
            case .end: return
            case .nothing: socket.socket.descriptor.waitUntilReadable(until: .max)
            case .message(.start(let job), let files): try start(job, files, &asking, socket)
            case .message(.stop(let key, let stop), _):
                let error: TransferError = stop == .cancel ? .cancelled : .suspended
                try socket.send(.ended(end(key, error: error)))
            case .message(.found(let found), _):
                guard let key = asking.removeValue(forKey: found.question) else { continue }
                let answer = found.error.map(\.name) ?? found.addresses.joined(separator: " ")
                try socket.send(.ended(end(key, body: Array(answer.utf8))))
            }
        }
    }

    private static func start(
        _ job: TransferJob, _ files: consuming DescriptorList, _ asking: inout [UInt64: TransferKey],
        _ socket: borrowing TransferAgentSocket
    ) throws {
        switch job.url.split(separator: "/").last {
        case "waits"?: return
        case "dies"?: exit(1)
        case "asks"?, "redirects"?:
            asking[job.key.task] = job.key
            let host = job.url.split(separator: "/")[1]
            let isRedirect = job.url.hasSuffix("/redirects")
            return try socket.send(
                .lookUp(
                    TransferQuestion(
                        question: job.key.task, key: job.key, host: isRedirect ? "other.example" : String(host),
                        port: isRedirect ? 8443 : 443, redirects: isRedirect ? 1 : 0)))
        default: break
        }
        var bytes: [UInt8] = []
        while let file = files.takeFirst() {
            if job.work.isDownload {
                try file.writeAll(Array("all bytes of a film".utf8))
            } else {
                bytes += try file.read(at: 0, count: 1 << 20)
            }
        }
        try socket.send(.ended(end(job.key, body: bytes)))
    }

    private static func end(_ key: TransferKey, error: TransferError? = nil, body: [UInt8] = []) -> TransferEnd {
        TransferEnd(
            key: key, sent: UInt64(body.count), received: 0,
            answer: error == nil ? TransferAnswer(status: 200, headers: [], body: Array(body.prefix(1000))) : nil,
            error: error, retry: .never, validator: nil)
    }
}
