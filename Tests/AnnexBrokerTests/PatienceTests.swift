import AnnexPolicy
import AnnexShippedPolicies
import Testing

@testable import AnnexBroker

/// A host for tests has more patience than other hosts. An extension must end for the same reason with both.
@Suite struct PatienceTests {
    private static let names = PolicyLibrary.shipped.names

    private static func limits(_ name: String, patience: Duration) throws -> (before: PolicyLimits, after: PolicyLimits)
    {
        let before = try Policy.compiledAhead(named: name).limits
        var (wishes, after) = (BrokerConfiguration(), before)
        wishes.patience = patience
        wishes.apply(to: &after)
        return (before, after)
    }

    @Test(arguments: names, [Duration.milliseconds(1), .seconds(3), .seconds(60), .seconds(3000)])
    func `a host with patience keeps the order of the time limits`(_ name: String, patience: Duration) throws {
        let (before, after) = try Self.limits(name, patience: patience)
        #expect(after.launch >= patience && after.request >= patience && after.watchdog >= patience)
        #expect((before.watchdog < before.request) == (after.watchdog < after.request), "\(before) \(after)")
        // Even an extension that computes on several processors at once reaches the same limit first.
        for (old, new) in [(before.watchdog, after.watchdog), (before.request, after.request)] {
            #expect(after.processor / new >= before.processor / old - 1e-9, "\(before) \(after)")
        }
    }

    @Test(arguments: names)
    func `without patience the limits stay those of the policy`(_ name: String) throws {
        let (before, after) = try Self.limits(name, patience: .zero)
        #expect(before == after)
    }
}
