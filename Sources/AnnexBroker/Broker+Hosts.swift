package import AnnexService

extension Broker {
    /// Ends an extension that this broker launched, because its host is gone.
    package func end(ofGoneHost handle: any ExtensionHandle) {
        (handle as? SupervisedExtension)?.end(for: .hostGone)
    }
}
