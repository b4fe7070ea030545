// Waits of tasks in streams. All tasks and all code that changes a stream run on the extension's one thread.

extension ExtensionStream {
    /// The next message; nil if the host has finished. Suspends the task.
    nonisolated(nonsending) func next() async throws(ExtensionFailure) -> [UInt8]? {
        while true {
            let seen = changes
            if let taken = try take() {
                await letOthersRun()
                return taken.message
            }
            try await change(since: seen)
        }
    }

    /// Sends a message. Suspends the task until the host has room for it.
    nonisolated(nonsending) func pass(_ message: [UInt8]) async throws(ExtensionFailure) {
        while true {
            // The host may already have reset the stream; see `passAndWait`.
            try core.readWhatIsThere()
            let seen = changes
            if try sendIfRoom(message) { return await letOthersRun() }
            try await change(since: seen)
        }
    }

    /// Wakes every task that waits, so that it checks again.
    func noteChange() {
        changes &+= 1
        guard !waiting.isEmpty else { return }
        let tasks = waiting
        waiting = []
        for task in tasks { task.resume() }
    }

    /// Suspends the task until the stream changes.
    ///
    /// The runtime may enqueue the task again between the task's check and its suspension. The thread then reads the
    /// channel, and the stream may change. So the task compares the number of changes once more when it suspends.
    private nonisolated(nonsending) func change(since seen: UInt64) async throws(ExtensionFailure) {
        guard !Task.isCancelled else { throw .cancelled }
        // SAFETY: bodies of `perform` run on this thread, and so does all code that uses the stream.
        nonisolated(unsafe) let stream = self
        let tasks = core.tasks
        await withTaskCancellationHandler {
            await withCheckedContinuation { task in
                if unsafe stream.changes != seen || Task.isCancelled {
                    task.resume()
                } else {
                    unsafe stream.waiting.append(task)
                }
            }
        } onCancel: {
            tasks.perform { unsafe stream.noteChange() }
        }
    }

    /// Lets the requests and tasks that wait for this thread run before this task continues. Otherwise, a stream that
    /// always has a message ready would keep the thread for itself.
    private nonisolated(nonsending) func letOthersRun() async {
        if !core.ahead.isEmpty || !core.tasks.isIdle || core.tasks.hasDueTimer { await Task.yield() }
    }
}
