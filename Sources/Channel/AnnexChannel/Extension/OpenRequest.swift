/// A request that waits for its answer.
struct OpenRequest {
    let call: UInt64
    /// The caller has given up.
    var isCancelled = false
}
