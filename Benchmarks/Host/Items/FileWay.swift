import AnnexHost
import CBenchDriver

/// A request whose item is a file on demand. The extension opens the file through its host, reads it in pieces, and answers with the sum of
/// the bytes.
final class FileWay: Way {
    private let session: ExtensionSession
    private let item: ExtensionItem
    private let bytes: UInt64
    private let sum: UInt64
    private let answers = OwnAnswers()

    /// The limit that the scene's name states.
    private static let memory: UInt64 = 48 << 20

    init(_ session: ExtensionSession, plan: Plan) throws {
        guard session.launchReport.memoryLimit == Self.memory else {
            throw Failure.otherLimit(session.launchReport.memoryLimit)
        }
        guard let file = plan.file, bench_file_ready(plan.pointer) else { throw Failure.noFile }
        self.session = session
        bytes = plan.fileBytes
        sum = bench_file_sum(bytes)
        item = ExtensionItem(attachments: [ItemProvider(contents: try .onDemand(path: file), types: [.data])])
    }

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        guard request.first == UInt8(bench_wants_reply) else { return answers.answer(request, into: reply) }
        do throws(HostError) {
            let answer = try session.requestAndWait([item]).first?.userInfo
            let isWhole = answer?["bytes"]?.integer.map { UInt64(bitPattern: $0) } == bytes
            guard isWhole, answer?["sum"]?.integer.map({ UInt64(bitPattern: $0) }) == sum else {
                Complaint.print("the extension did not read what the file holds: \(answer ?? [:])")
                return 0
            }
            return answers.answer(request, into: reply)
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }

    enum Failure: Error, CustomStringConvertible {
        case otherLimit(UInt64)
        case noFile

        var description: String {
            switch self {
            case .otherLimit(let bytes): "the extension's memory limit is \(bytes) bytes, and not 48 MiB"
            case .noFile: "the file to read cannot be made"
            }
        }
    }
}
