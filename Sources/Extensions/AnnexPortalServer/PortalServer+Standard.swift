package import AnnexLinux
package import AnnexPortal

extension PortalServer {
    /// A server with all services. It serves members: the extensions and apps that belong to app groups.
    /// - Parameters:
    ///   - opening: the service that opens URLs; nil if the members may start apps by themselves.
    ///   - transfers: the desk of the user's background transfers, or the reason why there is none.
    package static func standard(
        on loop: EventLoop, opening: OpeningService? = nil,
        transfers: Result<TransferDesk, PortalError> = .failure(.transfersNeedDaemon)
    ) -> PortalServer {
        var services: [any PortalService] = [
            GroupService(loop: loop), DefaultsService(), CoordinationService(loop: loop), PasteboardService(),
            SecretService(), BackgroundService(transfers, on: loop),
        ]
        if let opening { services.append(opening) }
        return PortalServer(loop: loop, services: services)
    }
}
