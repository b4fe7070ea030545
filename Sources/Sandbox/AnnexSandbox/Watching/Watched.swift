/// Something that no kernel bounds, so that it is looked at again and again.
protocol Watched: Sendable {
    /// From the end of one look to the next.
    static var interval: Duration { get }

    /// Looks once; may take as long as somebody's file system likes.
    /// - Returns: whether to look again.
    func look() -> Bool
}
