// The extension that the conformance tests know, in Swift, in a process of its own.
import AnnexChannel
import ConformingConduct

try ConformingConduct.serve(ExtensionEndpoint.adopt())
