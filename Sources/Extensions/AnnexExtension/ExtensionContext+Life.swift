extension ExtensionContext {
    /// Does work that the end of this extension should not cut off. The host waits for it, at most as long as the
    /// extension point's `grace` allows.
    ///
    /// The block is called at once with `false`, on this thread, and does its work. When three quarters of the grace
    /// are over, it is called a second time with `true`. That call happens inside `isExpiring` or `isCancelled`, when
    /// the first call next reads one of them. It should make the first call end soon.
    ///
    /// If the end is near already, the block is called once, with `true`. An extension whose block is still running
    /// when the grace is over ends as `graceExpired`.
    ///
    /// ```swift
    /// context.completeRequest(returning: items)
    /// context.performExpiringActivity(withReason: "thumbnails") { expired in
    ///     if expired { return index.discardUnfinished() }
    ///     while !context.isExpiring, index.addNext() {}
    /// }
    /// ```
    ///
    /// - Parameter reason: what the activity does, for a person to read. The host gets the first 200 bytes.
    public func performExpiringActivity(withReason reason: String, using block: @escaping (_ expired: Bool) -> Void) {
        life.perform(reason, block)
    }

    /// Whether this extension will end soon. Reading it checks the channel for events from the host.
    public var isExpiring: Bool {
        life.look()
        return life.isExpiring
    }
}
