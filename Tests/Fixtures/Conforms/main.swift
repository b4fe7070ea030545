// The extension of the conformance tests, in Swift, in a separate process.
import AnnexChannel
import ConformingConduct

try ConformingConduct.serve(ExtensionEndpoint.adopt())
