extension EventLoop {
    /// A watched descriptor. Dropping the value changes nothing: only `cancel` ends the watch.
    package struct Watch: Sendable {
        let loop: EventLoop
        let token: UInt64

        /// Ends the watch; call it before the descriptor is closed. After it returns no handler of this watch starts.
        /// One that has started on the loop's thread runs to its end. Once is enough, twice is harmless.
        package func cancel() {
            loop.cancelWatch(token)
        }

        /// Like `cancel`, and waits for a handler that has started, unless called by that handler itself. The caller
        /// must hold nothing that the handler waits for.
        package func cancelAndWait() {
            loop.cancelWatch(token)
            loop.waitForHandler(token)
        }
    }

    /// A timer that has been set. Dropping the value changes nothing: it fires unless cancelled.
    package struct Timer: Sendable {
        let loop: EventLoop
        let token: UInt64

        /// After it returns the handler does not start any more.
        /// - Returns: whether the timer had not fired yet.
        @discardableResult
        package func cancel() -> Bool {
            loop.cancelTimer(token)
        }
    }
}
