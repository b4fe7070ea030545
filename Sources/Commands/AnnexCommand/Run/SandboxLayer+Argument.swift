public import AnnexPolicy
public import ArgumentParser

/// A layer by its word, as `--waive landlock`.
extension SandboxLayer: ExpressibleByArgument {}
