import AnnexEmbedded
import AnnexHost

do {
    let host = try AnnexHost.embedded(apps: ["Shout.app"])
    let session = try await host.begin("com.example.shout.loud")
    let answer = try await session.request([ExtensionItem(contentText: "hello")])
    print(answer.first?.contentText ?? "nothing")
    print(await session.complete())
} catch { print(error) }
