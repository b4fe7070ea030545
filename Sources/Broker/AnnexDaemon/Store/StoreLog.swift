internal import AnnexLinux
internal import Logging

/// Log entries about a store whose index was rebuilt.
struct StoreLog: Sendable {
    private let logger: Logger
    private let metadata: Logger.Metadata

    init(_ user: UInt32, _ path: String, _ logger: Logger) {
        self.logger = logger
        metadata = ["user": "\(user)", "store": "\(Escaped(path))"]
    }

    func rebuilds(keeping name: String) {
        logger.error(
            "the index of a store is damaged: it is set aside, and made anew from what lies there, switched off",
            metadata: metadata.merging(["kept": "\(name)", "remedy": "switch on what is wanted: annex enable"]) { $1 })
    }

    func found(_ app: String) {
        logger.notice("an app was found again", metadata: metadata.merging(["app": "\(Escaped(app))"]) { $1 })
    }

    func setAside(_ folder: String, as kept: String, _ why: String) {
        let words: Logger.Metadata = [
            "folder": "\(Escaped(folder))", "kept": "\(Escaped(kept))", "why": "\(Escaped(why))",
        ]
        logger.error(
            "a folder of a damaged store is not installed, and is kept", metadata: metadata.merging(words) { $1 })
    }
}
