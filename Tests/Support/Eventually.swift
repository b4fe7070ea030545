import Foundation

/// Waits for a condition that becomes true by itself; the watchdog of the test bounds the wait.
public func eventually(_ condition: () -> Bool) async {
    while !condition() { try? await Task.sleep(for: .milliseconds(2)) }
}
