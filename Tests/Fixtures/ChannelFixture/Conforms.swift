// The extension of the conformance tests, in Swift, in a separate process.
import AnnexChannel
import Conducts

enum Conforms {
    static func run() throws {
        try ConformingConduct.serve(ExtensionEndpoint.adopt())
    }
}
