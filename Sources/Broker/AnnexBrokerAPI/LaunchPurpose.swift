internal import AnnexChannel

/// Why an extension is launched.
package enum LaunchPurpose: UInt8, Sendable, Hashable, FieldValue {
    /// A request needs the extension. The launch waits in line for an instance slot, and may take a parked extension's
    /// slot.
    case request
    /// No request needs the extension yet. It gets a free slot for which no launch waits; otherwise the broker rejects
    /// it at once.
    case ahead
}
