/// The parts of a policy that each are stated in one place.
enum PolicySection: Sendable, Hashable {
    case bundle, privateDirectory, processFiles, devices, network, writeXorExecute, environment
    case limit(LimitName)
}
