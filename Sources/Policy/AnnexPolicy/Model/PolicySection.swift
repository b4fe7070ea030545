/// The parts of a policy that each are stated in one place.
package enum PolicySection: Sendable, Hashable {
    case bundle, privateDirectory, processFiles, devices, network, writeXorExecute, environment
    case limit(LimitName)
}
