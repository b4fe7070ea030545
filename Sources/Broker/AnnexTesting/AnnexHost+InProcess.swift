internal import AnnexChannel
public import AnnexExtension
public import AnnexHost

extension AnnexHost {
    /// Makes a host whose extension runs in the test's own process. So a debugger can stop in the extension, and a
    /// coverage report includes it.
    ///
    /// ```swift
    /// let session = try await AnnexHost.testing(inProcess: Shout.self).begin("shout")
    /// let answer = try await session.request([ExtensionItem(contentText: "hello")])
    /// #expect(answer.first?.contentText == "HELLO")
    /// #expect(await session.complete().reason == .completed)
    /// ```
    ///
    /// The host has every function that it has with a real extension, including `compose` and `edit`. Any identifier
    /// begins the extension. Each session has its own principal object, on its own thread. Host and extension exchange
    /// the same messages over a real channel.
    ///
    /// This host differs from a host with a real extension:
    /// - There is no sandbox, and no limit of memory. Only the time limits that the test itself sets apply. If the
    ///   extension hangs, the test hangs. If the extension crashes, the test's process ends.
    /// - A thread cannot be killed. If a session ends because the extension broke a rule, the extension's thread ends a
    ///   moment later.
    /// - If the extension ends because of an error of its channel, the reason is `exited`, and the last output states
    ///   the error.
    /// - `privateDirectory` and `frameworksDirectory` come from the environment of the test. The variables are
    ///   `ANNEX_PRIVATE_DIRECTORY` and `ANNEX_FRAMEWORKS`, and they are read once.
    /// - Tasks that the extension starts itself, with `Task { }`, run on other threads. In a sandbox, there is only one
    ///   thread.
    ///
    /// Also test in the sandbox, with `testing(apps:)`. Code that works in this process may need a call that the policy
    /// denies.
    ///
    /// - Parameter principal: the principal object's type.
    public static func testing<Principal: AppExtension & SendableMetatype>(
        inProcess principal: Principal.Type
    ) -> AnnexHost {
        AnnexHost(
            service: InProcessBroker { endpoint in ExtensionServing.service(of: principal, on: endpoint) })
    }
}
