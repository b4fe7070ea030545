internal import AnnexBrokerAPI
internal import AnnexModel

/// The names, summaries, icons and other parts of extensions that hosts show to users.
extension DaemonService {
    func extensions(in languages: [String]) throws(BrokerError) -> [InstalledExtension] {
        try list(withDisabled: false, in: languages)
    }

    func installed(in languages: [String]) throws(BrokerError) -> [InstalledExtension] {
        try list(withDisabled: true, in: languages)
    }

    private func list(withDisabled: Bool, in languages: [String]) throws(BrokerError) -> [InstalledExtension] {
        // An older daemon knows only the names in `Info.plist`.
        let wanted = link.supports(ServiceWire.firstWithFaces) ? Self.sendable(languages) : nil
        var found: [InstalledExtension] = []
        while true {
            let request = ServiceRequest.list(
                after: found.last?.id ?? "", withDisabled: withDisabled, languages: wanted)
            guard case .extensions(let more, let isAll) = try link.ask(request) else { throw link.misunderstanding }
            found += more
            if isAll || more.isEmpty { return found }
        }
    }

    /// The languages without their encodings. A text that names no language is left out, because no translation exists
    /// for it.
    private static func sendable(_ languages: [String]) -> [String] {
        let names = languages.prefix(ServiceWire.mostLanguages).map { String($0.prefix { $0 != "." && $0 != "@" }) }
        return names.filter(UserLanguages.isLanguage)
    }

    func icon(of identifier: String) throws(BrokerError) -> ExtensionIcon? {
        try checkHasFaces()
        // An update may replace the icon while the host asks for its parts.
        for _ in 0..<4 {
            switch try icon(of: identifier, joining: IconAssembly()) {
            case .complete(let picture): return try ExtensionIcon(picture)
            case nil: return nil
            case .malformed: throw link.misunderstanding
            case .changed, .next: continue
            }
        }
        throw BrokerError(
            .system, what: "its icon changes again and again", place: identifier, remedy: "ask again after its updates")
    }

    private func icon(
        of identifier: String, joining assembly: IconAssembly
    ) throws(BrokerError) -> IconAssembly.Progress? {
        var assembly = assembly
        var offset: UInt64 = 0
        while true {
            guard case .icon(let part) = try link.ask(.icon(extension: identifier, from: offset)) else {
                throw link.misunderstanding
            }
            guard let part else { return offset == 0 ? nil : .changed }
            let progress = assembly.add(part)
            guard case .next(let next) = progress else { return progress }
            offset = next
        }
    }

    func attributes(of identifier: String) throws(BrokerError) -> [String: ItemValue] {
        try checkHasFaces()
        guard case .attributes(let values) = try link.ask(.attributes(extension: identifier)) else {
            throw link.misunderstanding
        }
        return values
    }

    /// The types that the app of an extension declares. An older daemon sends no types, so the host knows only the
    /// types of the system.
    func typeDeclarations(of identifier: String) throws(BrokerError) -> [String: ItemValue] {
        guard link.supports(ServiceWire.firstWithTypes) else { return [:] }
        guard case .attributes(let values) = try link.ask(.typeDeclarations(extension: identifier)) else {
            throw link.misunderstanding
        }
        return values
    }

    func transfers(_ request: TransferRequest) throws(BrokerError) -> [String: ItemValue] {
        guard link.supports(ServiceWire.firstWithTransfers) else {
            throw BrokerError(
                .unreachable, what: "is a daemon that keeps no transfers", place: link.path,
                remedy: "restart annexd after its update")
        }
        guard case .attributes(let values) = try link.ask(.transfer(request)) else { throw link.misunderstanding }
        return values
    }

    private func checkHasFaces() throws(BrokerError) {
        guard link.supports(ServiceWire.firstWithFaces) else {
            throw BrokerError(
                .unreachable, what: "is an older daemon, which sends no icons and attributes", place: link.path,
                remedy: "restart annexd after its update")
        }
    }
}
