import AnnexChannel

/// A raw call of a whole array.
@discardableResult
func ask(
    _ host: HostEndpoint, _ method: UInt16, _ question: [UInt8], room: Int? = nil, timeout: Duration? = nil
) throws(CallFailure) -> [UInt8] {
    var answer = [UInt8](repeating: 0, count: room ?? max(question.count, 8))
    var span = answer.mutableSpan
    var bytes = span.mutableBytes
    let count = try host.callAndWait(method, payload: question.span.bytes, into: &bytes, timeout: timeout)
    return Array(answer.prefix(count))
}
