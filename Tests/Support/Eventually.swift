import Foundation

/// Waits for a condition that becomes true by itself. The watchdog of the test limits the wait.
public func eventually(_ condition: () -> Bool) async {
    while !condition() { try? await Task.sleep(for: .milliseconds(2)) }
}
