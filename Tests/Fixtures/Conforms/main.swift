// The extension of the conformance tests, in Swift, in a process of its own.
import AnnexChannel
import ConformingConduct

try ConformingConduct.serve(ExtensionEndpoint.adopt())
