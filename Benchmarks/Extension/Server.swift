import BenchMessages
import CBenchDriver

/// The driver's half of the work in this process.
final class Server {
    private var state = bench_server()
    private var answers: [UInt64] = Array(repeating: 0, count: Words.most)

    /// - Returns: the answer's length.
    func answer(_ request: RawSpan, _ reply: UnsafeMutableRawBufferPointer) -> Int {
        request.withUnsafeBytes { bench_answer(&state, $0.baseAddress, $0.count, reply.baseAddress, reply.count) }
    }

    func answer(_ request: [UInt8], _ reply: UnsafeMutableRawBufferPointer) -> Int {
        request.withUnsafeBytes { bench_answer(&state, $0.baseAddress, $0.count, reply.baseAddress, reply.count) }
    }

    /// A short answer.
    func answer(_ request: [UInt8]) -> [UInt8] {
        answers.withUnsafeMutableBytes { reply in
            Array(UnsafeRawBufferPointer(rebasing: reply.prefix(answer(request, reply))))
        }
    }

    func take(_ message: RawSpan) {
        answers.withUnsafeMutableBytes { _ = answer(message, $0) }
    }

    func answer(_ words: Words) -> Words {
        let count = words.withBytes { request in
            answers.withUnsafeMutableBytes {
                bench_answer(&state, request.baseAddress, request.count, $0.baseAddress, $0.count)
            }
        }
        return answers.withUnsafeBytes { Words(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    }
}
