internal import AnnexLinux

extension ExtensionEndpoint {
    /// Answers requests of bare bytes on this thread. Allocates nothing while it runs.
    ///
    /// While a body runs, this endpoint does nothing else: what a body asks of it throws `ExtensionFailure.inUse`.
    ///
    /// Requests that bring descriptors are refused with a failure; pings are answered, and calls that were given up
    /// before their request was read are passed over.
    /// - Parameters:
    ///   - body: reads the request and writes the answer, both in private memory, and returns the answer's length;
    ///     less than 0 answers a failure with that number's amount as its code.
    ///   - post: takes a one-way message; false ends serving.
    public borrowing func serve(
        _ body: (_ method: UInt16, _ request: RawSpan, _ reply: inout MutableRawSpan) -> Int,
        post: (_ method: UInt16, _ message: RawSpan) -> Bool = { _, _ in true }
    ) throws(ExtensionFailure) {
        try core.serve(body, post)
    }

    /// Waits for the next one-way message. Requests that come meanwhile wait for `next`.
    /// - Parameters:
    ///   - message: where it is copied to; what does not fit is an error, and the message is lost.
    ///   - timeout: nil: without limit.
    /// - Returns: nil when the time is over.
    public borrowing func nextPost(
        into message: inout MutableRawSpan, timeout: Duration? = nil
    ) throws(ExtensionFailure) -> (method: UInt16, count: Int)? {
        let deadline = timeout.map { MonotonicClock.deadline(after: $0) }
        return try unsafe message.withUnsafeMutableBytes { target throws(ExtensionFailure) in
            try unsafe core.nextPost(into: target, until: deadline)
        }
    }
}
