package import AnnexLinux

extension PortalServer {
    /// A server with all services.
    package static func standard(on loop: EventLoop) -> PortalServer {
        PortalServer(
            loop: loop,
            services: [
                GroupService(loop: loop), DefaultsService(), CoordinationService(loop: loop), PasteboardService(),
                SecretService(),
            ])
    }
}
