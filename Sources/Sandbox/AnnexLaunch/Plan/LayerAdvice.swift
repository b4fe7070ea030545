package import AnnexPolicy

/// How the owner of a launcher can do without layers that this machine lacks. Each owner has other means, and a remedy
/// names those of its reader.
package enum LayerAdvice: Sendable {
    /// A program that runs programs, such as `annex run`.
    case sandbox
    /// A host that carries its own broker.
    case embedding
    /// The daemon `annexd`, which leaves out no layer.
    case daemon

    /// A remedy, with the way to do without the layers in addition; nil if there is neither.
    package func remedy(_ remedy: String?, doingWithout layers: [SandboxLayer]) -> String? {
        if layers.isEmpty { return remedy }
        let way = way(without: layers)
        return remedy.map { "\($0); or \(way)" } ?? way
    }

    private func way(without layers: [SandboxLayer]) -> String {
        let loss = layers.count == 1 ? layers[0].loss : "only Landlock and the filter confine the program"
        let list = "[" + layers.map { ".\($0)" }.joined(separator: ", ") + "]"
        switch self {
        case .sandbox:
            let names = layers.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            return layers.count == 1
                ? "waive the layer \(names). Then \(loss)"
                : "waive the layers \(names), which are left out as far as this machine lacks them. Then \(loss)"
        case .embedding: return "start the host with `waiving: \(list)`. Then \(loss)"
        case .daemon:
            return "let the host embed its broker with `waiving: \(list)`, because annexd leaves out no layer. Its "
                + "administrator finds the causes with `annex doctor`"
        }
    }
}
