public import AnnexPolicy
public import ArgumentParser

/// A layer as an argument, as in `--waive landlock`.
extension SandboxLayer: ExpressibleByArgument {}
