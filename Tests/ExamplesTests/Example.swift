import Foundation

/// The built example programs and the script that lays them out.
enum Example {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folder of the running test. It contains all products of this build.
    static let programs: URL = {
        let test = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments.first ?? ""
        return URL(filePath: test).deletingLastPathComponent()
    }()

    static let names = [
        "PictureEditor", "Misbehaver", "Silent", "Shout", "Pictures", "ShoutApp", "TextThumbnail", "FilterEditor",
    ]

    static func program(_ name: String) -> String {
        programs.appending(path: name).path
    }
}
