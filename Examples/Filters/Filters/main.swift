import AnnexEmbedded
import AnnexHost
import Glibc
import ImageFilters

// The app and its extension link the same filters and read the same curves. The app itself shows only the curves.
// Pictures are not trusted, so only the extension processes them.
//
// The app stores the original and the adjustment data beside an edited picture. So a later edit can undo a filter.
let words = CommandLine.arguments.dropFirst()
guard words.count == 3, let picture = words.first, let filter = words.dropFirst().first, let target = words.last else {
    for name in ImageFilter.names {
        let curves = try ItemContents(path: ImageFilter.file(named: name, in: "Filters.app/Frameworks")).load()
        print(ImageFilter(curves: curves)?.bars ?? "damaged", name)
    }
    print("usage: Filters.app/Filters PICTURE.ppm FILTER NEW.ppm")
    print("       Filters.app/Filters PICTURE.ppm undo NEW.ppm")
    exit(words.isEmpty ? 0 : 64)
}
do {
    let kept = try KeptPicture(picture)
    let host = try AnnexHost.embedded(apps: ["Filters.app"])
    let editing = try await host.edit(kept.editable, with: "com.example.filters.editor", atMost: 64 << 20)
    guard editing.view?.buttons.contains(filter) == true else {
        print("no picture: the editor has no button \(filter)")
        exit(1)
    }
    try await editing.perform(ContentAction(identifier: filter))
    let edited = try await editing.finish()
    try kept.keep(edited, continues: editing.continuesEdit, as: target)
    let filters = String(decoding: edited.adjustmentData.data, as: UTF8.self)
    print("\(filter): \(filters.isEmpty ? "no filter" : filters)")
} catch {
    print("no picture: \(error)")
    exit(1)
}

extension ContentTree {
    /// The identifiers of the buttons in a list. The editor offers its filters as this list.
    var buttons: [String] {
        guard case .list(let nodes) = root else { return [] }
        return nodes.compactMap { node in
            if case .button(_, let action) = node { action } else { nil }
        }
    }
}
