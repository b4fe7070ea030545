import AnnexEmbedded
import AnnexHost

// The host names no extension. It asks every extension that serves the host's own point.
let point = "com.example.thumbnails"
let host = try AnnexHost.embedded(apps: ["Thumbnails.app"], points: "Points")
for path in CommandLine.arguments.dropFirst() {
    let document = ItemProvider(contents: try ItemContents(path: path), types: [.plainText])
    for thumbnailer in await host.extensions(for: point) {
        let session = try await host.begin(thumbnailer.id, as: point)
        let answer = try await session.request([ExtensionItem(attachments: [document])])
        print("\(path), \(thumbnailer.displayName):\n\(answer.first?.contentText ?? "nothing")")
        _ = await session.complete()
    }
}
