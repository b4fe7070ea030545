/// The parts of a policy that are each stated in one place.
package enum PolicySection: Sendable, Hashable {
    case bundle, privateDirectory, processFiles, devices, network, writeXorExecute, environment
    case limit(LimitName)
}
