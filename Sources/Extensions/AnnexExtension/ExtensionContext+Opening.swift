internal import AnnexMessages
internal import AnnexModel
public import AnnexPortal

extension ExtensionContext {
    /// Opens a URL with the app that registers the URL's scheme (`CFBundleURLTypes`). Apple's counterpart is
    /// `NSExtensionContext.open(_:completionHandler:)`.
    ///
    /// Only extensions of some points may open URLs. A Today widget may open the URLs of any app. An iMessage
    /// extension may open only the URLs of its containing app. The broker starts the app outside of the sandbox, with
    /// the URL as its only argument. An extension can open ten URLs in a minute.
    ///
    /// ```swift
    /// try await context.open("todolist://add")
    /// ```
    /// - Returns: the identifier of the app that was started.
    /// - Throws: `notAllowed` if extensions of the point may open no URLs, or may not open the URLs of this app;
    ///   `invalid` if the URL breaks a rule of `AppURL`; `notFound` if no app registers the scheme, or more than one
    ///   app does; `full` after ten URLs in a minute.
    @discardableResult
    public nonisolated(nonsending) func open(_ url: String) async throws(PortalError) -> String {
        try await PortalOpening.open(url)
    }
}

/// Asks the broker to open a URL.
enum PortalOpening {
    nonisolated(nonsending) static func open(_ url: String) async throws(PortalError) -> String {
        do throws(AppURL.Fault) {
            _ = try AppURL(url)
        } catch {
            throw PortalError(.invalid, what: "the URL \(error.what)", remedy: "state it as SCHEME:…")
        }
        let portal: PortalClient
        do throws(PortalError) {
            portal = try Portal.ofThisProcess()
        } catch {
            throw PortalError(
                .notAllowed, what: "extensions of this point open no URLs",
                remedy: "let the host show the URL: answer with it")
        }
        let body: [UInt8]
        do throws(EncodingFailure) {
            body = try OpeningURL(url: url).encoded(within: PortalRequest.limits)
        } catch {
            throw PortalError(.invalid, what: "the URL is too long: \(error)")
        }
        return try await portal.callLater(OpeningMethod.open, body: body).decoded(as: OpenedApp.self).app
    }
}
