internal import AnnexChannel

/// What somebody wants an extension launched for.
package enum LaunchPurpose: UInt8, Sendable, Hashable, FieldValue {
    /// Somebody waits for it: it waits in line for a place, and may have one of those that are lent.
    case request
    /// Nobody needs it yet: it gets a place that is free and that nobody waits for, or is refused at once.
    case ahead
}
