import AnnexEmbedded
import AnnexHost
import Glibc
import ImageFilters

// The app and its extension link the same filters, and read the same curves. The app itself shows the curves. It leaves
// pictures, which are not trusted, to the extension.
let words = CommandLine.arguments.dropFirst()
guard words.count == 3, let picture = words.first, let filter = words.dropFirst().first, let target = words.last else {
    for name in ImageFilter.names {
        let curves = try ItemContents(path: ImageFilter.file(named: name, in: "Filters.app/Frameworks")).load()
        print(ImageFilter(curves: curves)?.bars ?? "damaged", name)
    }
    print("usage: Filters.app/Filters PICTURE.ppm FILTER NEW.ppm")
    exit(words.isEmpty ? 0 : 64)
}
let host = try AnnexHost.embedded(apps: ["Filters.app"])
let session = try await host.begin("com.example.filters.editor", as: "com.apple.photo-editing")
do {
    let input = ItemProvider(contents: try ItemContents(path: picture), types: [.image])
    let item = ExtensionItem(attachments: [input], userInfo: ["filter": .string(filter)])
    let answer = try await session.request([item], accepting: .sealedMemory(count: 1, bytes: 64 << 20))
    guard let edited = try answer.first?.attachments.first?.loadData(forType: .image) else {
        print("no picture: the answer has none")
        exit(1)
    }
    let file = open(target, O_WRONLY | O_CREAT | O_EXCL, 0o666)
    guard file >= 0, write(file, edited, edited.count) == edited.count else {
        print("\(target) is there already, or cannot be written")
        exit(1)
    }
} catch {
    print("no picture: \(error)")
    exit(1)
}
print("\(filter): \(await session.complete())")
