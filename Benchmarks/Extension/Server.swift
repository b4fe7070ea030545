import BenchMessages
import CBenchDriver

/// The half of the driver's work that runs in this process.
final class Server {
    // SAFETY: only this object uses the memory, as long as the object lives. The memory lies behind pointers, because
    // Swift checks each access to a stored property of a class. That check must not be measured.
    private let state: UnsafeMutablePointer<bench_server>
    private let answers: UnsafeMutableRawBufferPointer

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: bench_server())
        answers = .allocate(byteCount: Words.most * MemoryLayout<UInt64>.size, alignment: 64)
    }

    deinit {
        state.deallocate()
        answers.deallocate()
    }

    /// - Returns: the answer's length.
    func answer(_ request: RawSpan, into reply: UnsafeMutableRawBufferPointer) -> Int {
        request.withUnsafeBytes { answer($0, into: reply) }
    }

    func answer(_ request: [UInt8], into reply: UnsafeMutableRawBufferPointer) -> Int {
        request.withUnsafeBytes { answer($0, into: reply) }
    }

    /// A short answer.
    func answer(_ request: [UInt8]) -> [UInt8] {
        Array(answers.prefix(answer(request, into: answers)))
    }

    func take(_ message: RawSpan) {
        _ = answer(message, into: answers)
    }

    func answer(_ words: Words) -> Words {
        let count = words.withBytes { answer($0, into: answers) }
        return Words(UnsafeRawBufferPointer(start: answers.baseAddress, count: count))
    }

    private func answer(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        bench_answer(state, request.baseAddress, request.count, reply.baseAddress, reply.count)
    }
}
