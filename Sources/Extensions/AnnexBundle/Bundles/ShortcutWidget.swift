internal import AnnexModel

/// Finds the widget that a list of quick actions shows for an app.
enum ShortcutWidget {
    private static let key = "UIApplicationShortcutWidget"

    /// - Returns: the identifier of the widget that the app names, or of the app's only widget; nil if there is no such
    ///   widget.
    static func read(
        _ info: InfoDictionary, among extensions: [ExtensionBundle], reporting findings: FindingCollector
    ) -> String? {
        let widgets = extensions.filter { $0.extensionPoint == WidgetPoint.identifier }.map(\.identifier)
        guard info.values[key] != nil else { return widgets.count == 1 ? widgets[0] : nil }
        do throws(BundleError) {
            let named = try info.text(key)
            if let widget = widgets.first(where: { $0 == named }) { return widget }
            findings.warn(
                info.fault(
                    key, what: "names no widget of the app, so lists of quick actions show none", rule: .p2,
                    remedy: "write the identifier of one of the app's widgets"))
        } catch {
            findings.warn(error)
        }
        return nil
    }
}
