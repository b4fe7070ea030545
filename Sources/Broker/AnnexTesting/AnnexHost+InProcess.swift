internal import AnnexChannel
public import AnnexExtension
public import AnnexHost

extension AnnexHost {
    /// Makes a host whose extension runs in the test's own process, so that a debugger stops in it and a coverage report counts
    /// it.
    ///
    /// ```swift
    /// let session = try await AnnexHost.testing(inProcess: Shout.self).begin("shout")
    /// let answer = try await session.request([ExtensionItem(contentText: "hello")])
    /// #expect(answer.first?.contentText == "HELLO")
    /// #expect(await session.complete().reason == .completed)
    /// ```
    ///
    /// The host has every function that it has with a real extension, also `compose` and `edit`. Any identifier begins the
    /// extension, and each session has a principal object of its own, on a thread of its own. Host and extension exchange the
    /// same messages over a real channel.
    ///
    /// What differs from a real extension:
    /// - There is no sandbox, and no limit of memory. Only the limits of time hold that the test itself sets. An extension that
    ///   hangs makes the test hang, and an extension that crashes ends the test's process.
    /// - A thread cannot be killed. If a session ends because the extension broke a rule, its thread ends a moment later.
    /// - If the extension ends by an error of its channel, the reason is `exited`, and the last output says which.
    /// - `privateDirectory` and `frameworksDirectory` come from the environment of the test: `ANNEX_PRIVATE_DIRECTORY` and
    ///   `ANNEX_FRAMEWORKS`, read once.
    /// - Tasks that the extension starts itself, with `Task { }`, run on other threads. In a sandbox there is only one thread.
    ///
    /// Test in the sandbox too, with `testing(apps:)`: code that works here may need a call that the policy denies.
    ///
    /// - Parameter principal: the principal object's type.
    public static func testing<Principal: AppExtension & SendableMetatype>(
        inProcess principal: Principal.Type
    ) -> AnnexHost {
        AnnexHost(
            service: InProcessBroker { endpoint in ExtensionServing.service(of: principal, on: endpoint) })
    }
}
