/// A subject without a kernel limit, which is therefore checked at intervals.
protocol Watched: Sendable {
    /// The time between the end of one look and the start of the next.
    static var interval: Duration { get }

    /// Checks once. May take as long as a slow file system does.
    /// - Returns: whether to look again.
    func look() -> Bool
}
