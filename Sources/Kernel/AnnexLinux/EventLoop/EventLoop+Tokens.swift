extension EventLoop {
    /// A watched descriptor. Dropping the value changes nothing: only `cancel` ends the watch.
    package struct Watch: Sendable {
        let loop: EventLoop
        let token: UInt64

        /// Ends the watch. Call it before the descriptor is closed. After it returns, no handler of this watch starts.
        /// A handler that has started on the loop's thread runs to its end. Calling it twice is harmless.
        package func cancel() {
            loop.cancelWatch(token)
        }

        /// Ends the watch like `cancel`, and waits for a handler that has started, unless that handler itself calls it.
        /// The caller must hold no lock that the handler needs.
        package func cancelAndWait() {
            loop.cancelWatch(token)
            loop.waitForHandler(token)
        }
    }

    /// A timer that has been set. Dropping the value changes nothing: the timer fires unless it is cancelled.
    package struct Timer: Sendable {
        let loop: EventLoop
        let token: UInt64

        /// Cancels the timer. After it returns, the handler does not start any more.
        /// - Returns: whether the timer had not fired yet.
        @discardableResult
        package func cancel() -> Bool {
            loop.cancelTimer(token)
        }
    }
}
