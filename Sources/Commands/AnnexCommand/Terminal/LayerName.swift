import AnnexHost
import ArgumentParser

/// The name of a layer on the command line.
enum LayerName {
    static func read(_ word: String) throws -> DispensableLayer {
        if let layer = DispensableLayer(rawValue: word) { return layer }
        let known = DispensableLayer.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("there is no layer \(Escaped(word)); the layers are: \(known)")
    }
}
