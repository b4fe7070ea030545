extension ExtensionContext {
    /// Does something that should not be cut off by this extension's end: the host waits for it, as long as the
    /// extension point's `grace` allows.
    ///
    /// The block is called at once with `false`, on this thread, and does its work. When three quarters of the grace are
    /// over it is called a second time with `true`, from within the first call's next look at the channel, which is what
    /// `isExpiring` and `isCancelled` are: it should then make the first call end soon. Where the end is near already, it
    /// is called once, with `true`. An extension that is still in its block when its grace is over ends as `graceExpired`.
    ///
    /// ```swift
    /// context.completeRequest(returning: items)
    /// context.performExpiringActivity(withReason: "thumbnails") { expired in
    ///     if expired { return index.discardUnfinished() }
    ///     while !context.isExpiring, index.addNext() {}
    /// }
    /// ```
    ///
    /// - Parameter reason: what it does, for people; the first 200 bytes are told to the host.
    public func performExpiringActivity(withReason reason: String, using block: @escaping (_ expired: Bool) -> Void) {
        life.perform(reason, block)
    }

    /// Whether this extension's end is near. Looks at the channel, before and after the answer.
    public var isExpiring: Bool {
        life.look()
        return life.isExpiring
    }
}
