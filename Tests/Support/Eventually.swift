import Foundation

/// Waits for a condition that comes about by itself; the watchdog of the test bounds it.
public func eventually(_ condition: () -> Bool) async {
    while !condition() { try? await Task.sleep(for: .milliseconds(2)) }
}
