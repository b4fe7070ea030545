import AnnexLinux
import AnnexPolicy
import Testing

@testable import AnnexSandbox

/// The ports of a `SandboxProgram`. RunPortTests tests the connections.
@Suite(.timeLimit(.minutes(20))) struct LocalPortTests {
    private func program() -> SandboxProgram {
        var program = SandboxProgram("true")
        program.ports.allow(5432)
        return program
    }

    @Test(arguments: [("tool", "add the allowance `loopback`"), ("tool+network", "leave out either the ports")])
    func `single ports need a policy with a network of its own`(policy: String, remedy: String) throws {
        let sandbox = Sandbox(policy: try .shipped(named: policy))
        let error = #expect(throws: SandboxError.self) {
            _ = try sandbox.prepare(program(), streams: DescriptorList())
        }
        #expect(error?.step == "ports" && error?.remedy?.contains(remedy) == true)
    }

    @Test func `single ports are refused if the sandbox lacks the layer network`() throws {
        let sandbox = Sandbox(policy: try .shipped(named: "tool+loopback"))
        var prepared = try sandbox.prepare(program(), streams: DescriptorList())
        prepared.configuration.layers.subtract(.network)
        let launcher = try Launcher.shared(waiving: [])
        do throws(SandboxError) {
            _ = try launcher.launch(prepared.takeConfiguration()) { _ in }
            Issue.record("the program was started")
        } catch {
            #expect(error.step == "ports" && error.cause.contains("no network of its own"), "\(error)")
        }
    }

    @Test func `a port is kept once and a published port has a port of this machine`() {
        var ports = LocalPorts()
        for _ in 0..<2 { ports.allow(80) }
        ports.publish(3000)
        ports.publish(3000, at: 8080)
        #expect(ports.allowed == [80] && ports.published.map(\.machine) == [3000, 8080])
        #expect(ports.published.allSatisfy { $0.program == 3000 } && !ports.isEmpty && LocalPorts().isEmpty)
    }
}
