package import AnnexLinux

extension PortalServer {
    /// A server with all services. It serves members: the extensions and apps that belong to app groups.
    /// - Parameter opener: opens URLs; nil if the members may start apps by themselves.
    package static func standard(on loop: EventLoop, opener: OpeningService.Opener? = nil) -> PortalServer {
        var services: [any PortalService] = [
            GroupService(loop: loop), DefaultsService(), CoordinationService(loop: loop), PasteboardService(),
            SecretService(),
        ]
        if let opener { services.append(OpeningService(on: loop, opener)) }
        return PortalServer(loop: loop, services: services)
    }
}
