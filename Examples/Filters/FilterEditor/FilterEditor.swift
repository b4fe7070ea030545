import AnnexExtension
import ImageFilters

/// Applies filters to a picture that is not trusted. The filters' curves are in the app's `Frameworks`.
///
/// The adjustment data is the list of filters. With this list and the original picture, a later edit can undo the
/// last filter.
@main
final class FilterEditor: PhotoEditingExtension {
    private var original: Pixmap?
    private var frameworks = ""
    /// The names of the filters, in the order in which they are applied.
    private var filters: [Substring] = []
    private var filtersAtStart: [Substring] = []

    private static let format = "com.example.filters"

    func canHandle(_ adjustmentData: AdjustmentData) -> Bool {
        adjustmentData.formatIdentifier == Self.format && adjustmentData.formatVersion == "1"
    }

    func startContentEditing(with input: ContentEditingInput) throws {
        guard let picture = Pixmap(try input.loadPicture(limit: 64 << 20)) else {
            throw Self.error("the picture is no portable pixmap (P6)")
        }
        original = picture
        frameworks = input.frameworksDirectory ?? ""
        filters = (input.adjustmentData?.data).map { String(decoding: $0, as: UTF8.self).split(separator: " ") } ?? []
        filtersAtStart = filters
        // A host without a dialogue names the requested filter in `userInfo`.
        if let wish = input.userInfo["filter"]?.string { try change(wish) }
    }

    var view: ContentNode? {
        var nodes: [ContentNode] = [.text(filters.isEmpty ? "No filter" : filters.joined(separator: ", "))]
        nodes += ImageFilter.names.map { .button($0, action: $0) }
        if !filters.isEmpty { nodes.append(.button("Undo", action: "undo")) }
        return .list(nodes)
    }

    func perform(_ action: ContentAction) { try? change(action.identifier) }

    private func change(_ wish: String) throws {
        if wish == "undo" {
            guard filters.popLast() != nil else { throw Self.error("there is no filter to undo") }
        } else {
            guard ImageFilter.names.contains(wish) else {
                let names = ImageFilter.names.joined(separator: ", ")
                throw Self.error("there is no such filter; there are: \(names), and undo")
            }
            filters.append(wish[...])
        }
    }

    func finishContentEditing() throws -> ContentEditingOutput {
        guard var picture = original else { throw Self.error("there is no picture to finish") }
        for name in filters { try filter(String(name)).apply(to: &picture) }
        let recipe = AdjustmentData(
            formatIdentifier: Self.format, formatVersion: "1", data: Array(filters.joined(separator: " ").utf8))
        return try ContentEditingOutput(type: .pbm, adjustmentData: recipe, bytes: picture.file)
    }

    private func filter(_ name: String) throws -> ImageFilter {
        guard ImageFilter.names.contains(name) else { throw Self.error("an earlier edit used another filter") }
        let curves = try ItemContents(path: ImageFilter.file(named: name, in: frameworks)).load(limit: 4096)
        guard let filter = ImageFilter(curves: curves) else { throw Self.error("the curves of \(name) are damaged") }
        return filter
    }

    func cancelContentEditing() { original = nil }

    var shouldShowCancelConfirmation: Bool { filters != filtersAtStart }

    private static func error(_ text: String) -> ExtensionError {
        ExtensionError(code: 1, domain: format, localizedDescription: text)
    }
}
